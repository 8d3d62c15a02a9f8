#include "solvers/packed.h"

#include <cmath>

#include "contact/rows.h"

namespace carom {
namespace {

Real largest_eigenvalue(Real a, Real b, Real c) {  // of [[a, b], [b, c]]
  return 0.5 * (a + c + std::sqrt((a - c) * (a - c) + 4 * b * b));
}

}  // namespace

void PackedProblem::pack(const ContactProblem& problem, std::span<const Vec3> warm_impulses, ThreadPool* threads) {
  bodies_.pack(problem);
  schedule_.build(problem);
  contacts_.resize(schedule_.source().size());
  schedule_.for_each_group(threads, [&](const ContactGroup& group) {
    for (auto k = static_cast<std::size_t>(group.first); k < static_cast<std::size_t>(group.last); ++k) {
      const auto source = static_cast<std::size_t>(schedule_.source()[k]);
      pack_contact(problem, source, contacts_[k]);
      contacts_[k].impulse = warm_impulses.empty() ? Vec3{} : to_frame(problem.contacts[source], warm_impulses[source]);
    }
  });
  if (!warm_impulses.empty()) apply_warm_impulses();
}

void PackedProblem::pack_contact(const ContactProblem& problem, std::size_t source, PackedContact& packed) const {
  const ContactPoint& c = problem.contacts[source];
  const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
  packed.axis[0] = c.normal;
  packed.axis[1] = c.tangent;
  packed.axis[2] = c.second_tangent();
  for (int k = 0; k < 3; ++k) {
    packed.angular_a[k] = -transposed_times(bodies_.root_inertia[a], cross(c.ra, packed.axis[k]));
    packed.angular_b[k] = transposed_times(bodies_.root_inertia[b], cross(c.rb, packed.axis[k]));
  }
  const Real inverse_mass = bodies_.root_mass[a] * bodies_.root_mass[a] + bodies_.root_mass[b] * bodies_.root_mass[b];
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k <= i; ++k) {
      packed.w(i, k) = packed.w(k, i) = dot(packed.angular_a[i], packed.angular_a[k]) +
                                        dot(packed.angular_b[i], packed.angular_b[k]) + (i == k ? inverse_mass : 0);
    }
  }
  packed.w_inverse = inverse_mass > 0 ? inverse(packed.w) : Mat3{};
  const Real largest = largest_eigenvalue(packed.w(1, 1), packed.w(1, 2), packed.w(2, 2));
  packed.tangent_step = largest > 0 ? 1 / largest : 0;
  packed.mu = c.mu;
  packed.mu_static = c.mu_static;
  packed.restitution = c.restitution;
  packed.bias = bias_of(problem, c);
}

void PackedProblem::apply_warm_impulses() {
  for (const ContactGroup& group : schedule_.groups()) {
    PairVelocity pair(bodies_, group);
    for (const PackedContact& c : contacts(group)) pair.add(c, c.impulse);
    pair.store(bodies_, group);
  }
}

void PackedProblem::unpack(const ContactProblem& problem, ContactSolution& solution) const {
  solution.impulses.resize(problem.contacts.size());
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const auto i = static_cast<std::size_t>(schedule_.source()[k]);
    solution.impulses[i] = from_frame(problem.contacts[i], contacts_[k].impulse);
  }
  recompute_velocities(problem, solution);
}

}  // namespace carom
