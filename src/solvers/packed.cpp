#include "solvers/packed.h"

#include <cmath>

#include "contact/restitution.h"
#include "contact/rows.h"

namespace carom {
namespace {

Real largest_eigenvalue(Real a, Real b, Real c) {  // of [[a, b], [b, c]]
  return 0.5 * (a + c + std::sqrt((a - c) * (a - c) + 4 * b * b));
}

}  // namespace

void PackedProblem::pack(const ContactProblem& problem, std::span<const Vec3> warm_impulses, ThreadPool* threads) {
  bodies.pack(problem);
  schedule.build(problem);
  groups.resize(schedule.groups().size());
  contacts.resize(schedule.source().size());
  schedule.for_each_group(threads, [&](std::size_t group) { pack_group(problem, group); });
  impulses.assign(contacts.size(), {});
  if (warm_impulses.empty()) return;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const auto source = static_cast<std::size_t>(schedule.source()[k]);
    impulses[k] = to_frame(problem.contacts[source], warm_impulses[source]);
  }
  apply_impulses();
}

void PackedProblem::aim_at_restitution(const ContactProblem& problem, Real resting_speed) {
  for (std::size_t g = 0; g < groups.size(); ++g) aim_group(problem, resting_speed, g);
}

void PackedProblem::aim_group(const ContactProblem& problem, Real resting_speed, std::size_t group) {
  const ContactGroup& range = schedule.groups()[group];
  for (auto k = static_cast<std::size_t>(range.first); k < static_cast<std::size_t>(range.last); ++k) {
    if (contacts[k].restitution == 0) continue;
    const ContactPoint& c = problem.contacts[static_cast<std::size_t>(schedule.source()[k])];
    contacts[k].bias.x -= newton_target(problem, c, resting_speed) - c.target;
  }
}

void PackedProblem::pack_group(const ContactProblem& problem, std::size_t group) {
  const ContactGroup& range = schedule.groups()[group];
  const auto a = static_cast<std::size_t>(range.a), b = static_cast<std::size_t>(range.b);
  PackedGroup& shared = groups[group];
  shared.root_mass_a = bodies.root_mass[a];
  shared.root_mass_b = bodies.root_mass[b];
  const Real inverse_mass = shared.root_mass_a * shared.root_mass_a + shared.root_mass_b * shared.root_mass_b;
  for (auto index = static_cast<std::size_t>(range.first); index < static_cast<std::size_t>(range.last); ++index) {
    const ContactPoint& c = problem.contacts[static_cast<std::size_t>(schedule.source()[index])];
    PackedContact& packed = contacts[index];
    shared.axis[0] = c.normal;
    shared.axis[1] = c.tangent;
    shared.axis[2] = c.second_tangent();
    for (int k = 0; k < 3; ++k) {
      packed.angular_a[k] = -transposed_times(bodies.root_inertia[a], cross(c.ra, shared.axis[k]));
      packed.angular_b[k] = transposed_times(bodies.root_inertia[b], cross(c.rb, shared.axis[k]));
    }
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
}

void PackedProblem::apply_impulses() {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    PairVelocity pair(*this, g);
    const ContactGroup& range = schedule.groups()[g];
    for (auto k = static_cast<std::size_t>(range.first); k < static_cast<std::size_t>(range.last); ++k)
      pair.add(contacts[k], impulses[k]);
    pair.store(bodies);
  }
}

void PackedProblem::refresh_velocities(const ContactProblem& problem) {
  bodies.pack(problem);
  apply_impulses();
}

void PackedProblem::unpack(const ContactProblem& problem, ContactSolution& solution) const {
  solution.impulses.resize(problem.contacts.size());
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const auto i = static_cast<std::size_t>(schedule.source()[k]);
    solution.impulses[i] = from_frame(problem.contacts[i], impulses[k]);
  }
  recompute_velocities(problem, solution);
}

}  // namespace carom
