#include "collision/detector.h"

#include <algorithm>

#include "base/stopwatch.h"
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

/// The impulse acts on b: let it be the body that moves where one does not.
bool is_swapped(const BroadPhase::Pair& pair, std::span<const Proxy> proxies) {
  return !proxies[static_cast<std::size_t>(pair.second)].dynamic;
}

void name_bodies(const BroadPhase::Pair& pair, bool swapped, Manifold& manifold) {
  manifold.swapped = swapped;
  manifold.a = swapped ? pair.second : pair.first;
  manifold.b = swapped ? pair.first : pair.second;
}

}  // namespace

void Detector::Found::clear() {
  manifolds.clear();
  pairs.clear();
  references.clear();
  anchors.clear();
  reused = 0;
}

void Detector::Found::append(const Found& other) {
  manifolds.insert(manifolds.end(), other.manifolds.begin(), other.manifolds.end());
  pairs.insert(pairs.end(), other.pairs.begin(), other.pairs.end());
  references.insert(references.end(), other.references.begin(), other.references.end());
  anchors.insert(anchors.end(), other.anchors.begin(), other.anchors.end());
  reused += other.reused;
}

void Detector::Found::number_points() {
  std::int32_t points = 0;
  for (Manifold& m : manifolds) {
    m.first_point = points;
    points += m.count;
  }
}

void Detector::Found::take_over(const Found& before, std::size_t m) {
  const Manifold& manifold = before.manifolds[m];
  manifolds.push_back(manifold);
  pairs.push_back(before.pairs[m]);
  references.push_back(before.references[m]);
  const auto first = before.anchors.begin() + manifold.first_point;
  anchors.insert(anchors.end(), first, first + manifold.count);
  for (int i = 0; i < manifold.count; ++i)
    manifolds.back().points[static_cast<std::size_t>(i)].previous = manifold.first_point + i;
}

std::span<const Manifold> Detector::detect(std::span<const Proxy> proxies, ThreadPool* threads) {
  Stopwatch watch;
  std::swap(now_, before_);
  place_boxes(proxies);
  broad_.update(threads);
  broad_.candidates(threads, pairs_);
  counts_.broad_seconds = watch.lap();
  find_previous();
  find_contacts(proxies, threads);
  counts_.narrow_seconds = watch.lap();
  return now_.manifolds;
}

void Detector::forget(std::int32_t body) {
  // Points keep the numbers that their impulses and anchors are known by.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < now_.manifolds.size(); ++i) {
    if (now_.manifolds[i].a == body || now_.manifolds[i].b == body) continue;
    now_.manifolds[kept] = now_.manifolds[i];
    now_.pairs[kept] = now_.pairs[i];
    now_.references[kept++] = now_.references[i];
  }
  now_.manifolds.resize(kept);
  now_.pairs.resize(kept);
  now_.references.resize(kept);
}

void Detector::save(ByteWriter& out) const {
  out.put(static_cast<std::uint64_t>(now_.manifolds.size()));
  for (std::size_t i = 0; i < now_.manifolds.size(); ++i) {
    const Manifold& m = now_.manifolds[i];
    out.put(m.a);
    out.put(m.b);
    out.put(static_cast<std::uint8_t>(m.swapped));
    out.put(m.axis);
    out.put(m.part);
    out.put(static_cast<std::uint8_t>(m.count));
    put(out, now_.references[i]);
    for (int k = 0; k < m.count; ++k) {
      out.put(m.points[static_cast<std::size_t>(k)].feature);
      put(out, now_.anchors[static_cast<std::size_t>(m.first_point) + static_cast<std::size_t>(k)]);
    }
  }
}

bool Detector::restore(ByteReader& in, std::size_t bodies) {
  constexpr std::size_t kLeastBytes = 3 * sizeof(std::int32_t) + 4 + 19 * sizeof(Real);
  const auto count = in.get<std::uint64_t>();
  if (!in.fits(count, kLeastBytes)) return false;
  Found found;
  const auto is_body = [&](std::int32_t i) { return i >= 0 && static_cast<std::size_t>(i) < bodies; };
  for (std::size_t i = 0; i < count; ++i) {
    Manifold& m = found.manifolds.emplace_back();
    m.a = in.get<std::int32_t>();
    m.b = in.get<std::int32_t>();
    m.swapped = in.get<std::uint8_t>() != 0;
    m.axis = in.get<std::uint8_t>();
    m.part = in.get<std::uint32_t>();
    const int points = in.get<std::uint8_t>();
    if (!is_body(m.a) || !is_body(m.b) || points > Manifold::kMaxPoints) return false;
    found.references.push_back(get_reference(in));
    for (int k = 0; k < points; ++k) {
      m.add({}, 0, in.get<std::uint16_t>());
      found.anchors.push_back(get_anchor(in));
    }
    found.pairs.push_back(m.swapped ? Pair{m.b, m.a} : Pair{m.a, m.b});
  }
  if (!in.ok()) return false;
  found.number_points();
  now_ = std::move(found);
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

void Detector::find_previous() {
  // Both lists are sorted: one walk along them.
  previous_.assign(pairs_.size(), before_.pairs.size());
  std::size_t k = 0;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    while (k < before_.pairs.size() && before_.pairs[k] < pairs_[i]) ++k;
    if (k < before_.pairs.size() && before_.pairs[k] == pairs_[i]) previous_[i] = k;
  }
}

void Detector::find_contacts(std::span<const Proxy> proxies, ThreadPool* threads) {
  for_fixed_chunks(threads, pairs_.size(), kPairsPerChunk, chunks_, [&](Found& out, std::size_t i, std::size_t end) {
    out.clear();
    for (; i < end; ++i) find_pair(pairs_[i], proxies, previous_[i], out);
  });
  now_.clear();
  const std::size_t chunks = chunk_count(pairs_.size(), kPairsPerChunk);
  for (std::size_t c = 0; c < chunks; ++c) now_.append(chunks_[c]);
  now_.number_points();
  counts_.pairs = static_cast<std::int64_t>(pairs_.size());
  counts_.manifolds = static_cast<std::int64_t>(now_.manifolds.size());
  counts_.reused = now_.reused;
}

/// The pair's manifolds of the last step begin at `first` in before_, if it has any.
void Detector::find_pair(const Pair& pair, std::span<const Proxy> proxies, std::size_t first, Found& out) const {
  const bool swapped = is_swapped(pair, proxies);
  const Proxy& proxy_a = proxies[static_cast<std::size_t>(swapped ? pair.second : pair.first)];
  const Proxy& proxy_b = proxies[static_cast<std::size_t>(swapped ? pair.first : pair.second)];
  const Placed a = proxy_a.placed(), b = proxy_b.placed();
  const Real reach = coarse_margin(margin(proxy_a, proxy_b));
  std::size_t last = first;
  while (last < before_.pairs.size() && before_.pairs[last] == pair) ++last;

  const auto still = [&](const ContactReference& reference) { return is_still(reference, a, b, reach); };
  const auto references = before_.references.begin();
  if (last > first && std::all_of(references + static_cast<std::ptrdiff_t>(first),
                                  references + static_cast<std::ptrdiff_t>(last), still)) {
    for (std::size_t m = first; m < last; ++m) {
      out.take_over(before_, m);
      Manifold& manifold = out.manifolds.back();
      follow_bodies(out.references.back(), std::span(out.anchors).last(static_cast<std::size_t>(manifold.count)), a, b,
                    manifold);
    }
    out.reused += static_cast<std::int64_t>(last - first);
    return;
  }
  const std::span<const Manifold> before{before_.manifolds.data() + first, last - first};
  const std::size_t fresh = out.manifolds.size();
  collide_all(a, b, reach, before, out.manifolds);
  for (std::size_t m = fresh; m < out.manifolds.size(); ++m) {
    Manifold& manifold = out.manifolds[m];
    name_bodies(pair, swapped, manifold);
    for (const Manifold& old : before)
      if (old.part == manifold.part) match_points(old, manifold);
    out.pairs.push_back(pair);
    out.references.push_back(make_reference(manifold, a, b, reach, out.anchors));
  }
}

void Detector::find_overlap_pairs(ThreadPool* threads) {
  queried_.assign(broad_.size(), 0);
  for (const std::int32_t body : fast_) queried_[static_cast<std::size_t>(body)] = 1;
  for_fixed_chunks(threads, fast_.size(), kBodiesPerChunk, overlap_pair_chunks_,
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
  gather(overlap_pair_chunks_, chunk_count(fast_.size(), kBodiesPerChunk), overlap_pairs_);
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
  for_fixed_chunks(threads, overlap_pairs_.size(), kPairsPerChunk, overlap_chunks_,
                   [&](std::vector<Manifold>& out, std::size_t i, std::size_t end) {
                     out.clear();
                     for (; i < end; ++i) {
                       const Pair& pair = overlap_pairs_[i];
                       const bool swapped = is_swapped(pair, moved);
                       const Proxy& a = moved[static_cast<std::size_t>(swapped ? pair.second : pair.first)];
                       const Proxy& b = moved[static_cast<std::size_t>(swapped ? pair.first : pair.second)];
                       if (margin(a, b) <= least_motion) continue;
                       const std::size_t fresh = out.size();
                       collide_all(a.placed(), b.placed(), -depth, {}, out);
                       for (std::size_t m = fresh; m < out.size(); ++m) name_bodies(pair, swapped, out[m]);
                     }
                   });
  gather(overlap_chunks_, chunk_count(overlap_pairs_.size(), kPairsPerChunk), overlaps_);
  return overlaps_;
}

}  // namespace carom
