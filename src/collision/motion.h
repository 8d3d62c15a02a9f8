// How a shape moves through time: its centre on a parabola, turning about it.
#pragma once

#include "carom/geometry/shape.h"
#include "carom/math/types.h"
#include "geometry/placed.h"

namespace carom {

/// Time counts from zero; everything is in world axes unless it says local.
struct Motion {
  const Shape::Geometry* geometry = nullptr;
  /// Corners, edges and faces of the shape, where it has them and distances are to be found by walking over them.
  const Polyhedron* polyhedron = nullptr;
  Vec3 position;          ///< m, of the centre that the shape turns about, at time zero
  Quat orientation;       ///< at time zero
  Vec3 center_local;      ///< m: that centre in the shape's frame
  Real radius = 0;        ///< m: no point of the shape is farther from the centre
  Vec3 velocity;          ///< m/s, of the centre, at time zero
  Vec3 acceleration;      ///< m/s², constant
  Vec3 angular_velocity;  ///< rad/s, constant but for `tumble`
  /// rad/s²: bound on the change of angular velocity, for a body that turns freely (`most_tumble`). Its orientation is
  /// then known only to within ½ tumble t², and impacts are found no later than they can happen.
  Real tumble = 0;

  Vec3 center(Real time) const { return position + time * (velocity + (0.5 * time) * acceleration); }
  /// The shape's frame.
  Pose pose(Real time) const;
  Placed placed(Real time) const;
  /// Of the point of the body that is at `point` at the time.
  Vec3 velocity_at(Real time, const Vec3& point) const {
    return velocity + time * acceleration + cross(angular_velocity, point - center(time));
  }
  bool turns() const { return angular_velocity != Vec3{}; }
};

/// Whether a point on a parabola from `start` to `end` may come that near to the origin within `span`. Never wrongly
/// no.
bool may_come_within(Real reach, const Vec3& start, const Vec3& end, const Vec3& acceleration, Real span);

/// The largest change of angular velocity, rad/s², that a body turning without torque ever comes to, from its inertia
/// about the centre and its present angular velocity. Euler's equations ω̇₁ = (I₂ − I₃)/I₁ ω₂ω₃, … give
/// |ω̇| ≤ c |ω|²/√3 with c the largest of the three ratios, and the energy bounds |ω|² by 2E/I_min.
Real most_tumble(const Mat3& inertia, const Vec3& angular_velocity);

}  // namespace carom
