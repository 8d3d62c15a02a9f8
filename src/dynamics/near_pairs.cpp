#include "dynamics/near_pairs.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <variant>

#include "dynamics/snapshot.h"
#include "geometry/bounds.h"

namespace carom {
namespace {

bool in_order(const NearPair& p, const NearPair& q) { return std::tie(p.a, p.b) < std::tie(q.a, q.b); }

PairRole role_of(const Body& body) {
  return {body.type != BodyType::Fixed, body.is_dynamic(), body.category, body.mask, body.frozen};
}

}  // namespace

void NearPairs::take_bodies(const WorldState& world, std::span<const std::int32_t> awake) {
  flies_.assign(world.bodies.size(), 0);
  for (const std::int32_t body : awake) flies_[static_cast<std::size_t>(body)] = 1;
  roles_.resize(world.bodies.size());
  std::transform(world.bodies.begin(), world.bodies.end(), roles_.begin(), role_of);
  items_.clear();
  planes_.clear();
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    const Body& body = world.bodies[i];
    if (!body.alive || flies_[i] != 0) continue;
    if (const Plane* plane = std::get_if<Plane>(&body.shape->geometry())) {
      const Vec3 normal = body.rotation * plane->normal;
      planes_.push_back({static_cast<std::int32_t>(i), {normal, plane->offset + dot(normal, body.shape_position())}});
    } else {
      items_.push_back(
          {bounds(body.shape->geometry(), body.shape_position(), body.rotation), static_cast<std::int32_t>(i)});
    }
  }
  still_leaves_.assign(world.bodies.size(), Bvh::kNone);
  still_.build(items_, still_leaves_);
}

template <class Visit>
void NearPairs::for_each_still(const Aabb& box, Visit&& visit) const {
  still_.query(box, visit);
  for (const auto& [plane, half_space] : planes_)
    if (half_space.touches(box)) visit(plane);
}

void NearPairs::begin(const WorldState& world, std::span<const std::int32_t> awake, std::span<const Aabb> boxes,
                      Real floor) {
  if (world.still_bodies_changed || flies_.size() != world.bodies.size()) take_bodies(world, awake);
  leaves_.assign(world.bodies.size(), WideTree::kNone);
  flying_.build(awake, boxes, leaves_);

  remember(before_);
  keys_.clear();
  const auto name = [&](std::int32_t body, std::int32_t other) {
    if (may_pair(roles_[static_cast<std::size_t>(body)], roles_[static_cast<std::size_t>(other)]))
      keys_.emplace_back(std::min(body, other), std::max(body, other));
  };
  flying_.for_each_pair(name);
  for (const std::int32_t body : awake)
    for_each_still(boxes[static_cast<std::size_t>(body)], [&](std::int32_t other) { name(body, other); });
  // Names alone are sorted: what is known of a pair is thirty times as large.
  std::sort(keys_.begin(), keys_.end());
  pairs_.clear();
  auto old = before_.begin();
  for (const auto& [a, b] : keys_) {
    NearPair& pair = pairs_.emplace_back();
    pair.a = a;
    pair.b = b;
    pair.floor = floor;
    while (old != before_.end() && in_order(*old, pair)) ++old;
    if (old == before_.end() || in_order(pair, *old)) continue;
    pair.floor = old->floor;
    pair.struck_gap = old->struck_gap;
    pair.struck_time = old->struck_time;
    pair.parting = old->parting;
    pair.micro = old->micro;
  }
  floor_ = floor;
  index();
}

void NearPairs::remember(std::vector<NearPair>& out) const {
  out.clear();
  std::copy_if(pairs_.begin(), pairs_.end(), std::back_inserter(out),
               [&](const NearPair& pair) { return pair.remembers(floor_); });
  std::sort(out.begin(), out.end(), in_order);
}

void NearPairs::index() {
  of_.assign(flies_.size(), {});
  spilled_count_ = 0;
  for (std::size_t i = 0; i < pairs_.size(); ++i) introduce(static_cast<std::int32_t>(i));
}

void NearPairs::introduce(std::int32_t index) {
  const NearPair& pair = pairs_[static_cast<std::size_t>(index)];
  if (flies_[static_cast<std::size_t>(pair.a)] != 0) add(pair.a, {pair.b, index});
  if (flies_[static_cast<std::size_t>(pair.b)] != 0) add(pair.b, {pair.a, index});
}

void NearPairs::add(std::int32_t body, const Neighbour& near) {
  Neighbours& list = of_[static_cast<std::size_t>(body)];
  if (list.spilled != kNotSpilled) {
    spilled_[static_cast<std::size_t>(list.spilled)].push_back(near);
  } else if (static_cast<std::size_t>(list.count) < list.first.size()) {
    list.first[static_cast<std::size_t>(list.count++)] = near;
  } else {
    list.spilled = static_cast<std::int32_t>(spilled_count_);
    if (spilled_count_ == spilled_.size()) spilled_.emplace_back();
    std::vector<Neighbour>& all = spilled_[spilled_count_++];
    all.assign(list.first.begin(), list.first.end());
    all.push_back(near);
  }
}

bool NearPairs::contains(std::int32_t body, const Aabb& box) const {
  return flying_.contains(leaves_[static_cast<std::size_t>(body)], box);
}

void NearPairs::change_box(std::int32_t body, const Aabb& box, Real floor) {
  const auto slot = static_cast<std::size_t>(body);
  flying_.change(leaves_[slot], box);
  const PairRole role = roles_[slot];
  const auto consider = [&](std::int32_t other) {
    if (other == body) return;
    // Most are known already: their list is at hand, the other's role is not.
    for (const Neighbour& near : of(body))
      if (near.body == other) return;
    if (!may_pair(role, roles_[static_cast<std::size_t>(other)])) return;
    NearPair pair;
    pair.a = std::min(body, other);
    pair.b = std::max(body, other);
    pair.floor = floor;
    pairs_.push_back(pair);
    introduce(static_cast<std::int32_t>(pairs_.size()) - 1);
  };
  flying_.query(box, consider);
  for_each_still(box, consider);
}

void NearPairs::save(ByteWriter& out) const {
  std::vector<NearPair> kept;
  remember(kept);
  out.put(static_cast<std::uint64_t>(kept.size()));
  for (const NearPair& pair : kept) {
    out.put(pair.a);
    out.put(pair.b);
    for (const Real value : {pair.floor, pair.struck_gap, pair.struck_time}) out.put(value);
    put(out, pair.parting);
    out.put(pair.micro);
  }
}

bool NearPairs::restore(ByteReader& in, const WorldState& world) {
  const auto count = in.get<std::uint64_t>();
  if (!in.fits(count, 3 * sizeof(std::int32_t) + 6 * sizeof(Real))) return false;
  const auto valid = [&](std::int32_t body) {
    return body >= 0 && static_cast<std::size_t>(body) < world.bodies.size();
  };
  std::vector<NearPair> pairs(count);
  for (NearPair& pair : pairs) {
    pair.a = in.get<std::int32_t>();
    pair.b = in.get<std::int32_t>();
    for (Real* value : {&pair.floor, &pair.struck_gap, &pair.struck_time}) *value = in.get<Real>();
    pair.parting = get_vec3(in);
    pair.micro = in.get<std::int32_t>();
    if (!valid(pair.a) || !valid(pair.b)) in.fail();
  }
  if (!in.ok()) return false;
  pairs_ = std::move(pairs);
  return true;
}

}  // namespace carom
