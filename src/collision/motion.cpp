#include "collision/motion.h"

#include <algorithm>
#include <cmath>

#include "math/symmetric.h"
#include "math/trig.h"

namespace carom {

Pose Motion::pose(Real time) const {
  const Quat turned = turns() ? rotation(time * angular_velocity) * orientation : orientation;
  return {center(time) - rotate(turned, center_local), turned};
}

Placed Motion::placed(Real time) const {
  const Pose at = pose(time);
  return {geometry, at.position, to_matrix(at.orientation)};
}

Real most_tumble(const Mat3& inertia, const Vec3& angular_velocity) {
  const Vec3 moments = principal_moments(inertia);
  const Real ratio = std::max(
      {(moments.z - moments.y) / moments.x, (moments.z - moments.x) / moments.y, (moments.y - moments.x) / moments.z});
  const Real twice_energy = dot(angular_velocity, inertia * angular_velocity);
  return ratio * (twice_energy / moments.x) / std::sqrt(3.0);
}

}  // namespace carom
