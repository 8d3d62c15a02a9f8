#include "dynamics/meetings.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "collision/time_of_impact.h"
#include "dynamics/stops.h"

namespace carom {
namespace {

constexpr std::int32_t kNobody = -1, kSeveral = -2;
constexpr Real kRounding = 1e-12;  // of a rate: solvers hand it back in other units

}  // namespace

void Meetings::find(StepContext& step) {
  waiting_.clear();
  marks_.assign(step.world->bodies.size(), 0);
  find_partners(step);
  // Pairs that touch have had their bounce, and are left to their contacts.
  touching_.assign(step.world->bodies.size(), 0);
  for (const StepContact& c : step.contacts)
    if (c.gap <= step.envelope)
      touching_[static_cast<std::size_t>(c.point.a)] = touching_[static_cast<std::size_t>(c.point.b)] = 1;
  for (const std::int32_t a : step.awake()) {
    const std::int32_t b = partner_[static_cast<std::size_t>(a)];
    if (b <= a || partner_[static_cast<std::size_t>(b)] != a) continue;
    if (touching_[static_cast<std::size_t>(a)] == 0 && touching_[static_cast<std::size_t>(b)] == 0) meet(step, a, b);
  }
  std::ranges::sort(waiting_, {}, &StoppedBody::body);
}

/// Who is near is what detection has found: whatever the bodies may reach within the step, each at its own speed and
/// those of its neighbours.
void Meetings::find_partners(const StepContext& step) {
  const WorldState& world = *step.world;
  partner_.assign(world.bodies.size(), kNobody);
  for (const Manifold& m : step.detector.manifolds()) {
    const bool in_flight = world.at(m.a).is_active() && world.at(m.b).is_active();
    for (const auto& [body, other] : {std::pair{m.a, m.b}, std::pair{m.b, m.a}}) {
      std::int32_t& partner = partner_[static_cast<std::size_t>(body)];
      partner = in_flight && (partner == kNobody || partner == other) ? other : kSeveral;
    }
  }
}

void Meetings::meet(StepContext& step, std::int32_t a, std::int32_t b) {
  const WorldState& world = *step.world;
  const std::int32_t bodies[] = {a, b};
  set_movers(world, bodies, step.rates, step.dt, movers_);
  const Motion &first = movers_[static_cast<std::size_t>(a)].motion,
               &second = movers_[static_cast<std::size_t>(b)].motion;
  const Real tolerance = 0.5 * step.envelope;
  if (!may_meet(first, second, 0, step.dt, tolerance)) return;
  const Impact impact = time_of_impact(first, second, {0, step.dt, 0, tolerance});
  if (!impact.found || impact.at_start) return;
  // Who comes no closer than to touch, as where a step is cut at an impact, goes all the way.
  if (!time_of_impact(first, second, {impact.time, step.dt, -tolerance, tolerance}).found) return;

  const Vec3 together = common_velocity(world.at(a), first.velocity, world.at(b), second.velocity);
  for (const std::int32_t body : bodies) {
    const auto i = static_cast<std::size_t>(body);
    const Motion& m = movers_[i].motion;
    StoppedBody& end = waiting_.emplace_back();
    end.body = body;
    end.position = m.center(impact.time) + (step.dt - impact.time) * together;
    end.orientation = m.pose(impact.time).orientation;
    end.time = end.until = step.dt;
    end.velocity = step.rates.linear[i] = (end.position - world.bodies[i].position) / step.dt;
    end.angular_velocity = step.rates.angular[i] = (impact.time / step.dt) * m.angular_velocity;
    marks_[i] = 1;
  }
  step.kept_apart.emplace_back(a, b);
}

std::span<const StoppedBody> Meetings::waiting(const Velocities& rates) {
  const auto differ = [](const Vec3& now, const Vec3& given) { return norm(now - given) > kRounding * norm(given); };
  std::erase_if(waiting_, [&](const StoppedBody& body) {
    const auto i = static_cast<std::size_t>(body.body);
    return differ(rates.linear[i], body.velocity) || differ(rates.angular[i], body.angular_velocity);
  });
  return waiting_;
}

std::span<const StoppedBody> Meetings::join(std::span<const StoppedBody> stopped) {
  if (waiting_.empty()) return stopped;
  all_.clear();
  std::ranges::set_union(stopped, waiting_, std::back_inserter(all_), {}, &StoppedBody::body, &StoppedBody::body);
  return all_;
}

}  // namespace carom
