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
  const Real reach = a.radius + b.radius + margin;
  const Vec3 start = b.center(from) - a.center(from), way = b.center(to) - a.center(to) - start;
  // The chord's nearest point, and how far a parabola bulges from its chord.
  const Real length2 = squared_norm(way);
  const Real s = length2 > 0 ? std::clamp(-dot(start, way) / length2, 0.0, 1.0) : 0;
  const Real bulge = norm(b.acceleration - a.acceleration) * (to - from) * (to - from) / 8;
  return squared_norm(start + s * way) <= (reach + bulge) * (reach + bulge);
}

std::span<const MotionPairs::Pair> MotionPairs::find(std::span<const Mover> movers, Real end, Real margin,
                                                     ThreadPool* threads) {
  asking_.clear();
  for (std::size_t i = 0; i < movers.size(); ++i)
    if (movers[i].asks) asking_.push_back(static_cast<std::int32_t>(i));
  pairs_.clear();
  if (!asking_.empty()) {
    place(movers, end, margin);
    broad_.update(threads);
    for_fixed_chunks(threads, asking_.size(), kBodiesPerChunk, chunks_,
                     [&](std::vector<Pair>& chunk, std::size_t first, std::size_t last) {
                       chunk.clear();
                       for (std::size_t i = first; i < last; ++i) {
                         const std::int32_t body = asking_[i];
                         broad_.for_each_overlap(body, [&](std::int32_t other) {
                           const Mover& m = movers[static_cast<std::size_t>(other)];
                           // Of two bodies that both ask, the one with the smaller index names the pair.
                           if (other < body && m.asks) return;
                           const bool in_order = !m.role.moves || body < other;
                           chunk.push_back(in_order ? Pair{body, other} : Pair{other, body});
                         });
                       }
                     });
    for (std::size_t c = 0; c < chunk_count(asking_.size(), kBodiesPerChunk); ++c)
      pairs_.insert(pairs_.end(), chunks_[c].begin(), chunks_[c].end());
    std::sort(pairs_.begin(), pairs_.end());
  }
  index_pairs(movers.size());
  return pairs_;
}

std::span<const std::int32_t> MotionPairs::of(std::int32_t body) const {
  const auto b = static_cast<std::size_t>(body);
  return {entries_.data() + first_[b], static_cast<std::size_t>(first_[b + 1] - first_[b])};
}

void MotionPairs::place(std::span<const Mover> movers, Real end, Real margin) {
  for (std::size_t i = 0; i < movers.size(); ++i) {
    const Motion& motion = movers[i].motion;
    const auto body = static_cast<std::int32_t>(i);
    if (motion.geometry == nullptr) {
      broad_.remove(body);
    } else if (const Plane* plane = std::get_if<Plane>(motion.geometry)) {
      const Placed at = motion.placed(0);
      const Vec3 normal = at.rotation * plane->normal;
      broad_.place_half_space(body, {normal, plane->offset + dot(normal, at.position)}, movers[i].role);
    } else {
      broad_.place(body, swept_bounds(motion, end).swept({}, margin), {}, movers[i].role);
    }
  }
  for (std::size_t i = movers.size(); i < broad_.size(); ++i) broad_.remove(static_cast<std::int32_t>(i));
}

void MotionPairs::index_pairs(std::size_t bodies) {
  first_.assign(bodies + 1, 0);
  for (const Pair& pair : pairs_) {
    ++first_[static_cast<std::size_t>(pair.first) + 1];
    ++first_[static_cast<std::size_t>(pair.second) + 1];
  }
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  entries_.resize(static_cast<std::size_t>(first_.back()));
  next_.assign(first_.begin(), first_.end() - 1);
  for (std::size_t k = 0; k < pairs_.size(); ++k)
    for (const std::int32_t body : {pairs_[k].first, pairs_[k].second})
      entries_[static_cast<std::size_t>(next_[static_cast<std::size_t>(body)]++)] = static_cast<std::int32_t>(k);
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
