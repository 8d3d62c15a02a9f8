// How deep two placed shapes overlap, from their poses alone. It shares nothing with src/geometry and src/collision:
// this is the judge of what they do. Exact for spheres, boxes, capsules and planes, and to the accuracy of `depth_in`
// for all other pairs; simple before fast.
#pragma once

#include "carom/geometry/shape.h"
#include "carom/math/types.h"

namespace carom {

/// A shape where it stands.
struct PlacedShape {
  PlacedShape() = default;
  /// Keeps a reference: the shape must outlive it.
  PlacedShape(const Shape& of, const Pose& pose);
  PlacedShape(const Shape& of, const Vec3& center, const Mat3& rotation);

  const Shape* shape = nullptr;
  Vec3 center;     ///< m, world: the origin of the shape's frame
  Mat3 rotation;   ///< from the shape's axes to the world's
  Vec3 low, high;  ///< m, world: bounding box; infinite for a plane
};

/// The length of the shortest translation that separates the two, m. Zero or less where they do not overlap: then the
/// value only says so. Two planes never count as overlapping. Of compounds: the deepest of their parts, which is at
/// most as much.
Real overlap_depth(const PlacedShape& a, const PlacedShape& b);

/// True if the straight way between two points enters the inside of the shape.
bool path_enters(const Vec3& from, const Vec3& to, const PlacedShape& shape);

}  // namespace carom
