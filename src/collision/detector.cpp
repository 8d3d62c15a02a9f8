#include "collision/detector.h"

#include <algorithm>

#include "collision/chunks.h"

namespace carom {
namespace {

constexpr std::size_t kBodiesPerChunk = 128;
constexpr std::size_t kPairsPerChunk = 256;

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

/// How much nearer two bodies may come to each other.
Real margin(const Proxy& a, const Proxy& b) { return norm(a.sweep - b.sweep) + a.reach + b.reach; }

HalfSpace half_space(const Plane& plane, const Proxy& at) {
  const Vec3 normal = at.rotation * plane.normal;
  return {normal, plane.offset + dot(normal, at.position)};
}

}  // namespace

std::span<const Manifold> Detector::detect(std::span<const Proxy> proxies, ThreadPool* threads) {
  std::swap(manifolds_, previous_);
  previous_pairs_.swap(manifold_pairs_);
  place_boxes(proxies);
  broad_.update(threads);
  broad_.candidates(threads, pairs_);
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

void Detector::save(ByteWriter& out) const {
  out.put(static_cast<std::uint64_t>(manifolds_.size()));
  for (const Manifold& m : manifolds_) {
    out.put(m.a);
    out.put(m.b);
    out.put(static_cast<std::uint8_t>(m.swapped));
    out.put(m.axis);
    out.put(static_cast<std::uint8_t>(m.count));
    for (int i = 0; i < m.count; ++i) out.put(m.points[static_cast<std::size_t>(i)].feature);
  }
}

bool Detector::restore(ByteReader& in, std::size_t bodies) {
  constexpr std::size_t kLeastBytes = 2 * sizeof(std::int32_t) + 3;
  const auto count = in.get<std::uint64_t>();
  if (!in.fits(count, kLeastBytes)) return false;
  std::vector<Manifold> manifolds(count);
  const auto is_body = [&](std::int32_t i) { return i >= 0 && static_cast<std::size_t>(i) < bodies; };
  for (Manifold& m : manifolds) {
    m.a = in.get<std::int32_t>();
    m.b = in.get<std::int32_t>();
    m.swapped = in.get<std::uint8_t>() != 0;
    m.axis = in.get<std::uint8_t>();
    const int points = in.get<std::uint8_t>();
    if (!is_body(m.a) || !is_body(m.b) || points > Manifold::kMaxPoints) return false;
    for (int i = 0; i < points; ++i) m.add({}, 0, in.get<std::uint16_t>());
  }
  if (!in.ok()) return false;
  manifolds_ = std::move(manifolds);
  number_points();
  fixed_changed_ = true;
  return true;
}

void Detector::place_boxes(std::span<const Proxy> proxies) {
  for (std::size_t i = 0; i < proxies.size(); ++i) {
    const Proxy& p = proxies[i];
    const auto body = static_cast<std::int32_t>(i);
    const PairRole role{p.moves, p.dynamic, p.category, p.mask};
    if (p.geometry == nullptr) {
      broad_.remove(body);
    } else if (!p.bounded) {
      if (fixed_changed_) broad_.place_half_space(body, half_space(std::get<Plane>(*p.geometry), p), role);
    } else if (p.moves) {
      broad_.place(body, bounds(*p.geometry, p.position, p.rotation).swept(p.sweep, p.reach), p.sweep, role);
    } else if (fixed_changed_) {
      broad_.place(body, bounds(*p.geometry, p.position, p.rotation), {}, role);
    }
  }
  for (std::size_t i = proxies.size(); i < broad_.size(); ++i) broad_.remove(static_cast<std::int32_t>(i));
  fixed_changed_ = false;
}

void Detector::find_overlap_pairs(ThreadPool* threads) {
  std::fill(queried_.begin(), queried_.end(), 0);
  queried_.resize(broad_.size(), 0);
  for (const std::int32_t body : fast_) queried_[static_cast<std::size_t>(body)] = 1;
  for_fixed_chunks(threads, fast_.size(), kBodiesPerChunk, pair_chunks_,
                   [&](std::vector<Pair>& chunk, std::size_t i, std::size_t end) {
                     chunk.clear();
                     for (; i < end; ++i) {
                       const std::int32_t body = fast_[i];
                       const auto first = static_cast<std::ptrdiff_t>(chunk.size());
                       broad_.for_each_overlap(body, [&](std::int32_t other) {
                         // Of two bodies that both ask, the one with the smaller index names the pair.
                         if (other > body || queried_[static_cast<std::size_t>(other)] == 0)
                           chunk.push_back({body, other});
                       });
                       std::sort(chunk.begin() + first, chunk.end());
                     }
                   });
  gather(pair_chunks_, chunk_count(fast_.size(), kBodiesPerChunk), overlap_pairs_);
}

void Detector::find_previous() {
  // Both lists are sorted: one walk along them.
  previous_index_.assign(pairs_.size(), -1);
  std::size_t k = 0;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    while (k < previous_pairs_.size() && previous_pairs_[k] < pairs_[i]) ++k;
    if (k < previous_pairs_.size() && previous_pairs_[k] == pairs_[i])
      previous_index_[i] = static_cast<std::int32_t>(k);
  }
}

void Detector::name_bodies(const Pair& pair, std::span<const Proxy> proxies, Manifold& manifold) {
  // The impulse acts on b: let it be the body that moves where one does not.
  manifold.swapped = !proxies[static_cast<std::size_t>(pair.second)].dynamic;
  manifold.a = manifold.swapped ? pair.second : pair.first;
  manifold.b = manifold.swapped ? pair.first : pair.second;
}

template <class Find>
void Detector::for_each_pair(std::span<const Pair> pairs, ThreadPool* threads, std::vector<Manifold>& out,
                             Find&& find) {
  for_fixed_chunks(threads, pairs.size(), kPairsPerChunk, manifold_chunks_,
                   [&](std::vector<Manifold>& chunk, std::size_t i, std::size_t end) {
                     chunk.clear();
                     for (; i < end; ++i) {
                       chunk.emplace_back();
                       find(i, chunk.back());
                       if (chunk.back().count == 0) chunk.pop_back();
                     }
                   });
  gather(manifold_chunks_, chunk_count(pairs.size(), kPairsPerChunk), out);
}

void Detector::find_contacts(std::span<const Proxy> proxies, ThreadPool* threads) {
  for_each_pair(pairs_, threads, manifolds_, [&](std::size_t i, Manifold& m) {
    name_bodies(pairs_[i], proxies, m);
    const Proxy &a = proxies[static_cast<std::size_t>(m.a)], &b = proxies[static_cast<std::size_t>(m.b)];
    const Manifold* before =
        previous_index_[i] >= 0 ? &previous_[static_cast<std::size_t>(previous_index_[i])] : nullptr;
    if (before != nullptr) m.axis = before->axis;
    collide({a.geometry, a.position, a.rotation}, {b.geometry, b.position, b.rotation}, margin(a, b), m);
    if (before != nullptr) match_points(*before, m);
  });
  number_points();
}

void Detector::number_points() {
  manifold_pairs_.clear();
  std::int32_t points = 0;
  for (Manifold& m : manifolds_) {
    m.first_point = points;
    points += m.count;
    manifold_pairs_.push_back(m.swapped ? Pair{m.b, m.a} : Pair{m.a, m.b});
  }
}

std::span<const Manifold> Detector::detect_overlaps(std::span<const Proxy> moved, Real least_motion, Real depth,
                                                    ThreadPool* threads) {
  overlaps_.clear();
  fast_.clear();
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const Proxy& p = moved[i];
    if (p.geometry != nullptr && p.moves && norm(p.sweep) + p.reach > least_motion)
      fast_.push_back(static_cast<std::int32_t>(i));
  }
  if (fast_.empty()) return overlaps_;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const Proxy& p = moved[i];
    if (p.geometry != nullptr && p.moves)
      broad_.visit(static_cast<std::int32_t>(i), bounds(*p.geometry, p.position, p.rotation));
  }
  broad_.update(threads);
  find_overlap_pairs(threads);
  for_each_pair(overlap_pairs_, threads, overlaps_, [&](std::size_t i, Manifold& m) {
    name_bodies(overlap_pairs_[i], moved, m);
    const Proxy &a = moved[static_cast<std::size_t>(m.a)], &b = moved[static_cast<std::size_t>(m.b)];
    if (margin(a, b) <= least_motion) return;
    collide({a.geometry, a.position, a.rotation}, {b.geometry, b.position, b.rotation}, -depth, m);
  });
  return overlaps_;
}

}  // namespace carom
