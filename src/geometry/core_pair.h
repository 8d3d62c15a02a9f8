// Two cores in one frame, and the difference B − A of them: what a distance is measured in.
//
// Everything works in the frame of A's shape, so that two bodies ten kilometres from the world's origin lose no digits.
#pragma once

#include <algorithm>

#include "geometry/placed.h"
#include "geometry/support.h"

namespace carom {

/// A point w = b − a of the difference, with the points that it comes from.
struct DifferencePoint {
  Vec3 a, b, w;
};

/// Points of the two cores, in A's frame.
struct Witness {
  Vec3 a, b;
};

class CorePair {
 public:
  /// Requires convex, bounded shapes.
  CorePair(const Placed& a, const Placed& b)
      : a_(core_of(*a.geometry)),
        b_(core_of(*b.geometry)),
        offset_(transposed_times(a.rotation, b.position - a.position)),
        rotation_(transposed(a.rotation) * b.rotation) {}

  const Core& a() const { return a_; }
  const Core& b() const { return b_; }
  /// Of B's origin in A's frame.
  const Vec3& offset() const { return offset_; }
  Real radii() const { return a_.radius + b_.radius; }

  Vec3 direction_in_b(const Vec3& n) const { return transposed_times(rotation_, n); }
  Vec3 direction_from_b(const Vec3& n) const { return rotation_ * n; }
  Vec3 point_in_b(const Vec3& x) const { return transposed_times(rotation_, x - offset_); }
  Vec3 point_from_b(const Vec3& x) const { return rotation_ * x + offset_; }
  const Mat3& rotation() const { return rotation_; }

  /// The point of the difference that lies farthest against n: dot(n, w) is how far a plane square to n separates the
  /// cores, B being in front.
  DifferencePoint least(const Vec3& n) {
    DifferencePoint p;
    p.a = support(a_, n, vertex_a_);
    p.b = point_from_b(support(b_, -direction_in_b(n), vertex_b_));
    p.w = p.b - p.a;
    scale_ = std::max({scale_, std::abs(p.w.x), std::abs(p.w.y), std::abs(p.w.z)});
    return p;
  }

  /// The largest coordinate of a difference seen so far: what rounding errors are measured by.
  Real scale() const { return scale_; }

  std::int32_t vertex_a() const { return vertex_a_; }
  std::int32_t vertex_b() const { return vertex_b_; }
  void start_at(std::int32_t vertex_a, std::int32_t vertex_b) { vertex_a_ = vertex_a, vertex_b_ = vertex_b; }

 private:
  Core a_, b_;
  Vec3 offset_;
  Mat3 rotation_;
  Real scale_ = 0;
  std::int32_t vertex_a_ = 0, vertex_b_ = 0;  // where climbs over polyhedra start
};

}  // namespace carom
