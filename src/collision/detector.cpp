#include "collision/detector.h"

#include <algorithm>

namespace carom {
namespace {

// Chunk sizes are fixed, not divided by the number of threads: the order of the output must not depend on it.
constexpr std::size_t kBodiesPerChunk = 128;
constexpr std::size_t kPairsPerChunk = 256;

std::size_t chunk_count(std::size_t items, std::size_t chunk) { return (items + chunk - 1) / chunk; }

/// Appends the chunks in order.
template <class T>
void gather(const std::vector<std::vector<T>>& chunks, std::size_t count, std::vector<T>& out) {
  out.clear();
  for (std::size_t c = 0; c < count; ++c) out.insert(out.end(), chunks[c].begin(), chunks[c].end());
}

/// Carries the names of the points over: the same features are the same contact.
void match_points(const Manifold& before, Manifold& now) {
  for (int i = 0; i < now.count; ++i) {
    ManifoldPoint& point = now.points[static_cast<std::size_t>(i)];
    for (int k = 0; k < before.count; ++k) {
      if (before.points[static_cast<std::size_t>(k)].feature == point.feature) point.previous = before.first_point + k;
    }
  }
}

}  // namespace

std::span<const Manifold> Detector::detect(std::span<const Proxy> proxies, ThreadPool* threads) {
  std::swap(manifolds_, previous_);
  previous_pairs_.swap(manifold_pairs_);
  build_trees(proxies);
  find_pairs(proxies, threads);
  find_previous();
  find_contacts(proxies, threads);
  return manifolds_;
}

void Detector::forget(std::int32_t body) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < manifolds_.size(); ++i) {
    if (manifolds_[i].a == body || manifolds_[i].b == body) continue;
    manifolds_[kept] = manifolds_[i];
    manifold_pairs_[kept++] = manifold_pairs_[i];
  }
  manifolds_.resize(kept);
  manifold_pairs_.resize(kept);
}

void Detector::build_trees(std::span<const Proxy> proxies) {
  boxes_.resize(proxies.size());
  moving_.clear();
  planes_.clear();
  items_.clear();
  std::vector<Bvh::Item> fixed;
  for (std::size_t i = 0; i < proxies.size(); ++i) {
    const Proxy& p = proxies[i];
    const auto body = static_cast<std::int32_t>(i);
    if (p.geometry == nullptr) continue;
    if (!p.bounded) {
      planes_.push_back(body);
    } else if (p.moves) {
      boxes_[i] = bounds(*p.geometry, p.position, p.rotation).swept(p.sweep, p.reach);
      items_.push_back({boxes_[i], body});
      moving_.push_back(body);
    } else if (fixed_changed_) {
      fixed.push_back({bounds(*p.geometry, p.position, p.rotation), body});
    }
  }
  moving_tree_.build(items_);
  if (fixed_changed_) fixed_tree_.build(fixed);
  fixed_changed_ = false;
}

void Detector::pairs_of(std::span<const Proxy> proxies, std::int32_t body, std::vector<Pair>& out) const {
  const auto dynamic = [&](std::int32_t i) { return proxies[static_cast<std::size_t>(i)].dynamic; };
  const Aabb& box = boxes_[static_cast<std::size_t>(body)];
  const std::size_t first = out.size();
  moving_tree_.query(box, [&](std::int32_t other) {
    if (other > body && (dynamic(body) || dynamic(other))) out.push_back({body, other});
  });
  if (dynamic(body)) {
    fixed_tree_.query(box, [&](std::int32_t other) { out.push_back({body, other}); });
    for (const std::int32_t plane : planes_) out.push_back({body, plane});
  }
  std::sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
}

void Detector::find_pairs(std::span<const Proxy> proxies, ThreadPool* threads) {
  const std::size_t chunks = chunk_count(moving_.size(), kBodiesPerChunk);
  if (pair_chunks_.size() < chunks) pair_chunks_.resize(chunks);
  for_chunks(threads, chunks, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      pair_chunks_[c].clear();
      const std::size_t last = std::min((c + 1) * kBodiesPerChunk, moving_.size());
      for (std::size_t i = c * kBodiesPerChunk; i < last; ++i) pairs_of(proxies, moving_[i], pair_chunks_[c]);
    }
  });
  gather(pair_chunks_, chunks, pairs_);
}

void Detector::find_previous() {
  // Both lists are sorted: one walk along them.
  previous_index_.assign(pairs_.size(), -1);
  std::size_t k = 0;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    while (k < previous_pairs_.size() && previous_pairs_[k] < pairs_[i]) ++k;
    if (k < previous_pairs_.size() && previous_pairs_[k] == pairs_[i]) previous_index_[i] = static_cast<std::int32_t>(k);
  }
}

void Detector::find_contacts(std::span<const Proxy> proxies, ThreadPool* threads) {
  const std::size_t chunks = chunk_count(pairs_.size(), kPairsPerChunk);
  if (manifold_chunks_.size() < chunks) manifold_chunks_.resize(chunks);
  for_chunks(threads, chunks, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      std::vector<Manifold>& out = manifold_chunks_[c];
      out.clear();
      const std::size_t last = std::min((c + 1) * kPairsPerChunk, pairs_.size());
      for (std::size_t i = c * kPairsPerChunk; i < last; ++i) {
        Manifold& m = out.emplace_back();
        // The impulse acts on b: let it be the body that moves where one does not.
        m.swapped = !proxies[static_cast<std::size_t>(pairs_[i].second)].dynamic;
        m.a = m.swapped ? pairs_[i].second : pairs_[i].first;
        m.b = m.swapped ? pairs_[i].first : pairs_[i].second;
        const Proxy &pa = proxies[static_cast<std::size_t>(m.a)], &pb = proxies[static_cast<std::size_t>(m.b)];
        const Manifold* before = previous_index_[i] >= 0 ? &previous_[static_cast<std::size_t>(previous_index_[i])] : nullptr;
        if (before != nullptr) m.axis = before->axis;
        collide({pa.geometry, pa.position, pa.rotation}, {pb.geometry, pb.position, pb.rotation},
                norm(pa.sweep - pb.sweep) + pa.reach + pb.reach, m);
        if (m.count == 0) {
          out.pop_back();
        } else if (before != nullptr) {
          match_points(*before, m);
        }
      }
    }
  });
  gather(manifold_chunks_, chunks, manifolds_);
  manifold_pairs_.clear();
  std::int32_t points = 0;
  for (Manifold& m : manifolds_) {
    m.first_point = points;
    points += m.count;
    manifold_pairs_.push_back(m.swapped ? Pair{m.b, m.a} : Pair{m.a, m.b});
  }
}

}  // namespace carom
