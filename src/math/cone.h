// Projections on the sets that impulses lie in.
#pragma once

#include "carom/math/types.h"

namespace carom {

/// The point of the cone |(y, z)| ≤ mu x, x ≥ 0 nearest to p; x is the normal component.
inline Vec3 project_on_cone(const Vec3& p, Real mu) {
  const Real r = std::sqrt(p.y * p.y + p.z * p.z);
  if (p.x >= 0 && r <= mu * p.x) return p;
  if (mu * r <= -p.x) return {};
  const Real normal = (p.x + mu * r) / (1 + mu * mu);
  // Here r > 0: with r = 0 one of the cases above holds.
  const Real scale = mu * normal / r;
  return {normal, scale * p.y, scale * p.z};
}

}  // namespace carom
