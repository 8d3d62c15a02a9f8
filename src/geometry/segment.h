// Points nearest to each other on segments and lines.
#pragma once

#include <algorithm>

#include "carom/math/types.h"

namespace carom {

/// A segment by its centre, unit direction and half length.
struct Segment {
  Vec3 center, direction;
  Real half_length = 0;

  Vec3 at(Real s) const { return center + s * direction; }
};

/// Parameters of the points nearest to each other on two segments, measured from the centres.
struct SegmentPair {
  Real s = 0, t = 0;
  bool inside = false;  ///< both are nearest on the infinite lines too, and the lines are not parallel
};

inline SegmentPair closest(const Segment& a, const Segment& b) {
  const Vec3 r = b.center - a.center;
  const Real cosine = dot(a.direction, b.direction);
  const Real ra = dot(r, a.direction), rb = dot(r, b.direction);
  // The squared sine by a cross product: one less the squared cosine has no digits left at small angles.
  const Vec3 across = cross(a.direction, b.direction);
  const Real sine2 = squared_norm(across);
  const bool crossing = sine2 > 1e-24;
  SegmentPair pair;
  // Parallel lines: any s does; start from the middle of the overlap.
  const Real s_line = crossing ? dot(cross(r, b.direction), across) / sine2 : ra;
  pair.s = std::clamp(s_line, -a.half_length, a.half_length);
  const Real t_line = cosine * pair.s - rb;
  pair.t = std::clamp(t_line, -b.half_length, b.half_length);
  pair.inside = crossing && pair.s == s_line && pair.t == t_line;
  if (pair.t != t_line) pair.s = std::clamp(cosine * pair.t + ra, -a.half_length, a.half_length);
  return pair;
}

}  // namespace carom
