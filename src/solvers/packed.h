// A contact problem packed for sweeps with friction: all that a visit to a contact reads in one place, in visiting
// order.
#pragma once

#include <span>
#include <vector>

#include "carom/contact/problem.h"
#include "carom/contact/solution.h"
#include "solvers/scaled.h"
#include "solvers/schedule.h"

namespace carom {

/// Normal and tangents are those of the contact's group.
struct PackedContact {
  Vec3 angular_a[3];  // −S_aᵀ (r_a × axis)
  Vec3 angular_b[3];  // S_bᵀ (r_b × axis)
  Vec3 bias;          // what kinematic bodies add to the contact's velocity, less its target
  Real mu_static = 0;
  Mat3 w_inverse;  // of w; zero where that is singular
  Mat3 w;          // diagonal block of the Delassus operator
  Real mu = 0;
  Real tangent_step = 0;  // 1 / largest eigenvalue of the tangential part of w
  Real restitution = 0;
};

/// What a group's contacts share.
struct PackedGroup {
  Vec3 axis[3];                           // normal and tangents
  Real root_mass_a = 0, root_mass_b = 0;  // √(1/m); zero for what takes no impulses
};

class PackedProblem {
 public:
  void pack(const ContactProblem& problem, std::span<const Vec3> warm_impulses, ThreadPool* threads);
  /// Adds Newton's restitution to the targets: contacts that collide at the problem's velocities are to leave at −e v⁻.
  void aim_at_restitution(const ContactProblem& problem, Real resting_speed);
  /// Packs a group again after roles in the problem or scales of its bodies have changed, and aims it again.
  void pack_group(const ContactProblem& problem, std::size_t group);
  void aim_group(const ContactProblem& problem, Real resting_speed, std::size_t group);
  /// The bodies' velocities anew from the impulses: acceleration carries them along, and rounding adds up.
  void refresh_velocities(const ContactProblem& problem);
  /// Impulses into contact order and world axes; velocities recomputed from them.
  void unpack(const ContactProblem& problem, ContactSolution& solution) const;

  Schedule schedule;
  ScaledBodies bodies;
  std::vector<PackedGroup> groups;      // as in the schedule
  std::vector<PackedContact> contacts;  // in scheduled order, as are the impulses
  std::vector<Vec3> impulses;           // in each contact's frame

 private:
  void apply_impulses();
};

/// A pair of bodies while its contacts are worked on. The linear part is kept as the relative velocity in the contacts'
/// common frame, so that a contact costs its angular rows alone.
class PairVelocity {
 public:
  PairVelocity(const PackedProblem& packed, std::size_t group)
      : bodies_(packed.schedule.groups()[group]),
        shared_(packed.groups[group]),
        inverse_mass_(shared_.root_mass_a * shared_.root_mass_a + shared_.root_mass_b * shared_.root_mass_b) {
    const ScaledVelocity& a = packed.bodies.velocities[static_cast<std::size_t>(bodies_.a)];
    const ScaledVelocity& b = packed.bodies.velocities[static_cast<std::size_t>(bodies_.b)];
    const Vec3 d = shared_.root_mass_b * b.linear - shared_.root_mass_a * a.linear;
    relative_ = {dot(shared_.axis[0], d), dot(shared_.axis[1], d), dot(shared_.axis[2], d)};
    angular_a_ = a.angular;
    angular_b_ = b.angular;
  }

  /// The contact's velocity less its target, along one axis of its frame.
  Real along(const PackedContact& c, int k) const {
    return relative_[k] + dot(c.angular_a[k], angular_a_) + dot(c.angular_b[k], angular_b_) + c.bias[k];
  }
  Vec3 at(const PackedContact& c) const { return {along(c, 0), along(c, 1), along(c, 2)}; }

  void add(const PackedContact& c, const Vec3& j) {
    total_ += j;
    relative_ += inverse_mass_ * j;
    angular_a_ += j.x * c.angular_a[0] + j.y * c.angular_a[1] + j.z * c.angular_a[2];
    angular_b_ += j.x * c.angular_b[0] + j.y * c.angular_b[1] + j.z * c.angular_b[2];
  }

  /// Bodies that take no impulses are shared between groups of a colour, so they are not written.
  void store(ScaledBodies& bodies) const {
    const Vec3 p = total_.x * shared_.axis[0] + total_.y * shared_.axis[1] + total_.z * shared_.axis[2];
    if (bodies_.a_moves) {
      ScaledVelocity& a = bodies.velocities[static_cast<std::size_t>(bodies_.a)];
      a.linear -= shared_.root_mass_a * p;
      a.angular = angular_a_;
    }
    if (bodies_.b_moves) {
      ScaledVelocity& b = bodies.velocities[static_cast<std::size_t>(bodies_.b)];
      b.linear += shared_.root_mass_b * p;
      b.angular = angular_b_;
    }
  }

 private:
  const ContactGroup& bodies_;
  const PackedGroup& shared_;
  Real inverse_mass_;
  Vec3 relative_;  // linear velocity of b less that of a, in the frame
  Vec3 angular_a_, angular_b_;
  Vec3 total_;  // impulse added since construction
};

}  // namespace carom
