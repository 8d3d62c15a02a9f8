// A body as the real-time step's detection sees it.
#pragma once

#include <cstdint>

#include "carom/geometry/shape.h"
#include "geometry/placed.h"

namespace carom::fast {

/// Of the smaller body: bodies at rest this near to each other may touch within the step.
inline constexpr Real kNear = 0.01;

/// What most pairs are settled by comes first, in a cache line of its own.
struct alignas(64) BodyView {
  const Shape::Geometry* geometry = nullptr;  ///< null: no body here
  Real travel = 0;                            ///< m: a bound on the way of any of its points so far
  Vec3 velocity;                              ///< m/s
  Real spin_reach = 0;                        ///< m: how far turning may take a point of it within the step
  Real size = 0;                              ///< m: its smallest width; zero for a plane
  std::int32_t material = 0;
  bool flat = false;  ///< bounded by planes alone
  bool dynamic = false;
  bool ball = false;   ///< a sphere
  bool quick = false;  ///< a sphere, box or plane: balls touch it by a formula

  Vec3 center;       ///< m, centre of mass, at the start of the step
  Quat orientation;  ///< of the shape's frame
  Real radius = 0;   ///< m: bounding radius about the centre of mass
  Mat3 rotation;     ///< its orientation
  Vec3 origin;       ///< m, of the shape's frame
  Mat3 factor;       ///< L with L Lᵀ = I⁻¹, own axes; of dynamic bodies

  Placed placed() const { return {geometry, origin, rotation}; }
};

}  // namespace carom::fast
