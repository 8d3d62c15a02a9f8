#include "collision/motion.h"

#include <algorithm>
#include <cmath>

#include "math/symmetric.h"
#include "math/trig.h"

namespace carom {

bool may_come_within(Real reach, const Vec3& start, const Vec3& end, const Vec3& acceleration, Real span) {
  // The chord's nearest point, and how far a parabola bulges from its chord.
  const Vec3 way = end - start;
  const Real length2 = squared_norm(way);
  const Real s = length2 > 0 ? std::clamp(-dot(start, way) / length2, 0.0, 1.0) : 0;
  const Real bulge = norm(acceleration) * span * span / 8;
  return squared_norm(start + s * way) <= (reach + bulge) * (reach + bulge);
}

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
