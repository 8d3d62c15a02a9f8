#include "collision/detector.h"

#include <algorithm>

#include "base/stopwatch.h"
#include "carom/base/error.h"
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
void match_points(const Manifold& before, std::span<const Vec3> impulses_before, Manifold& now,
                  std::span<Vec3> impulses) {
  for (int i = 0; i < now.count; ++i) {
    ManifoldPoint& point = now.points[static_cast<std::size_t>(i)];
    for (int k = 0; k < before.count; ++k) {
      if (before.points[static_cast<std::size_t>(k)].feature != point.feature) continue;
      point.previous = before.first_point + k;
      impulses[static_cast<std::size_t>(i)] = impulses_before[static_cast<std::size_t>(point.previous)];
    }
  }
}

/// How much nearer two bodies may come to each other.
Real margin(const Proxy& a, const Proxy& b) { return norm(a.sweep - b.sweep) + a.reach + b.reach; }

HalfSpace half_space(const Plane& plane, const Proxy& at) {
  const Vec3 normal = at.rotation * plane.normal;
  return {normal, plane.offset + dot(normal, at.position)};
}

void name_bodies(const BroadPhase::Pair& pair, bool swapped, Manifold& manifold) {
  manifold.swapped = swapped;
  manifold.a = swapped ? pair.second : pair.first;
  manifold.b = swapped ? pair.first : pair.second;
}

}  // namespace

Proxy& Detector::proxy(std::int32_t body) {
  const auto i = static_cast<std::size_t>(body);
  if (i >= proxies_.size()) {
    proxies_.resize(i + 1);
    frozen_.resize(std::max(frozen_.size(), proxies_.size()), 0);
    marked_.resize(proxies_.size(), 0);
  }
  return proxies_[i];
}

void Detector::set(std::int32_t body, const Proxy& given) {
  proxy(body) = given;
  mark(body);
}

void Detector::remove(std::int32_t body) {
  proxy(body) = {};
  frozen_[static_cast<std::size_t>(body)] = 0;
  forget(body);
  mark(body);
}

void Detector::freeze(std::int32_t body) {
  Proxy& p = proxy(body);
  p.sweep = {};
  p.reach = 0;
  frozen_[static_cast<std::size_t>(body)] = 1;
  froze_ = true;
  mark(body);
}

std::span<const Manifold> Detector::revive(std::int32_t body) {
  if (!is_frozen(body)) return {};
  frozen_[static_cast<std::size_t>(body)] = 0;
  const std::size_t known = now_.manifolds.size();
  resting_.move_to(body, now_);
  revived_ = revived_ || now_.manifolds.size() > known;
  return std::span(now_.manifolds).subspan(known);
}

bool Detector::is_awake(std::int32_t body) const {
  const Proxy& p = at(body);
  return p.geometry != nullptr && p.moves && !is_frozen(body);
}

PairRole Detector::role(std::int32_t body) const {
  const Proxy& p = at(body);
  return {p.moves, p.dynamic, p.category, p.mask, is_frozen(body)};
}

void Detector::mark(std::int32_t body) {
  char& marked = marked_[static_cast<std::size_t>(body)];
  if (marked == 0) changed_.push_back(body);
  marked = 1;
}

std::span<const Manifold> Detector::detect(std::span<const std::int32_t> awake, ThreadPool* threads) {
  Stopwatch watch;
  std::swap(now_, before_);
  for (const std::int32_t body : changed_) {
    marked_[static_cast<std::size_t>(body)] = 0;
    if (!is_awake(body)) place(body);
  }
  changed_.clear();
  for (const std::int32_t body : awake) place(body);
  broad_.update(threads);
  if (broad_.awake().size() != awake.size())
    fail("Detector::detect: the list of bodies that are awake is not complete, or holds others");
  broad_.candidates(threads, active_.pairs);
  counts_.broad_seconds = watch.lap();
  find_previous();
  put_to_rest(threads);
  find_contacts(active_, false, threads, now_);
  counts_.pairs = static_cast<std::int64_t>(active_.pairs.size());
  counts_.manifolds = static_cast<std::int64_t>(now_.manifolds.size());
  counts_.reused = now_.reused;
  counts_.narrow_seconds = watch.lap();
  return now_.manifolds;
}

std::span<const Manifold> Detector::detect(std::span<const Proxy> proxies, ThreadPool* threads) {
  movers_.clear();
  const std::size_t known = proxies_.size();
  for (std::size_t i = 0; i < proxies.size(); ++i) {
    const auto body = static_cast<std::int32_t>(i);
    const bool changed =
        i >= known || fixed_changed_ || (proxies[i].geometry == nullptr) != (at(body).geometry == nullptr);
    proxy(body) = proxies[i];
    if (is_awake(body)) {
      movers_.push_back(body);
    } else if (changed) {
      mark(body);
    }
  }
  for (std::size_t i = proxies.size(); i < known; ++i) set(static_cast<std::int32_t>(i), {});
  fixed_changed_ = false;
  return detect(movers_, threads);
}

bool Detector::manifold_at(std::int32_t index, const Placed& a, const Placed& b, Manifold& out) const {
  const auto i = static_cast<std::size_t>(index);
  const Manifold& now = now_.manifolds[i];
  const ContactReference& reference = now_.references[i];
  out = now;
  if (follows_exactly(reference, a, b)) {
    const auto first = static_cast<std::size_t>(now.first_point), points = static_cast<std::size_t>(now.count);
    follow_bodies(reference, std::span(now_.anchors).subspan(first, points), a, b, out);
    return true;
  }
  std::vector<Manifold> found;
  collide_all(a, b, 2 * reference.margin, {&now, 1}, found);  // what was near then may be a little less so
  const auto same = std::find_if(found.begin(), found.end(), [&](const Manifold& m) { return m.part == now.part; });
  if (same == found.end()) return false;
  out.normal = same->normal;
  for (int k = 0; k < now.count; ++k) {
    ManifoldPoint& point = out.points[static_cast<std::size_t>(k)];
    const auto end = same->points.begin() + same->count;
    const auto at =
        std::find_if(same->points.begin(), end, [&](const ManifoldPoint& p) { return p.feature == point.feature; });
    if (at == end) return false;
    point.point = at->point;
    point.gap = at->gap;
  }
  return true;
}

void Detector::forget(std::int32_t body) {
  now_.forget(body);
  resting_.forget(body);
}

void Detector::clear() {
  now_.clear();
  resting_.clear();
}

void Detector::save(ByteWriter& out) const {
  out.put(static_cast<std::uint64_t>(std::count(frozen_.begin(), frozen_.end(), char{1})));
  for (std::size_t i = 0; i < frozen_.size(); ++i)
    if (frozen_[i] != 0) out.put(static_cast<std::int32_t>(i));
  now_.save(out);
  KeptContacts resting;
  resting_.gather(resting);
  resting.save(out);
}

bool Detector::restore(ByteReader& in, std::size_t bodies) {
  const auto count = in.get<std::uint64_t>();
  if (!in.fits(count, sizeof(std::int32_t))) return false;
  std::vector<char> frozen(bodies, 0);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto body = in.get<std::int32_t>();
    if (body < 0 || static_cast<std::size_t>(body) >= bodies) return false;
    frozen[static_cast<std::size_t>(body)] = 1;
  }
  KeptContacts now, resting;
  if (!now.restore(in, bodies) || !resting.restore(in, bodies)) return false;
  frozen_ = std::move(frozen);
  now_ = std::move(now);
  // The step before may have frozen bodies, whose contacts come to rest in the next, or revived some.
  froze_ = revived_ = true;
  resting_.clear();
  resting_.add(resting);
  fixed_changed_ = true;
  return true;
}

void Detector::place(std::int32_t body) {
  const Proxy& p = at(body);
  if (p.geometry == nullptr) {
    broad_.remove(body);
  } else if (!p.bounded) {
    broad_.place_half_space(body, half_space(std::get<Plane>(*p.geometry), p), role(body));
  } else {
    const Aabb box = bounds(*p.geometry, p.position, p.rotation);
    if (is_awake(body)) {
      broad_.place(body, box.swept(p.sweep, p.reach), p.sweep, role(body));
    } else {
      broad_.place(body, box, {}, role(body));
    }
  }
}

void Detector::find_previous() {
  if (revived_) before_.sort_by_pair();
  revived_ = false;
  settling_.pairs.clear();
  settling_.previous.clear();
  // Both lists are sorted: one walk along them.
  const std::size_t known = before_.pairs.size();
  active_.previous.assign(active_.pairs.size(), known);
  std::size_t k = 0;
  const auto leave_behind = [&] {
    // Nobody asks for this pair any more: its bodies are out of reach, or neither of them is awake.
    const Pair& pair = before_.pairs[k];
    const auto stays = [&](std::int32_t body) { return at(body).geometry != nullptr && !is_awake(body); };
    const bool at_rest = froze_ && stays(pair.first) && stays(pair.second);
    if (at_rest && (k == 0 || before_.pairs[k - 1] != pair)) {
      settling_.pairs.push_back(pair);
      settling_.previous.push_back(k);
    }
    ++k;
  };
  for (std::size_t i = 0; i < active_.pairs.size(); ++i) {
    while (k < known && before_.pairs[k] < active_.pairs[i]) leave_behind();
    if (k < known && before_.pairs[k] == active_.pairs[i]) active_.previous[i] = k;
    while (k < known && before_.pairs[k] == active_.pairs[i]) ++k;
  }
  while (froze_ && k < known) leave_behind();
  froze_ = false;
}

/// Bodies may have moved since their contacts were found: where they stay, the points are looked at once more.
void Detector::put_to_rest(ThreadPool* threads) {
  if (settling_.pairs.empty()) return;
  find_contacts(settling_, true, threads, settled_);
  resting_.add(settled_);
}

void Detector::find_contacts(const PairList& list, bool coming_to_rest, ThreadPool* threads, KeptContacts& out) {
  const std::size_t pairs = list.pairs.size();
  for_fixed_chunks(threads, pairs, kPairsPerChunk, chunks_, [&](KeptContacts& chunk, std::size_t i, std::size_t end) {
    chunk.clear();
    for (; i < end; ++i) find_pair(list.pairs[i], list.previous[i], coming_to_rest, chunk);
  });
  out.clear();
  for (std::size_t c = 0; c < chunk_count(pairs, kPairsPerChunk); ++c) out.append(chunks_[c]);
  out.number_points();
}

/// The pair's manifolds of the last step begin at `first` in before_, if it has any.
void Detector::find_pair(const Pair& pair, std::size_t first, bool coming_to_rest, KeptContacts& out) const {
  // The impulse acts on b: let it be the body that moves where one does not.
  const bool swapped = !at(pair.second).dynamic;
  const Proxy& proxy_a = at(swapped ? pair.second : pair.first);
  const Proxy& proxy_b = at(swapped ? pair.first : pair.second);
  const Placed a = proxy_a.placed(), b = proxy_b.placed();
  std::size_t last = first;
  while (last < before_.pairs.size() && before_.pairs[last] == pair) ++last;
  const std::span<const ContactReference> references{before_.references.data() + first, last - first};
  Real reach = coarse_margin(margin(proxy_a, proxy_b));
  // What comes to rest does not move any more; its points are those that mattered while it did.
  if (coming_to_rest)
    for (const ContactReference& reference : references) reach = std::max(reach, reference.margin);

  const auto still = [&](const ContactReference& reference) { return is_still(reference, a, b, reach); };
  if (last > first && std::all_of(references.begin(), references.end(), still)) {
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
    const auto points = static_cast<std::size_t>(manifold.count);
    out.impulses.resize(out.impulses.size() + points);
    for (const Manifold& old : before)
      if (old.part == manifold.part)
        match_points(old, before_.impulses, manifold, std::span(out.impulses).last(points));
    out.pairs.push_back(pair);
    out.references.push_back(make_reference(manifold, a, b, reach, out.anchors));
  }
}

void Detector::find_overlap_pairs(ThreadPool* threads) {
  queried_.resize(broad_.size(), 0);
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
  for (const std::int32_t body : fast_) queried_[static_cast<std::size_t>(body)] = 0;
  gather(overlap_pair_chunks_, chunk_count(fast_.size(), kBodiesPerChunk), overlap_pairs_);
}

std::span<const Manifold> Detector::detect_overlaps(std::span<const std::int32_t> awake, Real least_motion, Real depth,
                                                    ThreadPool* threads) {
  overlaps_.clear();
  fast_.clear();
  for (const std::int32_t body : awake) {
    const Proxy& p = at(body);
    if (norm(p.sweep) + p.reach > least_motion) fast_.push_back(body);
  }
  if (fast_.empty()) return overlaps_;
  for (const std::int32_t body : awake) {
    const Proxy& p = at(body);
    broad_.visit(body, bounds(*p.geometry, p.position, p.rotation), role(body));
  }
  broad_.update(threads);
  find_overlap_pairs(threads);
  for_fixed_chunks(threads, overlap_pairs_.size(), kPairsPerChunk, overlap_chunks_,
                   [&](std::vector<Manifold>& out, std::size_t i, std::size_t end) {
                     out.clear();
                     for (; i < end; ++i) {
                       const Pair& pair = overlap_pairs_[i];
                       const bool swapped = !at(pair.second).dynamic;
                       const Proxy& a = at(swapped ? pair.second : pair.first);
                       const Proxy& b = at(swapped ? pair.first : pair.second);
                       if (margin(a, b) <= least_motion) continue;
                       const std::size_t fresh = out.size();
                       collide_all(a.placed(), b.placed(), -depth, {}, out);
                       for (std::size_t m = fresh; m < out.size(); ++m) name_bodies(pair, swapped, out[m]);
                     }
                   });
  gather(overlap_chunks_, chunk_count(overlap_pairs_.size(), kPairsPerChunk), overlaps_);
  return overlaps_;
}

std::span<const Manifold> Detector::detect_overlaps(std::span<const Proxy> moved, Real least_motion, Real depth,
                                                    ThreadPool* threads) {
  for (const std::int32_t body : movers_)
    proxies_[static_cast<std::size_t>(body)] = moved[static_cast<std::size_t>(body)];
  return detect_overlaps(movers_, least_motion, depth, threads);
}

}  // namespace carom
