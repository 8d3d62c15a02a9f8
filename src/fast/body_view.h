// A body as the real-time step's detection sees it.
#pragma once

#include <cstdint>

#include "carom/geometry/shape.h"
#include "collision/broad_phase.h"
#include "geometry/placed.h"

namespace carom::fast {

/// Of the smaller body: bodies at rest this near to each other may touch within the step.
inline constexpr Real kNear = 0.01;

struct BodyView {
  const Shape::Geometry* geometry = nullptr;  ///< null: no body here
  Vec3 center;                                ///< m, centre of mass, at the start of the step
  Vec3 origin;                                ///< m, of the shape's frame
  Mat3 rotation;                              ///< its orientation
  Quat orientation;                           ///< likewise
  Mat3 factor;                                ///< L with L Lᵀ = I⁻¹, own axes; of dynamic bodies
  Vec3 velocity;                              ///< m/s
  Real spin_reach = 0;  ///< m: how far turning may take a point of it within the step
  Real travel = 0;      ///< m: a bound on the way of any of its points so far
  Real size = 0;        ///< m: its smallest width; zero for a plane
  Real radius = 0;      ///< m: bounding radius about the centre of mass
  bool flat = false;    ///< bounded by planes alone
  PairRole role;

  Placed placed() const { return {geometry, origin, rotation}; }
};

}  // namespace carom::fast
