#include "dynamics/near_pairs.h"

#include <algorithm>
#include <tuple>
#include <variant>

#include "geometry/bounds.h"

namespace carom {
namespace {

bool in_order(const NearPair& p, const NearPair& q) { return std::tie(p.a, p.b) < std::tie(q.a, q.b); }

PairRole role_of(const Body& body) {
  return {body.type != BodyType::Fixed, body.is_dynamic(), body.category, body.mask, body.frozen};
}

}  // namespace

void NearPairs::place_still(const WorldState& world, std::span<const std::int32_t> awake) {
  flies_.assign(world.bodies.size(), 0);
  for (const std::int32_t body : awake) flies_[static_cast<std::size_t>(body)] = 1;
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

template <class Visit>
void NearPairs::for_each_near(std::int32_t body, const Aabb& box, Visit&& visit) const {
  const PairRole& role = roles_[static_cast<std::size_t>(body)];
  const auto consider = [&](std::int32_t other) {
    if (other != body && may_pair(role, roles_[static_cast<std::size_t>(other)])) visit(other);
  };
  flying_.query(box, consider);
  for_each_still(box, consider);
}

void NearPairs::begin(const WorldState& world, std::span<const std::int32_t> awake, std::span<const Aabb> boxes,
                      Real floor) {
  if (world.still_bodies_changed || flies_.size() != world.bodies.size()) place_still(world, awake);
  roles_.resize(world.bodies.size());
  std::transform(world.bodies.begin(), world.bodies.end(), roles_.begin(), role_of);
  items_.clear();
  for (const std::int32_t body : awake) items_.push_back({boxes[static_cast<std::size_t>(body)], body});
  leaves_.assign(world.bodies.size(), Bvh::kNone);
  flying_.build(items_, leaves_);

  sort();
  std::swap(pairs_, before_);
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
  pairs_.assign(keys_.size(), {});
  sorted_ = pairs_.size();
  auto old = before_.begin();
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    NearPair& pair = pairs_[i];
    pair.a = keys_[i].first;
    pair.b = keys_[i].second;
    pair.floor = floor;
    while (old != before_.end() && in_order(*old, pair)) ++old;
    if (old == before_.end() || in_order(pair, *old)) continue;
    pair.floor = old->floor;
    pair.struck_gap = old->struck_gap;
    pair.struck_time = old->struck_time;
    pair.parting = old->parting;
    pair.micro = old->micro;
  }
  index();
}

void NearPairs::index() {
  of_.resize(flies_.size());
  for (std::vector<Neighbour>& list : of_) list.clear();
  for (std::size_t i = 0; i < pairs_.size(); ++i) introduce(static_cast<std::int32_t>(i));
}

void NearPairs::introduce(std::int32_t index) {
  const NearPair& pair = pairs_[static_cast<std::size_t>(index)];
  if (flies_[static_cast<std::size_t>(pair.a)] != 0) of_[static_cast<std::size_t>(pair.a)].push_back({pair.b, index});
  if (flies_[static_cast<std::size_t>(pair.b)] != 0) of_[static_cast<std::size_t>(pair.b)].push_back({pair.a, index});
}

bool NearPairs::contains(std::int32_t body, const Aabb& box) const {
  return flying_.box(leaves_[static_cast<std::size_t>(body)]).contains(box);
}

void NearPairs::change_box(std::int32_t body, const Aabb& box, Real floor) {
  const auto slot = static_cast<std::size_t>(body);
  flying_.change(leaves_[slot], box);
  for_each_near(body, box, [&](std::int32_t other) {
    const bool known =
        std::any_of(of_[slot].begin(), of_[slot].end(), [&](const Neighbour& near) { return near.body == other; });
    if (known) return;
    NearPair pair;
    pair.a = std::min(body, other);
    pair.b = std::max(body, other);
    pair.floor = floor;
    pairs_.push_back(pair);
    introduce(static_cast<std::int32_t>(pairs_.size()) - 1);
  });
}

void NearPairs::sort() {
  const auto middle = pairs_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  std::sort(middle, pairs_.end(), in_order);
  std::inplace_merge(pairs_.begin(), middle, pairs_.end(), in_order);
  sorted_ = pairs_.size();
}

}  // namespace carom
