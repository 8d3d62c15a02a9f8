// Random pairs of convex shapes in all the positions that are hard for a distance, and what proves an answer right.
#pragma once

#include <array>
#include <ostream>

#include "geometry/distance.h"
#include "support/convex_shapes.h"

namespace carom::test {

struct ConvexPair {
  Shape::Geometry a, b;
  Pose pose_a, pose_b;
  const char* what = "";  ///< how it was placed

  Placed placed_a() const { return {&a, pose_a.position, to_matrix(pose_a.orientation)}; }
  Placed placed_b() const { return {&b, pose_b.position, to_matrix(pose_b.orientation)}; }
  Real larger() const { return std::max(size_of(a), size_of(b)); }
  Real smaller() const {
    const Real x = size_of(a), y = size_of(b);
    return x > 0 && y > 0 ? std::min(x, y) : std::max(x, y);
  }
  /// Of world coordinates, m: no answer can be better.
  Real rounding() const {
    return 4e-16 * (norm(pose_a.position) + norm(pose_b.position) + norm(pose_b.position - pose_a.position) + larger() +
                    std::abs(plane_offset(a)) + std::abs(plane_offset(b)));
  }
  static Real plane_offset(const Shape::Geometry& shape) {
    const Plane* plane = std::get_if<Plane>(&shape);
    return plane != nullptr ? plane->offset : 0;
  }
};

inline std::ostream& operator<<(std::ostream& out, const ConvexPair& pair) {
  return out << pair.what << ", sizes " << size_of(pair.a) << " and " << size_of(pair.b);
}

/// The rotation that takes one unit vector to another.
inline Quat rotation_between(const Vec3& from, const Vec3& to) {
  const Real cosine = dot(from, to);
  if (cosine < -0.999999) {
    const Vec3 axis = normalized(cross(from, std::abs(from.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0}));
    return {0, axis.x, axis.y, axis.z};
  }
  const Vec3 axis = cross(from, to);
  return normalized(Quat{1 + cosine, axis.x, axis.y, axis.z});
}

namespace detail {

/// B with a point of its surface over one of A's, `gap` apart along A's normal there, turned by chance about it.
inline void face_each_other(ConvexPair& pair, int flat_a, int flat_b, Real gap, Random& random) {
  const SurfacePoint on_a = random_surface_point(pair.a, flat_a, random);
  const SurfacePoint on_b = random_surface_point(pair.b, flat_b, random);
  const Vec3 n = on_a.normal;
  // Half of the turns are by round angles: parallel edges, crossing ones, faces of cubes in line.
  const Real degrees = random.coin() ? random.uniform(0, 360) : 45 * random.integer(0, 7);
  pair.pose_a = {};
  pair.pose_b.orientation = normalized(turn(n, degrees) * rotation_between(on_b.normal, -n));
  pair.pose_b.position = on_a.point + gap * n - rotate(pair.pose_b.orientation, on_b.point);
}

inline Real random_gap(Real size, Random& random) {
  constexpr Real kGaps[] = {0, 1e-12, 1e-9, 1e-6, 1e-3, 1e-1};
  return detail::sign(random) * size * kGaps[random.integer(0, 5)];
}

inline void move_together(ConvexPair& pair, const Pose& by) {
  pair.pose_a = compose(by, pair.pose_a);
  pair.pose_b = compose(by, pair.pose_b);
}

inline void place(ConvexPair& pair, int way, Random& random) {
  const Real size = pair.smaller(), reach = size_of(pair.a) + size_of(pair.b);
  pair.pose_a.orientation = random.rotation();
  pair.pose_b.orientation = random.rotation();
  switch (way) {
    case 0:
      pair.what = "anywhere";
      pair.pose_b.position = random.uniform(0, 3) * reach * random.unit();
      break;
    case 1:
      pair.what = "deep";
      pair.pose_b.position = random.uniform(0, 0.5) * reach * random.unit();
      break;
    case 2:
      pair.what = "one centre";
      if (random.coin()) pair.pose_b.orientation = pair.pose_a.orientation;
      if (random.coin() && pair.a.index() == pair.b.index()) pair.b = pair.a;
      break;
    case 3: {
      pair.what = "axes in line";
      pair.pose_b.orientation = pair.pose_a.orientation = {};
      if (random.coin()) pair.pose_b.orientation = turn({1, 0, 0}, 90 * random.integer(0, 3));
      for (int i = 0; i < 3; ++i) pair.pose_b.position[i] = random.coin() ? 0 : random.uniform(-1.5, 1.5) * reach;
      if (random.coin()) move_together(pair, {{}, random.rotation()});
      break;
    }
    case 4:
      pair.what = "corner on corner";
      face_each_other(pair, 0, 0, random_gap(size, random), random);
      break;
    case 5:
      pair.what = "edge on edge";
      face_each_other(pair, 1, 1, random_gap(size, random), random);
      break;
    case 6:
      pair.what = "face on face";
      face_each_other(pair, 2, 2, random_gap(size, random), random);
      break;
    case 7:
      pair.what = "corner on face";
      face_each_other(pair, random.coin() ? 2 : 0, random.coin() ? 2 : 0, random_gap(size, random), random);
      break;
    case 8:
      pair.what = "edge on face";
      face_each_other(pair, random.coin() ? 2 : 1, random.coin() ? 2 : 1, random_gap(size, random), random);
      break;
    default: {
      pair.what = "nearly parallel";
      face_each_other(pair, random.integer(0, 2), random.integer(0, 2), random_gap(size, random), random);
      const Real tilt = random.scale(1e-12, 1e-2);
      pair.pose_b.orientation =
          normalized(turn(random.unit(), tilt * 180 / std::numbers::pi) * pair.pose_b.orientation);
      break;
    }
  }
}

}  // namespace detail

/// The `index`-th of a sequence that goes round all ways of placing, with sizes from 1e-3 to 1e3 m, alike or not, near
/// the origin or ten kilometres away from it.
inline ConvexPair random_pair(Kind a, Kind b, int index, Random& random) {
  const Real size = random.scale(1e-3, 1e3);
  const Real ratio = index % 3 == 0 ? random.scale(1e-3 / size, 1e3 / size) : random.uniform(0.3, 3);
  ConvexPair pair;
  pair.a = random_shape(a, size, random);
  pair.b = random_shape(b, size * ratio, random);
  detail::place(pair, index % 10, random);
  if (random.integer(0, 3) == 0) detail::move_together(pair, {1e4 * random.unit(), random.rotation()});
  return pair;
}

/// How far a plane square to n (world, unit) separates the shapes, b in front: a lower bound of the signed distance.
inline Real separation(const ConvexPair& pair, const Vec3& n) {
  const Vec3 n_a = rotate(conjugate(pair.pose_a.orientation), n), n_b = rotate(conjugate(pair.pose_b.orientation), n);
  const Real apart = dot(n, pair.pose_b.position - pair.pose_a.position);
  // A plane is solid without end: it is separated along its normal or not at all.
  if (const Plane* p = std::get_if<Plane>(&pair.a)) return apart - p->offset - reach(pair.b, -n_b);
  if (const Plane* p = std::get_if<Plane>(&pair.b)) return apart - p->offset - reach(pair.a, n_a);
  return apart - reach(pair.a, n_a) - reach(pair.b, -n_b);
}

/// The largest of the defects of an answer, in metres: of on_b − on_a = distance · normal, of the points being on the
/// shapes, and of the plane between them having the width `distance`. Zero proves a positive distance right, both ways;
/// of a negative one it proves that this translation separates, and that the shapes then touch in these points.
inline Real defect(const ConvexPair& pair, const SurfacePair& answer) {
  const Vec3 local_a = rotate(conjugate(pair.pose_a.orientation), answer.on_a - pair.pose_a.position);
  const Vec3 local_b = rotate(conjugate(pair.pose_b.orientation), answer.on_b - pair.pose_b.position);
  return std::max({std::abs(norm(answer.normal) - 1) * pair.smaller(),
                   norm(answer.on_b - answer.on_a - answer.distance * answer.normal), outside(pair.a, local_a),
                   outside(pair.b, local_b), std::abs(separation(pair, answer.normal) - answer.distance)});
}

/// The largest separation among random directions and, by a search with shrinking steps, around the best of them and
/// around `near`: never more than the true signed distance.
inline Real searched_separation(const ConvexPair& pair, const Vec3& near, int directions, Random& random) {
  Vec3 best = near;
  Real most = separation(pair, near);
  const auto climb = [&](Vec3 n, Real value, int rounds) {
    Real step = 0.3;
    for (int i = 0; i < rounds; ++i) {
      const Vec3 m = normalized(n + step * random.unit());
      const Real there = separation(pair, m);
      if (there > value) {
        n = m, value = there;
      } else {
        step *= 0.8;
      }
    }
    most = std::max(most, value);
  };
  Real found = -1e300;
  for (int i = 0; i < directions; ++i) {
    const Vec3 n = random.unit();
    const Real value = separation(pair, n);
    if (value > found) found = value, best = n;
  }
  climb(best, found, 2 * directions);
  climb(near, separation(pair, near), directions);
  return most;
}

}  // namespace carom::test
