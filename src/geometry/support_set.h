// What a support mapping looks like around a direction: where the farthest point jumps, how it turns, and all the
// points that lie equally far.
//
// The support function h(n) is smooth except on kinks, where the farthest point is not unique: on great circles square
// to a polyhedron's edges or to a cylinder's axis, on the circle of a cone's side normals, and at the normals of flat
// faces. All of these are sets {u·n = k}. Optima of a distance lie on kinks as often as not, so a search has to know
// them.
#pragma once

#include <array>
#include <cstdint>

#include "geometry/support.h"

namespace carom {

/// Unit directions n with dot(axis, n) = level.
struct Kink {
  Vec3 axis;  // unit
  Real level = 0;
};

struct Kinks {
  static constexpr int kMost = 4;
  std::array<Kink, kMost> circles;
  std::array<Vec3, kMost> normals;  // of flat faces, unit
  int circle_count = 0, normal_count = 0;
};

/// The kinks within `angle` (small, radians) of a unit direction, the nearest ones where there are many. `vertex` is
/// the farthest vertex of a polyhedron in that direction.
Kinks kinks_near(const Core& core, const Vec3& n, std::int32_t vertex, Real angle);

/// Second derivative of the support function at a unit direction, on the side of the kinks that the farthest point
/// belongs to: how fast that point moves.
Mat3 curvature(const Core& core, const Vec3& n, const Vec3& farthest);

/// The points of a core that lie farthest in one direction.
struct SupportSet {
  enum class Kind : std::uint8_t { Point, Segment, Disc, Face };
  Kind kind = Kind::Point;
  Vec3 p, q;        ///< the point; the ends of a segment; the centre of a disc square to z; a corner of a box's face
  Real radius = 0;  ///< of a disc
  std::int32_t face = 0;  ///< of a polyhedron; of a box: the axis that its normal is along
};

/// Directions within `angle` of a kink count as on it: the set then holds points that lie nearly as far. `vertex` as
/// above.
SupportSet support_set(const Core& core, const Vec3& n, std::int32_t vertex, Real angle);
/// A point of a core's support set that lies farthest in a direction.
Vec3 farthest_point(const Core& core, const SupportSet& set, const Vec3& direction);
/// The point of a core's support set that is nearest to x.
Vec3 nearest_point(const Core& core, const SupportSet& set, const Vec3& x);

}  // namespace carom
