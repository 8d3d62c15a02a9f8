// The course of an impact with friction, in the contact frame: z along the normal, x and y tangential.
#pragma once

#include <vector>

#include "carom/contact/impact.h"

namespace carom {

/// Requires u_z < 0, or u_z = 0 with sliding that presses the bodies together. In the contact frame.
ImpactOutcome follow_impact(ImpactLaw law, const Mat3& k, const Vec3& u, Real mu, Real mu_static, Real restitution,
                            std::vector<ImpactSample>* trace);

}  // namespace carom
