#include "collision/motion_pairs.h"

#include <algorithm>
#include <cmath>

#include "collision/chunks.h"

namespace carom {
namespace {

constexpr std::size_t kBodiesPerChunk = 64;

}  // namespace

Aabb swept_bounds(const Motion& m, Real end) {
  const Placed start = m.placed(0);
  const Aabb box = bounds(*m.geometry, start.position, start.rotation);
  // Turning takes no point farther than the arc, nor out of the sphere about the centre.
  const Real arc = end * (norm(m.angular_velocity) + 0.5 * end * m.tumble) * m.radius;
  const Vec3 last = m.center(end);
  Aabb swept;
  for (int i = 0; i < 3; ++i) {
    Real low = std::min(m.position[i], last[i]), high = std::max(m.position[i], last[i]);
    const Real apex = m.acceleration[i] != 0 ? -m.velocity[i] / m.acceleration[i] : 0;
    if (apex > 0 && apex < end) {
      const Real turn = m.center(apex)[i];
      low = std::min(low, turn);
      high = std::max(high, turn);
    }
    swept.min[i] = low - std::min(m.position[i] - box.min[i] + arc, m.radius);
    swept.max[i] = high + std::min(box.max[i] - m.position[i] + arc, m.radius);
  }
  return swept;
}

bool may_meet(const Motion& a, const Motion& b, Real from, Real to, Real margin) {
  if (std::holds_alternative<Plane>(*a.geometry) || std::holds_alternative<Plane>(*b.geometry)) return true;
  return may_come_within(a.radius + b.radius + margin, b.center(from) - a.center(from), b.center(to) - a.center(to),
                         b.acceleration - a.acceleration, to - from);
}

std::span<const MotionPairs::Pair> MotionPairs::find(std::span<const Mover> movers, std::span<const std::int32_t> awake,
                                                     const Detector& detector, Real end, Real margin,
                                                     ThreadPool* threads) {
  rank(awake, movers.size());
  asking_.clear();
  for (const std::int32_t body : awake)
    if (movers[static_cast<std::size_t>(body)].asks) asking_.push_back(body);
  pairs_.clear();
  if (!asking_.empty()) {
    place(movers, end, margin);
    broad_.update(threads);
    for_fixed_chunks(threads, asking_.size(), kBodiesPerChunk, chunks_,
                     [&](std::vector<Pair>& chunk, std::size_t first, std::size_t last) {
                       chunk.clear();
                       for (std::size_t i = first; i < last; ++i)
                         find_of(asking_[i], movers, detector, end, margin, chunk);
                     });
    for (std::size_t c = 0; c < chunk_count(asking_.size(), kBodiesPerChunk); ++c)
      pairs_.insert(pairs_.end(), chunks_[c].begin(), chunks_[c].end());
    std::sort(pairs_.begin(), pairs_.end());
  }
  index_pairs();
  return pairs_;
}

void MotionPairs::find_of(std::int32_t body, std::span<const Mover> movers, const Detector& detector, Real end,
                          Real margin, std::vector<Pair>& out) const {
  broad_.for_each_overlap(body, [&](std::int32_t other) {
    // Of two bodies that both ask, the one with the smaller index names the pair.
    if (other < body && movers[static_cast<std::size_t>(other)].asks) return;
    out.push_back(body < other ? Pair{body, other} : Pair{other, body});
  });
  // Twice the margin, as between two that are awake.
  const Mover& m = movers[static_cast<std::size_t>(body)];
  const Aabb box = swept_bounds(m.motion, end).swept({}, 2 * margin + m.stray);
  detector.for_each_still(body, box, [&](std::int32_t other) { out.push_back({body, other}); });
}

std::span<const std::int32_t> MotionPairs::of(std::int32_t body) const {
  const auto r = static_cast<std::size_t>(rank_[static_cast<std::size_t>(body)]);
  return {entries_.data() + first_[r], static_cast<std::size_t>(first_[r + 1] - first_[r])};
}

void MotionPairs::rank(std::span<const std::int32_t> awake, std::size_t bodies) {
  for (const std::int32_t body : awake_) rank_[static_cast<std::size_t>(body)] = -1;
  awake_.assign(awake.begin(), awake.end());
  rank_.resize(std::max(rank_.size(), bodies), -1);
  for (std::size_t r = 0; r < awake_.size(); ++r)
    rank_[static_cast<std::size_t>(awake_[r])] = static_cast<std::int32_t>(r);
}

void MotionPairs::place(std::span<const Mover> movers, Real end, Real margin) {
  for (const std::int32_t body : placed_)
    if (!is_awake(body)) broad_.remove(body);
  placed_ = awake_;
  for (const std::int32_t body : awake_) {
    const Mover& m = movers[static_cast<std::size_t>(body)];
    broad_.place(body, swept_bounds(m.motion, end).swept({}, margin + m.stray), {}, m.role);
  }
}

void MotionPairs::index_pairs() {
  first_.assign(awake_.size() + 1, 0);
  const auto for_each_end = [&](const auto& visit) {
    for (std::size_t k = 0; k < pairs_.size(); ++k)
      for (const std::int32_t body : {pairs_[k].first, pairs_[k].second})
        if (is_awake(body)) visit(static_cast<std::size_t>(rank_[static_cast<std::size_t>(body)]), k);
  };
  for_each_end([&](std::size_t r, std::size_t) { ++first_[r + 1]; });
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  entries_.resize(static_cast<std::size_t>(first_.back()));
  next_.assign(first_.begin(), first_.end() - 1);
  for_each_end([&](std::size_t r, std::size_t k) {
    entries_[static_cast<std::size_t>(next_[r]++)] = static_cast<std::int32_t>(k);
  });
}

std::optional<FirstImpact> first_impact(std::span<const Mover> movers, std::span<const BroadPhase::Pair> pairs,
                                        std::span<const BroadPhase::Pair> without, const ImpactQuery& query,
                                        Real least_approach) {
  std::optional<FirstImpact> first;
  ImpactQuery rest = query;
  for (const BroadPhase::Pair& pair : pairs) {
    if (std::binary_search(without.begin(), without.end(), pair)) continue;
    const Motion& a = movers[static_cast<std::size_t>(pair.first)].motion;
    const Motion& b = movers[static_cast<std::size_t>(pair.second)].motion;
    if (!may_meet(a, b, rest.from, rest.to, rest.tolerance)) continue;
    Impact impact = time_of_impact(a, b, rest);
    if (impact.at_start && impact.approach < 0) {
      // They part: look from where they have.
      ImpactQuery later = rest;
      later.from += 2 * rest.tolerance / -impact.approach;
      if (later.from >= later.to) continue;
      impact = time_of_impact(a, b, later);
    }
    if (!impact.found || impact.at_start || impact.approach <= least_approach) continue;
    if (first && impact.time >= first->impact.time) continue;
    first = {pair.first, pair.second, impact};
    rest.to = impact.time;
  }
  return first;
}

}  // namespace carom
