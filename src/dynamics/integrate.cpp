#include "dynamics/integrate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <variant>

#include "dynamics/free_turn.h"
#include "math/symmetric.h"
#include "math/trig.h"

namespace carom {
namespace {

struct Twist {
  Vec3 linear, angular;
};

Real pairing(const Twist& a, const Twist& b) { return dot(a.linear, b.linear) + dot(a.angular, b.angular); }

void subtract(Twist& a, Real s, const Twist& b) {
  a.linear -= s * b.linear;
  a.angular -= s * b.angular;
}

/// Gives a body's velocity what is wanted along given axes at its contacts, by a change that is orthogonal to the rest
/// in the metric of its mass: Gram–Schmidt on the rows J and their images M⁻¹ Jᵀ side by side.
class TangentProjection {
 public:
  TangentProjection(Real inverse_mass, const Mat3& inverse_inertia)
      : inverse_mass_(inverse_mass), inverse_inertia_(inverse_inertia) {}

  /// `axis` is a unit vector at the contact, `arm` goes from the centre of mass to it.
  void set(const Vec3& axis, const Vec3& arm, Real wanted, Twist& velocity) {
    if (rank_ == 6) return;
    Twist row{axis, cross(arm, axis)};
    Twist image{inverse_mass_ * axis, inverse_inertia_ * row.angular};
    const Real before = pairing(row, image);
    for (std::size_t k = 0; k < rank_; ++k) {
      const Real overlap = pairing(rows_[k], image);
      subtract(row, overlap, rows_[k]);
      subtract(image, overlap, images_[k]);
      wanted -= overlap * wanted_[k];
    }
    const Real left = pairing(row, image);
    constexpr Real kDependent = 1e-8;  // squared sine of the angle to the span of the others
    if (!(left > kDependent * before)) return;
    const Real scale = 1 / std::sqrt(left);
    rows_[rank_] = {scale * row.linear, scale * row.angular};
    images_[rank_] = {scale * image.linear, scale * image.angular};
    wanted_[rank_] = scale * wanted;
    subtract(velocity, pairing(rows_[rank_], velocity) - wanted_[rank_], images_[rank_]);
    ++rank_;
  }

 private:
  Real inverse_mass_;
  const Mat3& inverse_inertia_;
  std::array<Twist, 6> rows_, images_;
  std::array<Real, 6> wanted_{};
  std::size_t rank_ = 0;
};

}  // namespace

void take_rates(const WorldState& world, Velocities& rates) {
  rates.linear.assign(world.bodies.size(), {});
  rates.angular.assign(world.bodies.size(), {});
  for (const std::int32_t index : world.awake) {
    rates.linear[static_cast<std::size_t>(index)] = world.at(index).velocity;
    rates.angular[static_cast<std::size_t>(index)] = world.at(index).angular_velocity;
  }
}

void copy_awake(const WorldState& world, const Velocities& from, Velocities& to) {
  to.linear.resize(world.bodies.size());
  to.angular.resize(world.bodies.size());
  for (const std::int32_t index : world.awake) {
    const auto i = static_cast<std::size_t>(index);
    to.linear[i] = from.linear[i];
    to.angular[i] = from.angular[i];
  }
}

void DisplacementRates::gather_active(const WorldState& world, std::span<const StepContact> contacts,
                                      std::span<const Vec3> impulses) {
  const auto active = [&](std::size_t i) {
    return !contacts[i].fast && dot(impulses[i], contacts[i].point.normal) > 0;
  };
  first_.assign(world.bodies.size() + 1, 0);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (!active(i)) continue;
    ++first_[static_cast<std::size_t>(contacts[i].point.a) + 1];
    ++first_[static_cast<std::size_t>(contacts[i].point.b) + 1];
  }
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  entries_.resize(static_cast<std::size_t>(first_.back()));
  std::vector<std::int32_t> next(first_.begin(), first_.end() - 1);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (!active(i)) continue;
    for (const std::int32_t body : {contacts[i].point.a, contacts[i].point.b})
      entries_[static_cast<std::size_t>(next[static_cast<std::size_t>(body)]++)] = static_cast<std::int32_t>(i);
  }
}

/// A body is lifted where a contact carries an impulse and is faster than it was asked to be.
bool DisplacementRates::is_lifted(const WorldState& world, std::span<const StepContact> contacts, std::int32_t body,
                                  Real dt, Real envelope) const {
  constexpr Real kStill = 1e-4;  // of what gravity adds in a step
  const Real still = kStill * dt * norm(world.gravity);
  const auto i = static_cast<std::size_t>(body);
  return std::any_of(entries_.begin() + first_[i], entries_.begin() + first_[i + 1], [&](std::int32_t active) {
    const StepContact& c = contacts[static_cast<std::size_t>(active)];
    const Real wanted = c.gap > envelope ? c.gap / dt : 0;
    return wanted - approach(world, c) - c.turning.x > still;
  });
}

/// Where contacts push a body: the part of a change of angular velocity that changes how fast the body spins, not
/// what about: the turn follows the angular momentum (`turn_of`), and what is sideways to that would turn a top's axis
/// away from it.
Vec3 along_spin(const Body& body, const Vec3& change) {
  if (!body.is_active()) return change;
  const Vec3 spin = body.inertia() * body.angular_velocity;
  const Real length2 = squared_norm(spin);
  return length2 > 0 ? dot(change, spin) / length2 * spin : change;
}

/// Others may have held the body against forces, by friction, where its contacts would let it move. What they have
/// taken is not there to be taken back: half a step of gravity would creep up the slope that it sticks to.
void DisplacementRates::limit_to_change(const WorldState& world, std::int32_t index, Velocities& rates) const {
  const auto i = static_cast<std::size_t>(index);
  if (shoved_[i] == 0) return;
  const Body& body = world.at(index);
  const Twist momentum{rates.linear[i] / body.inverse_mass, body.inertia() * rates.angular[i]};
  const Real wanted = pairing(momentum, {rates.linear[i], rates.angular[i]});
  const Real there = pairing(momentum, {change_.linear[i], change_.angular[i]});
  if (there >= wanted) return;
  rates.linear[i] = std::max(there, 0.0) / wanted * rates.linear[i];
  rates.angular[i] = std::max(there, 0.0) / wanted * rates.angular[i];
}

/// A slider that comes to rest in the step. For a part s of it friction is at its limit, μ j_n against the slip u; then
/// it holds the body against forces. That the two make up the impulse that it lost its speed by, taken along the speed
/// c, gives s = c·M c / (Σ μ j_n |u| − c·M gained); on its way to rest its mean speed is c/2.
void DisplacementRates::add_last_slide(const WorldState& world, std::span<const StepContact> contacts,
                                       std::span<const Vec3> impulses, const Velocities& gained, std::int32_t index,
                                       Velocities& rates) const {
  constexpr Real kAtRest = 1e-6;  // squared: of the speed before
  const auto i = static_cast<std::size_t>(index);
  const Body& body = world.at(index);
  if (!body.is_active() || pushed_[i] == 0 || shoved_[i] != 0) return;
  const auto energy = [&](const Vec3& v, const Vec3& w) {
    return squared_norm(v) / body.inverse_mass + dot(w, body.inertia() * w);
  };
  if (energy(body.velocity, body.angular_velocity) > kAtRest * energy(whole_.linear[i], whole_.angular[i])) return;
  Twist c{whole_.linear[i], whole_.angular[i]};
  TangentProjection projection(body.inverse_mass, body.inverse_inertia);
  const auto each_active = [&](auto&& visit) {
    for (std::int32_t k = first_[i]; k < first_[i + 1]; ++k) {
      const auto active = static_cast<std::size_t>(entries_[static_cast<std::size_t>(k)]);
      const ContactPoint& contact = contacts[active].point;
      visit(contact, contact.b == index ? contact.rb : contact.ra, impulses[active]);
    }
  };
  bool held = true;
  // Corners may pull against each other once the slider rests, so one may be at its limit without slipping.
  each_active([&](const ContactPoint& contact, const Vec3& arm, const Vec3&) {
    held = held && world.at(contact.a == index ? contact.b : contact.a).stands_still();
    projection.set(contact.normal, arm, 0, c);
  });
  if (!held) return;
  const Vec3 momentum = c.linear / body.inverse_mass, spin = body.inertia() * c.angular;
  Real taken = -dot(momentum, gained.linear[i]) - dot(spin, gained.angular[i]);
  each_active([&](const ContactPoint& contact, const Vec3& arm, const Vec3& impulse) {
    const Vec3 slip = c.linear + cross(c.angular, arm);
    const Vec3 across = slip - dot(slip, contact.normal) * contact.normal;
    taken += contact.mu * dot(impulse, contact.normal) * norm(across);
  });
  const Real speed2 = energy(c.linear, c.angular);
  if (!(taken > 0)) return;
  const Real part = std::min(speed2 / taken, 1.0);
  rates.linear[i] += part * c.linear;
  rates.angular[i] += part * c.angular;
}

/// Finds who is in flight together, and takes from their c what they have in common.
void DisplacementRates::take_common(const WorldState& world, std::span<const StepContact> contacts,
                                    std::span<const Vec3> impulses, Velocities& rates) {
  groups_.reset(world.awake, world.bodies.size());
  together_.resize(world.bodies.size());
  for (const std::int32_t index : world.awake) together_[static_cast<std::size_t>(index)] = {};
  const auto each_pair = [&](auto&& visit) {
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      const ContactPoint& c = contacts[i].point;
      const bool a_moves = world.at(c.a).is_active(), b_moves = world.at(c.b).is_active();
      if (impulses[i] != Vec3{} && (a_moves || b_moves)) visit(a_moves ? c.a : c.b, c.b, a_moves && b_moves);
    }
  };
  each_pair([&](std::int32_t body, std::int32_t other, bool both) {
    if (both) groups_.join(body, other);
  });
  each_pair([&](std::int32_t body, std::int32_t, bool both) { (both ? group(body).shares : group(body).held) = true; });
  const auto each_flying = [&](auto&& visit) {
    for (const std::int32_t index : world.awake)
      if (world.at(index).is_active() && group(index).flies()) visit(index, group(index));
  };
  each_flying([&](std::int32_t index, Together& all) {
    const Real mass = 1 / world.at(index).inverse_mass;
    all.mass += mass;
    all.common += mass * rates.linear[static_cast<std::size_t>(index)];
  });
  for (const std::int32_t index : world.awake)
    if (Together& all = together_[static_cast<std::size_t>(index)]; all.mass > 0) all.common = all.common / all.mass;
  each_flying([&](std::int32_t index, const Together& all) {
    rates.linear[static_cast<std::size_t>(index)] -= all.common;
    change_.linear[static_cast<std::size_t>(index)] -= all.common;
  });
}

void DisplacementRates::compute(const WorldState& world, std::span<const StepContact> contacts,
                                std::span<const Vec3> impulses, const Velocities& gained, std::span<const char> midway,
                                Real dt, Real envelope, Velocities& rates) {
  pushed_.assign(world.bodies.size(), 0);
  shoved_.assign(world.bodies.size(), 0);
  const std::size_t n = world.bodies.size();
  rates.linear.assign(n, {});
  rates.angular.assign(n, {});
  gather_active(world, contacts, impulses);
  change_.linear.resize(n);
  change_.angular.resize(n);
  for (const std::int32_t index : world.awake)
    change_.linear[static_cast<std::size_t>(index)] = change_.angular[static_cast<std::size_t>(index)] = {};

  // Impulses of bodies that do not move, summed in `rates` for the time being; those of others in `change_`.
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ContactPoint& c = contacts[i].point;
    const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
    const bool a_moves = world.bodies[a].is_active(), b_moves = world.bodies[b].is_active();
    if (a_moves && b_moves) {
      change_.linear[a] -= impulses[i];
      change_.angular[a] -= cross(c.ra, impulses[i]);
      change_.linear[b] += impulses[i];
      change_.angular[b] += cross(c.rb, impulses[i]);
    }
    if (a_moves == b_moves) continue;
    const std::size_t body = b_moves ? b : a;
    const Vec3 j = b_moves ? impulses[i] : -impulses[i];
    rates.linear[body] += j;
    rates.angular[body] += cross(b_moves ? c.rb : c.ra, j);
  }

  for (const std::int32_t index : world.awake) {
    const Body& body = world.at(index);
    const auto i = static_cast<std::size_t>(index);
    if (!body.is_active()) {
      rates.linear[i] = rates.angular[i] = {};
      continue;
    }
    pushed_[i] = rates.linear[i] != Vec3{} ? 1 : 0;
    rates.linear[i] = -(gained.linear[i] + body.inverse_mass * rates.linear[i]);
    rates.angular[i] = -(gained.angular[i] + body.inverse_inertia * rates.angular[i]);
    shoved_[i] = change_.linear[i] != Vec3{} ? 1 : 0;
    if (shoved_[i] == 0) continue;
    change_.linear[i] = rates.linear[i] - body.inverse_mass * change_.linear[i];
    change_.angular[i] = rates.angular[i] - body.inverse_inertia * change_.angular[i];
  }
  copy_awake(world, rates, whole_);
  take_common(world, contacts, impulses, rates);
  // Along contacts the rates are v⁺ alone, less what it has there to be right at the end of the step.
  set_along_contacts(world, contacts, impulses, -2, rates);
  for (const std::int32_t index : world.awake) {
    const auto i = static_cast<std::size_t>(index);
    const Body& body = world.at(index);
    const bool flies = body.is_active() && group(index).flies();
    limit_to_change(world, index, rates);
    add_last_slide(world, contacts, impulses, gained, index, rates);
    // Methods that lift sliders give just the energy that they may: half a step of gravity on top would be too much,
    // and half of the way of the force that pays for the lift too little.
    const bool against_forces = dot(rates.linear[i], gained.linear[i]) < 0;
    if (!flies && against_forces && is_lifted(world, contacts, index, dt, envelope))
      rates.linear[i] = rates.angular[i] = {};
    if (flies) rates.linear[i] += group(index).common;
    rates.linear[i] = body.velocity + 0.5 * rates.linear[i];
    const bool turns_at_once = pushed_[i] != 0 && midway[i] == 0;
    rates.angular[i] =
        body.angular_velocity + 0.5 * (turns_at_once ? along_spin(body, rates.angular[i]) : rates.angular[i]);
  }
}

void DisplacementRates::project(const WorldState& world, std::span<const StepContact> contacts,
                                std::span<const Vec3> impulses, Velocities& change) const {
  set_along_contacts(world, contacts, impulses, 0, change);
}

/// `turnings` says how much of them is wanted along active contacts.
void DisplacementRates::set_along_contacts(const WorldState& world, std::span<const StepContact> contacts,
                                           std::span<const Vec3> impulses, Real turnings, Velocities& change) const {
  for (const std::int32_t index : world.awake) {
    const Body& body = world.at(index);
    const auto i = static_cast<std::size_t>(index);
    if (!body.is_active() || first_[i] == first_[i + 1]) continue;
    Twist c{change.linear[i], change.angular[i]};
    const auto size = [&](const Twist& t) { return norm(t.linear) + norm(t.angular) * body.radius; };
    Real asked = size(c);
    // Turning a ball does nothing to its gaps that moving it does not do, and would move a top's axis.
    const bool ball = std::holds_alternative<Sphere>(body.shape->geometry());
    const Mat3 inverse_inertia = ball ? Mat3{} : body.inverse_inertia;
    TangentProjection projection(body.inverse_mass, inverse_inertia);
    for (std::int32_t k = first_[i]; k < first_[i + 1]; ++k) {
      const auto active = static_cast<std::size_t>(entries_[static_cast<std::size_t>(k)]);
      const ContactPoint& contact = contacts[active].point;
      const bool is_b = contact.b == index;
      const Vec3& arm = is_b ? contact.rb : contact.ra;
      const StepContact& at = contacts[active];
      const Vec3 wanted = (is_b ? turnings : -turnings) * (at.turning + Vec3{at.closing, 0, 0});
      asked = std::max(asked, norm(wanted));
      projection.set(contact.normal, arm, wanted.x, c);
      if (!sticks(contact, impulses[active])) continue;
      projection.set(contact.tangent, arm, wanted.y, c);
      projection.set(contact.second_tangent(), arm, wanted.z, c);
    }
    // Axes that are nearly in line and want different things ask for what no motion of that size can give.
    if (size(c) > kLeap * asked) continue;
    change.linear[i] = c.linear;
    change.angular[i] = c.angular;
  }
}

namespace {

/// Whether its moments of inertia are all the same, so that it keeps its angular velocity.
bool turns_evenly(const Body& body) {
  constexpr Real kSame = 1e-12;
  const Mat3& m = body.inverse_inertia_local;
  const Real most = kSame * std::abs(m(0, 0));
  return std::abs(m(1, 1) - m(0, 0)) <= most && std::abs(m(2, 2) - m(0, 0)) <= most &&
         std::max({std::abs(m(0, 1)), std::abs(m(0, 2)), std::abs(m(1, 2))}) <= most;
}

/// At least the difference of the largest and the smallest principal moment, and at most 1.5 times that.
Real spread(const Mat3& a) {
  const Mat3 rest = a + (-a.trace() / 3) * Mat3::identity();
  Real sum = 0;
  for (int i = 0; i < 3; ++i) sum += squared_norm(rest.column(i));
  return std::sqrt(2 * sum);
}

/// Of the turns that lead to the same place, by whole turns more or less about the same axis, the one most like
/// another.
Vec3 turn_like(const Vec3& other, const Vec3& turn) {
  constexpr Real kWhole = 2 * std::numbers::pi;
  const Real angle = norm(turn);
  if (angle == 0) return turn;
  const Real more = std::round((dot(other, turn) / angle - angle) / kWhole);
  return (1 + kWhole * more / angle) * turn;
}

}  // namespace

Vec3 turn_of(const Body& body, const Vec3& rate, Real dt) {
  if (!body.is_dynamic() || (rate == Vec3{} && body.angular_velocity == Vec3{})) return dt * rate;
  constexpr int kLooks = 3;
  constexpr Real kMostOff = 0.25;
  const Vec3 spin = body.inertia() * body.angular_velocity;
  const Vec3 more = rate - body.angular_velocity;
  // The angular velocity half way, found from the angular momentum, which is kept, by looking again. What one look is
  // off by, the next is off by at most this share of it. Of a thin rod it is no share but a multiple. And what turns by
  // itself is to keep its energy.
  const bool by_itself = rate == body.angular_velocity && !turns_evenly(body);
  if (by_itself || 0.5 * dt * norm(spin) * spread(body.inverse_inertia_local) > kMostOff)
    return turn_like(dt * body.angular_velocity, turn_between(body.orientation, orientation_in_flight(body, dt))) +
           dt * more;
  Vec3 midway = body.angular_velocity;
  for (int look = 0; look < kLooks; ++look) {
    const Mat3 half = to_matrix(rotation(0.5 * dt * (midway + more)) * body.orientation);
    midway = rotated(half, body.inverse_inertia_local) * spin;
  }
  return dt * (midway + more);
}

const TurnByHalves* find_turn(std::span<const TurnByHalves> halves, std::int32_t body) {
  const auto found = std::lower_bound(halves.begin(), halves.end(), body,
                                      [](const TurnByHalves& turn, std::int32_t index) { return turn.body < index; });
  return found != halves.end() && found->body == body ? &*found : nullptr;
}

Quat orientation_after(const TurnByHalves& turn, const Vec3& rate, Real dt) {
  return rotation(dt * (rate - turn.rate)) * turn.orientation;
}

void integrate_positions(WorldState& world, const Velocities& rates, Real dt, std::span<const TurnByHalves> halves,
                         std::span<const StoppedBody> stopped, std::span<const char> limited) {
  std::size_t next = 0;
  const auto turned = [&](const Body& body, std::int32_t index, const Vec3& rate) {
    if (const TurnByHalves* half = find_turn(halves, index)) return orientation_after(*half, rate, dt);
    if (body.is_dynamic() && rate == body.angular_velocity && !turns_evenly(body))
      return orientation_in_flight(body, dt);
    return rotation(turn_of(body, rate, dt)) * body.orientation;
  };
  for (const std::int32_t index : world.awake) {
    Body& body = world.at(index);
    const auto i = static_cast<std::size_t>(index);
    const bool stops = next < stopped.size() && stopped[next].body == index;
    body.position = stops ? stopped[next].position : body.position + dt * rates.linear[i];
    const Vec3& rate = rates.angular[i];
    if (!stops && rate == Vec3{} && body.angular_velocity == Vec3{}) continue;
    const Vec3 spin = body.inertia() * body.angular_velocity;
    const Real before = dot(spin, body.angular_velocity);
    body.orientation = normalized(stops ? stopped[next].orientation : turned(body, index, rate));
    if (stops) ++next;
    body.refresh();
    if (body.type != BodyType::Dynamic) continue;
    body.angular_velocity = body.inverse_inertia * spin;
    const Real after = dot(spin, body.angular_velocity);
    if (!limited.empty() && limited[i] != 0 && after > before)
      body.angular_velocity = std::sqrt(before / after) * body.angular_velocity;
  }
}

}  // namespace carom
