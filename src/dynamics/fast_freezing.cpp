#include "dynamics/fast_freezing.h"

#include <algorithm>
#include <cmath>

#include "collision/pairs.h"
#include "dynamics/snapshot.h"

namespace carom {

ContactMode FastPatches::mode_of(const Vec3& impulse, const fast::Record& record) {
  constexpr Real kRounding = 1e-5;  // of sliding friction: impulses are sums in single precision
  if (impulse.x <= 0) return ContactMode::Separating;
  const Real tangential = std::sqrt(impulse.y * impulse.y + impulse.z * impulse.z);
  const Real sliding = Real{record.friction} * impulse.x;
  const Real holding = Real{record.static_friction} * impulse.x;
  const bool sticks = std::abs(tangential - sliding) > kRounding * sliding && tangential <= (1 + kRounding) * holding;
  return sticks ? ContactMode::Stick : ContactMode::Slide;
}

/// The step as the freezer sees it.
struct FastFreezing::Step final : RestingStep {
  using Load = std::pair<std::uint64_t, Vec3>;
  std::vector<Load> loads, loads_before;  // by contact id: on frozen bodies
  std::vector<Vec3> before;

  void freeze(std::int32_t index) override {
    Body& body = world->at(index);
    body.velocity = body.angular_velocity = {};
    body.frozen = true;
    world->membership_changed = world->still_bodies_changed = true;
  }
  void revive(std::int32_t index) override {
    Body& body = world->at(index);
    if (!body.frozen) return;
    body.frozen = false;
    world->revived.emplace_back(index,
                                BodyState{body.position, body.orientation, body.velocity, body.angular_velocity});
    world->membership_changed = world->still_bodies_changed = true;
  }
  std::span<const Vec3> last_impulses() override {
    before.assign(contacts.size(), {});
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      const Load wanted{contacts[i].point.id, {}};
      const auto found = std::lower_bound(loads_before.begin(), loads_before.end(), wanted, by_id);
      if (found != loads_before.end() && found->first == wanted.first) before[i] = found->second;
    }
    return before;
  }

  static bool by_id(const Load& a, const Load& b) { return a.first < b.first; }

  void take(const FastPatches& patches);
  void note_loads();
};

/// Contacts with their impulses.
void FastFreezing::Step::take(const FastPatches& patches) {
  contacts.clear();
  impulses.clear();
  patches.for_each([&](std::size_t, const fast::PatchView& patch, const fast::Bounce*, const fast::Record& record) {
    const Real sign = record.base_is_a ? 1 : -1;
    Manifold name;
    name.part = record.part;
    for (std::size_t i = 0; i < record.count; ++i) {
      StepContact& c = contacts.emplace_back();
      c.point.a = record.base_is_a ? record.base : record.probe;
      c.point.b = record.base_is_a ? record.probe : record.base;
      name.points[0].feature = record.features[i];
      c.point.id = contact_id(c.point.a, c.point.b, name.name(0));
      c.point.normal = sign * patch.normal;
      c.position = patch.point(i);
      c.point.ra = c.position - world->at(c.point.a).position;
      c.point.rb = c.position - world->at(c.point.b).position;
      c.gap = patch.gap[i];
      impulses.push_back(sign * patch.world(patch.impulse[i]));
    }
  });
  collision_impulses.assign(contacts.size(), {});
}

void FastFreezing::Step::note_loads() {
  loads.clear();
  for (std::size_t i = 0; i < contacts.size(); ++i)
    if (world->at(contacts[i].point.a).frozen || world->at(contacts[i].point.b).frozen)
      loads.emplace_back(contacts[i].point.id, impulses[i]);
  std::sort(loads.begin(), loads.end(), by_id);
  loads.swap(loads_before);
}

FastFreezing::FastFreezing(const Freezing& settings)
    : settings_(settings), freezer_(settings), step_(std::make_shared<Step>()) {}

void FastFreezing::begin(WorldState& world, Real dt) {
  constexpr Real kEnvelope = 1e-4;  // of the smallest body, as in the other suites
  step_->world = &world;
  step_->dt = step_->whole_dt = dt;
  step_->envelope = kEnvelope * world.smallest_size;
  struck_.clear();
  if (used(world)) freezer_.revive_unsupported(*step_);
}

/// A body gets m u (1 + e) / (m + M) from one of mass m that strikes it with u, if nothing holds it. What has just been
/// revived strikes its neighbours with that.
bool FastFreezing::revive_struck(WorldState& world, Real dt, const FastPatches& patches) {
  const auto drives = [&](std::int32_t body) { return world.at(body).type == BodyType::Kinematic; };
  if (world.frozen_count > 0 || std::any_of(world.awake.begin(), world.awake.end(), drives))
    step_->take(patches);
  else
    step_->contacts.clear();
  const std::size_t revived = world.revived.size();
  freezer_.revive_pushed(*step_);
  const Real least = dt * norm(world.gravity);
  const auto velocity_of = [&](std::int32_t index, const Vec3& arm) {
    const Body& body = world.at(index);
    Vec3 v = body.velocity + cross(body.angular_velocity, arm);
    for (const Struck& s : struck_)
      if (s.body == index) v += s.velocity;
    return v;
  };
  std::vector<Struck> found;
  for (const StepContact& c : step_->contacts) {
    const Body &a = world.at(c.point.a), &b = world.at(c.point.b);
    if (a.frozen == b.frozen || !a.is_dynamic() || !b.is_dynamic()) continue;
    const Vec3 u = velocity_of(c.point.b, c.point.rb) - velocity_of(c.point.a, c.point.ra);
    const Real approach = -dot(c.point.normal, u);
    if (approach <= least || c.gap > dt * approach) continue;
    const Body &frozen = a.frozen ? a : b, &other = a.frozen ? b : a;
    const Real e = world.materials.pair(a.material, b.material).restitution;
    const Real gains = (1 + e) * approach * frozen.inverse_mass / (frozen.inverse_mass + other.inverse_mass);
    if (gains <= least) continue;
    const Vec3 velocity = (a.frozen ? -gains : gains) * c.point.normal;
    found.push_back({a.frozen ? c.point.a : c.point.b, velocity});
  }
  for (const Struck& s : found) {
    if (!world.at(s.body).frozen) continue;
    step_->revive(s.body);
    struck_.push_back(s);
  }
  world.find_awake();
  return world.revived.size() > revived;
}

Vec3 FastFreezing::update(const FastPatches& patches) {
  step_->take(patches);
  freezer_.weigh(*step_);
  step_->note_loads();
  return freezer_.update(*step_);
}

void FastFreezing::list_inactive(const WorldState& world, const BroadPhase& broad,
                                 std::span<const fast::BodyView> views, std::vector<ContactRecord>& records) const {
  std::vector<Manifold> manifolds;
  const auto still = [&](std::int32_t other) {
    const Body& body = world.at(other);
    return body.alive && (body.frozen || body.type == BodyType::Fixed);
  };
  for (std::size_t i = 0; i < views.size() && i < world.bodies.size(); ++i) {
    const Body& body = world.bodies[i];
    if (!body.alive || !body.frozen) continue;
    const auto index = static_cast<std::int32_t>(i);
    std::vector<std::int32_t> others;
    broad.for_each_in(bounds(*views[i].geometry, views[i].origin, views[i].rotation).swept({}, step_->envelope), still,
                      [&](std::int32_t other) { others.push_back(other); });
    std::sort(others.begin(), others.end());
    for (const std::int32_t other : others) {
      const Body& second = world.at(other);
      if (second.frozen && other <= index) continue;
      if ((body.mask & second.category) == 0 || (second.mask & body.category) == 0) continue;
      manifolds.clear();
      collide_all(views[static_cast<std::size_t>(other)].placed(), views[i].placed(), step_->envelope, {}, manifolds);
      for (const Manifold& m : manifolds)
        for (int k = 0; k < m.count; ++k)
          records.push_back({contact_id(other, index, m.name(k)),
                             world.handle(other),
                             world.handle(index),
                             m.points[static_cast<std::size_t>(k)].point,
                             m.normal,
                             m.points[static_cast<std::size_t>(k)].gap,
                             {},
                             {},
                             ContactMode::Inactive});
    }
  }
}

void FastFreezing::save(ByteWriter& out) const {
  freezer_.save(out);
  out.put(static_cast<std::uint64_t>(step_->loads_before.size()));
  for (const auto& [id, impulse] : step_->loads_before) {
    out.put(id);
    put(out, impulse);
  }
}

bool FastFreezing::restore(ByteReader& in, std::size_t bodies) {
  if (!freezer_.restore(in, bodies)) return false;
  const auto count = in.get<std::uint64_t>();
  if (!in.fits(count, sizeof(std::uint64_t) + 3 * sizeof(Real))) return false;
  step_->loads_before.resize(count);
  for (auto& [id, impulse] : step_->loads_before) {
    id = in.get<std::uint64_t>();
    impulse = get_vec3(in);
  }
  return in.ok() && in.at_end();
}

}  // namespace carom
