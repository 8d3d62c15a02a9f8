// A contact problem packed for sweeps with friction: all that a visit to a contact reads in one place, in visiting order.
#pragma once

#include <span>
#include <vector>

#include "carom/contact/problem.h"
#include "carom/contact/solution.h"
#include "solvers/scaled.h"
#include "solvers/schedule.h"

namespace carom {

struct PackedContact {
  Vec3 axis[3];           // normal and tangents
  Vec3 angular_a[3];      // −S_aᵀ (r_a × axis)
  Vec3 angular_b[3];      // S_bᵀ (r_b × axis)
  Vec3 bias;              // what kinematic bodies add to the contact's velocity, less its target
  Vec3 impulse;           // in the contact's frame
  Mat3 w;                 // diagonal block of the Delassus operator
  Mat3 w_inverse;         // zero where the block is singular
  Real mu = 0, mu_static = 0;
  Real tangent_step = 0;  // 1 / largest eigenvalue of the tangential part of w
  Real restitution = 0;
  Vec3 bounce;            // part of the impulse that belongs to the bounce being worked on
  Real bounce_target = 0;
};

class PackedProblem {
 public:
  void pack(const ContactProblem& problem, std::span<const Vec3> warm_impulses, ThreadPool* threads);
  /// Impulses into contact order and world axes; velocities recomputed from them.
  void unpack(const ContactProblem& problem, ContactSolution& solution) const;

  const Schedule& schedule() const { return schedule_; }
  std::vector<PackedContact>& contacts() { return contacts_; }
  const std::vector<PackedContact>& contacts() const { return contacts_; }
  std::span<PackedContact> contacts(const ContactGroup& group) {
    return {contacts_.data() + group.first, static_cast<std::size_t>(group.last - group.first)};
  }
  ScaledBodies& bodies() { return bodies_; }
  const ScaledBodies& bodies() const { return bodies_; }

 private:
  void pack_contact(const ContactProblem& problem, std::size_t source, PackedContact& packed) const;
  void apply_warm_impulses();

  Schedule schedule_;
  ScaledBodies bodies_;
  std::vector<PackedContact> contacts_;
};

/// A body pair's velocities while its contacts are worked on.
class PairVelocity {
 public:
  PairVelocity(const ScaledBodies& bodies, const ContactGroup& group)
      : a_(bodies.velocities[static_cast<std::size_t>(group.a)]), b_(bodies.velocities[static_cast<std::size_t>(group.b)]),
        root_mass_a_(bodies.root_mass[static_cast<std::size_t>(group.a)]),
        root_mass_b_(bodies.root_mass[static_cast<std::size_t>(group.b)]) {}

  /// Bodies that take no impulses are shared between groups of a colour, so they are not written.
  void store(ScaledBodies& bodies, const ContactGroup& group) const {
    if (group.a_moves) bodies.velocities[static_cast<std::size_t>(group.a)] = a_;
    if (group.b_moves) bodies.velocities[static_cast<std::size_t>(group.b)] = b_;
  }

  /// The contact's velocity less its target, along one axis of its frame.
  Real along(const PackedContact& c, int k) const {
    return dot(c.axis[k], root_mass_b_ * b_.linear - root_mass_a_ * a_.linear) + dot(c.angular_a[k], a_.angular) +
           dot(c.angular_b[k], b_.angular) + c.bias[k];
  }
  Vec3 at(const PackedContact& c) const { return {along(c, 0), along(c, 1), along(c, 2)}; }

  void add(const PackedContact& c, const Vec3& j) {
    const Vec3 p = j.x * c.axis[0] + j.y * c.axis[1] + j.z * c.axis[2];
    a_.linear -= root_mass_a_ * p;
    b_.linear += root_mass_b_ * p;
    a_.angular += j.x * c.angular_a[0] + j.y * c.angular_a[1] + j.z * c.angular_a[2];
    b_.angular += j.x * c.angular_b[0] + j.y * c.angular_b[1] + j.z * c.angular_b[2];
  }

 private:
  ScaledVelocity a_, b_;
  Real root_mass_a_, root_mass_b_;
};

}  // namespace carom
