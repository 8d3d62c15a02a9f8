#include "solvers/packed.h"

#include <bit>
#include <cmath>

#include "contact/rows.h"
#include "math/symmetric.h"

namespace carom {
namespace {

constexpr std::uint8_t kLeftover = 64;  // for groups that find no free colour

Real largest_eigenvalue(Real a, Real b, Real c) {  // of [[a, b], [b, c]]
  return 0.5 * (a + c + std::sqrt((a - c) * (a - c) + 4 * b * b));
}

}  // namespace

void PackedProblem::pack(const ContactProblem& problem, std::span<const Vec3> warm_impulses, ThreadPool* threads) {
  pack_bodies(problem);
  find_groups(problem);
  colour_groups(problem);
  constexpr std::size_t kGroupsPerPackChunk = 64;
  for_chunks(threads, groups_.size(), kGroupsPerPackChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end; ++g) {
      for (auto k = static_cast<std::size_t>(groups_[g].first); k < static_cast<std::size_t>(groups_[g].last); ++k) {
        const auto source = static_cast<std::size_t>(source_[k]);
        pack_contact(problem, groups_[g], source, contacts_[k]);
        contacts_[k].impulse = warm_impulses.empty() ? Vec3{} : to_frame(problem.contacts[source], warm_impulses[source]);
      }
    }
  });
  if (!warm_impulses.empty()) apply_warm_impulses();
}

void PackedProblem::pack_bodies(const ContactProblem& problem) {
  const std::size_t n = problem.bodies.size();
  velocities_.assign(n, {});
  root_inertia_.assign(n, {});
  root_mass_.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const ProblemBody& body = problem.bodies[i];
    if (!takes_impulse(body.role)) continue;
    const Mat3 s = cholesky(body.inverse_inertia);
    root_inertia_[i] = s;
    root_mass_[i] = std::sqrt(body.inverse_mass);
    // ω̂ = S⁻¹ ω by forward substitution.
    const Vec3& w = body.angular_velocity;
    Vec3& scaled = velocities_[i].angular;
    scaled.x = w.x / s(0, 0);
    scaled.y = (w.y - s(1, 0) * scaled.x) / s(1, 1);
    scaled.z = (w.z - s(2, 0) * scaled.x - s(2, 1) * scaled.y) / s(2, 2);
    velocities_[i].linear = body.velocity / root_mass_[i];
  }
}

void PackedProblem::find_groups(const ContactProblem& problem) {
  found_.clear();
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactPoint& c = problem.contacts[i];
    if (!found_.empty() && found_.back().a == c.a && found_.back().b == c.b) {
      found_.back().last = static_cast<std::int32_t>(i) + 1;
      continue;
    }
    const auto index = static_cast<std::int32_t>(i);
    found_.push_back({c.a, c.b, index, index + 1, root_mass_[static_cast<std::size_t>(c.a)], root_mass_[static_cast<std::size_t>(c.b)]});
  }
}

void PackedProblem::colour_groups(const ContactProblem& problem) {
  // First fit, in problem order.
  used_.assign(problem.bodies.size(), 0);
  colour_of_.resize(found_.size());
  std::size_t sizes[kLeftover + 1] = {};
  for (std::size_t g = 0; g < found_.size(); ++g) {
    const ContactGroup& group = found_[g];
    std::uint64_t& used_a = used_[static_cast<std::size_t>(group.a)];
    std::uint64_t& used_b = used_[static_cast<std::size_t>(group.b)];
    const std::uint64_t taken = (group.root_mass_a > 0 ? used_a : 0) | (group.root_mass_b > 0 ? used_b : 0);
    const auto colour = static_cast<std::uint8_t>(std::countr_one(taken));
    if (colour < kLeftover) {
      used_a |= std::uint64_t{1} << colour;
      used_b |= std::uint64_t{1} << colour;
    }
    colour_of_[g] = colour;
    ++sizes[colour];
  }

  // Groups and contacts in colour order, so that a sweep walks straight through memory.
  colours_.clear();
  std::size_t next[kLeftover + 1] = {};
  std::size_t total = 0;
  for (std::size_t colour = 0; colour <= kLeftover; ++colour) {
    next[colour] = total;
    total += sizes[colour];
    if (sizes[colour] > 0) colours_.push_back({next[colour], total, colour < kLeftover});
  }
  groups_.resize(found_.size());
  for (std::size_t g = 0; g < found_.size(); ++g) groups_[next[colour_of_[g]]++] = found_[g];
  source_.clear();
  for (ContactGroup& group : groups_) {
    const auto first = static_cast<std::int32_t>(source_.size());
    for (std::int32_t i = group.first; i < group.last; ++i) source_.push_back(i);
    group.first = first;
    group.last = static_cast<std::int32_t>(source_.size());
  }
  contacts_.resize(source_.size());
}

void PackedProblem::pack_contact(const ContactProblem& problem, const ContactGroup& group, std::size_t source,
                                 PackedContact& packed) const {
  const ContactPoint& c = problem.contacts[source];
  const auto a = static_cast<std::size_t>(group.a), b = static_cast<std::size_t>(group.b);
  const ProblemBody &body_a = problem.bodies[a], &body_b = problem.bodies[b];
  packed.axis[0] = c.normal;
  packed.axis[1] = c.tangent;
  packed.axis[2] = c.second_tangent();
  for (int k = 0; k < 3; ++k) {
    packed.angular_a[k] = -transposed_times(root_inertia_[a], cross(c.ra, packed.axis[k]));
    packed.angular_b[k] = transposed_times(root_inertia_[b], cross(c.rb, packed.axis[k]));
  }
  const Real inverse_mass = group.root_mass_a * group.root_mass_a + group.root_mass_b * group.root_mass_b;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      packed.w(i, k) = dot(packed.angular_a[i], packed.angular_a[k]) + dot(packed.angular_b[i], packed.angular_b[k]) +
                       (i == k ? inverse_mass : 0);
  const Real largest = largest_eigenvalue(packed.w(1, 1), packed.w(1, 2), packed.w(2, 2));
  packed.tangent_step = largest > 0 ? 1 / largest : 0;
  packed.mu = c.mu;
  packed.mu_static = c.mu_static;
  packed.restitution = c.restitution;
  const Vec3 none;
  const bool fixed_a = group.root_mass_a == 0, fixed_b = group.root_mass_b == 0;
  packed.bias = to_frame(c, relative_velocity(c, fixed_a ? body_a.velocity : none, fixed_a ? body_a.angular_velocity : none,
                                              fixed_b ? body_b.velocity : none, fixed_b ? body_b.angular_velocity : none)) -
                target_of(c);
}

void PackedProblem::apply_warm_impulses() {
  for (const ContactGroup& group : groups_) {
    PairVelocity pair = load(velocities_, group);
    for (auto k = static_cast<std::size_t>(group.first); k < static_cast<std::size_t>(group.last); ++k)
      pair.add(contacts_[k], group, contacts_[k].impulse);
    store(velocities_, group, pair);
  }
}

void PackedProblem::unpack(const ContactProblem& problem, ContactSolution& solution) const {
  solution.impulses.resize(problem.contacts.size());
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const auto i = static_cast<std::size_t>(source_[k]);
    solution.impulses[i] = from_frame(problem.contacts[i], contacts_[k].impulse);
  }
  const std::size_t n = problem.bodies.size();
  solution.velocities.resize(n);
  solution.angular_velocities.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    solution.velocities[i] = problem.bodies[i].velocity;
    solution.angular_velocities[i] = problem.bodies[i].angular_velocity;
  }
  // Sums of impulses first, one product with the inertia a body.
  std::vector<Vec3> linear(n), angular(n);
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactPoint& c = problem.contacts[i];
    const Vec3& j = solution.impulses[i];
    const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
    linear[a] -= j;
    angular[a] -= cross(c.ra, j);
    linear[b] += j;
    angular[b] += cross(c.rb, j);
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (!takes_impulse(problem.bodies[i].role)) continue;
    solution.velocities[i] += problem.bodies[i].inverse_mass * linear[i];
    solution.angular_velocities[i] += problem.bodies[i].inverse_inertia * angular[i];
  }
}

}  // namespace carom
