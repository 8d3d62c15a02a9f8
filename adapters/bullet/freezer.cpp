#include "freezer.h"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

// As in Carom's own world.
constexpr Real kCarried = 1e-2;               // of the weight: less is no support
constexpr Real kGrowth = 1.5, kNoise = 1e-6;  // energy that grows is on its way, unless it is noise
constexpr Real kCrowd = 0.03;                 // of the threshold, for bodies that others push
constexpr Real kMoved = 3;                    // of ε_c: a support that has moved farther is gone
constexpr Real kPushed = 1e-2;                // of the weight: a force that changes by more revives

Real kinetic_energy(const ProblemBody& body) {
  const Vec3 spin = inverse(body.inverse_inertia) * body.angular_velocity;
  return 0.5 * (squared_norm(body.velocity) / body.inverse_mass + dot(body.angular_velocity, spin));
}

bool stands_still(const ProblemBody& body) {
  if (body.role == BodyRole::Fixed || body.role == BodyRole::Frozen) return true;
  return body.role == BodyRole::Kinematic && body.velocity == Vec3{} && body.angular_velocity == Vec3{};
}

}  // namespace

void BulletFreezer::begin_step() {
  std::erase_if(residents_, [this](const auto& entry) { return entry.second.seen != step_; });
  ++step_;
}

/// The caller has set a pose or a velocity, or pushes otherwise than when it froze. A body at the address of one that
/// was removed is found out by its pose too. Bullet rounds poses anew in every step, also those that stay.
bool BulletFreezer::was_disturbed(const btRigidBody& body, const Resident& resident, Real envelope) {
  const btVector3 zero(0, 0, 0);
  if (body.getLinearVelocity() != zero || body.getAngularVelocity() != zero) return true;
  const btTransform& pose = body.getWorldTransform();
  if ((pose.getOrigin() - resident.pose.getOrigin()).length() > envelope) return true;
  constexpr btScalar kTurned = 1e-3F;
  for (int i = 0; i < 3; ++i)
    if ((pose.getBasis()[i] - resident.pose.getBasis()[i]).length() > kTurned) return true;
  const btScalar little = static_cast<btScalar>(kPushed) * body.getGravity().length() / body.getInvMass();
  return (body.getTotalForce() - resident.force).length() > little ||
         (body.getTotalTorque() - resident.torque).length() > little;
}

void BulletFreezer::look_at_carriers(const BulletGroup& group, Real envelope) {
  const auto note = [&](Resident* resident, const btCollisionObject* object, Real gap) {
    if (resident == nullptr || !resident->frozen || gap > kMoved * envelope) return;
    for (Carrier& carrier : resident->carriers)
      if (carrier.object == object)
        carrier.touches = (object->getWorldTransform().getOrigin() - carrier.origin).length() <= kMoved * envelope;
  };
  for (const GroupContact& contact : group.contacts()) {
    note(here_[static_cast<std::size_t>(contact.point.a)], contact.object_b, contact.gap);
    note(here_[static_cast<std::size_t>(contact.point.b)], contact.object_a, contact.gap);
  }
}

void BulletFreezer::hold_frozen(BulletGroup& group, Real envelope) {
  here_.assign(group.bodies().size(), nullptr);
  for (std::size_t i = 0; i < here_.size(); ++i) {
    if (group.of_bullet(i) == nullptr) continue;
    here_[i] = &residents_[group.of_bullet(i)];
    here_[i]->seen = step_;
    for (Carrier& carrier : here_[i]->carriers) carrier.touches = false;
  }
  look_at_carriers(group, envelope);
  for (std::size_t i = 0; i < here_.size(); ++i) {
    if (here_[i] == nullptr || !here_[i]->frozen) continue;
    const std::vector<Carrier>& carriers = here_[i]->carriers;
    const bool stands = std::all_of(carriers.begin(), carriers.end(), [](const Carrier& c) { return c.touches; });
    if (stands && !was_disturbed(*group.of_bullet(i), *here_[i], envelope)) group.bodies()[i].role = BodyRole::Frozen;
  }
  revive_left_alone(group);
}

void BulletFreezer::revive_left_alone(BulletGroup& group) {
  for (bool again = true; again;) {
    again = false;
    supported_.assign(group.bodies().size(), 0);
    for (const GroupContact& contact : group.contacts()) {
      const auto a = static_cast<std::size_t>(contact.point.a), b = static_cast<std::size_t>(contact.point.b);
      const auto note = [&](std::size_t held, std::size_t holder, const btCollisionObject* object) {
        if (group.bodies()[held].role != BodyRole::Frozen || !stands_still(group.bodies()[holder])) return;
        for (const Carrier& carrier : here_[held]->carriers)
          if (carrier.object == object) supported_[held] = 1;
      };
      note(a, b, contact.object_b);
      note(b, a, contact.object_a);
    }
    for (std::size_t i = 0; i < group.bodies().size(); ++i) {
      if (group.bodies()[i].role == BodyRole::Frozen && supported_[i] == 0) {
        group.bodies()[i].role = BodyRole::Dynamic;
        again = true;
      }
    }
  }
  for (std::size_t i = 0; i < here_.size(); ++i)
    if (here_[i] != nullptr) here_[i]->frozen = group.bodies()[i].role == BodyRole::Frozen;
}

/// A body is supported where fixed or frozen ones carry some of its weight, and in a crowd where others push it.
void BulletFreezer::look_around(const BulletGroup& group) {
  supported_.assign(group.bodies().size(), 0);
  crowded_.assign(group.bodies().size(), 0);
  const Real much = kCarried * group.gravity() * group.dt();
  for (const GroupContact& contact : group.contacts()) {
    const auto a = static_cast<std::size_t>(contact.point.a), b = static_cast<std::size_t>(contact.point.b);
    const ProblemBody &body_a = group.bodies()[a], &body_b = group.bodies()[b];
    const bool holds_a = stands_still(body_b), holds_b = stands_still(body_a);
    const Real push = norm(contact.impulse), lift = -dot(contact.impulse, group.down());
    if (!holds_a && !holds_b) {
      if (push * body_a.inverse_mass > much) crowded_[a] = 1;
      if (push * body_b.inverse_mass > much) crowded_[b] = 1;
    } else if (holds_b && lift * body_b.inverse_mass > much) {
      supported_[b] = 1;
    } else if (holds_a && -lift * body_a.inverse_mass > much) {
      supported_[a] = 1;
    }
  }
}

/// Schmidl and Milenkovic's eq. 15, and what keeps it from freezing what is on its way.
bool BulletFreezer::is_quiet(const BulletGroup& group, std::size_t body) {
  Resident& resident = *here_[body];
  const ProblemBody& state = group.bodies()[body];
  const Real fall = group.gravity() * group.dt();
  const Real threshold = 0.5 * fall * fall / state.inverse_mass, energy = kinetic_energy(state);
  if (resident.quiet == 0) resident.least_energy = energy;
  resident.least_energy = std::min(resident.least_energy, energy);
  if (supported_[body] == 0 || !(energy < threshold)) return false;
  if (crowded_[body] != 0 && !(energy < kCrowd * threshold)) return false;
  return energy <= std::max(kGrowth * resident.least_energy, kNoise * threshold);
}

void BulletFreezer::update(BulletGroup& group) {
  look_around(group);
  const int customary = std::max(30, static_cast<int>(std::ceil(0.5 / group.dt())));
  const int needed = quiet_steps_ > 0 ? quiet_steps_ : customary;
  for (std::size_t i = 0; i < group.bodies().size(); ++i) {
    if (here_[i] == nullptr || group.bodies()[i].role != BodyRole::Dynamic) continue;
    if (!is_quiet(group, i))
      here_[i]->quiet = 0;
    else if (++here_[i]->quiet > needed)
      freeze(group, i);
  }
}

void BulletFreezer::freeze(BulletGroup& group, std::size_t body) {
  Resident& resident = *here_[body];
  const btRigidBody& of_bullet = *group.of_bullet(body);
  resident.frozen = true;
  resident.quiet = 0;
  resident.pose = of_bullet.getWorldTransform();
  resident.force = of_bullet.getTotalForce();
  resident.torque = of_bullet.getTotalTorque();
  resident.carriers.clear();
  for (const GroupContact& contact : group.contacts()) {
    const bool is_b = static_cast<std::size_t>(contact.point.b) == body;
    if (!is_b && static_cast<std::size_t>(contact.point.a) != body) continue;
    const btCollisionObject* carrier = is_b ? contact.object_a : contact.object_b;
    const Real lift = (is_b ? -1 : 1) * dot(contact.impulse, group.down());
    const bool known = std::any_of(resident.carriers.begin(), resident.carriers.end(),
                                   [&](const Carrier& c) { return c.object == carrier; });
    if (lift > 0 && !known) resident.carriers.push_back({carrier, carrier->getWorldTransform().getOrigin()});
  }
  ProblemBody& state = group.bodies()[body];
  state.role = BodyRole::Frozen;
  state.velocity = state.angular_velocity = {};
}

}  // namespace carom
