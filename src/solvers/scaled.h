// Velocities scaled by the mass. With M⁻¹ = S Sᵀ and v = S v̂ the update v += M⁻¹ Jᵀ j becomes v̂ += (J S)ᵀ j: one matrix
// serves both ways, which nearly halves what a sweep reads.
#pragma once

#include <span>
#include <vector>

#include "carom/contact/problem.h"
#include "carom/contact/solution.h"

namespace carom {

struct ScaledVelocity {
  Vec3 linear, angular;
};

/// S of a body: v = linear · v̂, ω = angular · ω̂, the latter lower triangular.
struct BodyScale {
  Real linear = 0;
  Mat3 angular;
};
BodyScale scale_of(const ProblemBody& body);
/// v̂ = S⁻¹ v.
ScaledVelocity scaled_velocity(const ProblemBody& body, const BodyScale& scale);

/// The bodies of a problem; what does not take impulses has zero scales and zero scaled velocity.
struct ScaledBodies {
  std::vector<ScaledVelocity> velocities;
  std::vector<Real> root_mass;     ///< √(1/m)
  std::vector<Mat3> root_inertia;  ///< S of the inverse inertia, lower triangular

  void pack(const ContactProblem& problem);
  /// From here on the body takes no impulses. Returns the velocity that it had.
  ScaledVelocity immobilize(std::size_t body);
};

/// What bodies that take no impulses add to the contact's velocity, less its target, in its frame.
Vec3 bias_of(const ContactProblem& problem, const ContactPoint& contact);
/// The same where it is said which of the two takes impulses.
Vec3 bias_of(const ContactProblem& problem, const ContactPoint& contact, bool a_moves, bool b_moves);

/// Velocities after the solution's contact impulses, from the impulses alone. No frozen body moves.
void recompute_velocities(const ContactProblem& problem, ContactSolution& solution);

}  // namespace carom
