// Impacts that reports on impact laws share: one body against the ground z = 0, its contact point below it.
#pragma once

#include <cstdint>

#include "carom/contact/impact.h"
#include "carom/contact/problem.h"

namespace carom {

struct ImpactSetting {
  Vec3 velocity;  ///< m/s: of the body, which does not turn, and so of its contact point
  Real mu = 0, restitution = 0;
};

/// The lower end of a square bar, 1 m by 2 cm, 1 kg, whose top leans towards +x by so many degrees from the vertical.
ContactProblem rod_impact(Real degrees, const ImpactSetting& setting);
/// The lowest corner of a brick of 1 kg, 1 m × 0.5 m × 0.1 m, askew: nothing about it is symmetric.
ContactProblem brick_impact(const ImpactSetting& setting);
/// A ball of 1 kg and radius 0.1 m; `spin`, rad/s, about +y.
ContactProblem ball_impact(const ImpactSetting& setting, Real spin);
/// Two bodies of random mass, inertia, arms and velocities that approach each other, the same for the same seed.
ContactProblem random_impact(std::uint64_t seed);

/// K of the only contact, 1/kg.
Mat3 inverse_mass_at(const ContactProblem& problem);

}  // namespace carom
