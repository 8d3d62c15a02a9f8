// Shapes placed in the world, for the tests of contact points.
#pragma once

#include <algorithm>
#include <vector>

#include "collision/pairs.h"
#include "support/random.h"

namespace carom::test {

/// A shape with a pose.
struct Thing {
  ShapePtr shape;
  Pose pose;

  Placed placed() const { return {&shape->geometry(), pose.position, to_matrix(pose.orientation)}; }
  Thing moved(const Pose& by) const { return {shape, compose(by, pose)}; }
};

inline Manifold contacts(const Thing& a, const Thing& b, Real margin, std::uint8_t axis = 0) {
  Manifold m;
  m.axis = axis;
  collide(a.placed(), b.placed(), margin, m);
  return m;
}

inline std::vector<ManifoldPoint> points(const Manifold& m) { return {m.points.begin(), m.points.begin() + m.count}; }

inline Real least_gap(const Manifold& m) {
  Real least = 1e300;
  for (const ManifoldPoint& p : points(m)) least = std::min(least, p.gap);
  return least;
}

/// The box as separating axes see it.
struct BoxAxes {
  Vec3 half, center;
  Mat3 rotation;

  explicit BoxAxes(const Thing& thing)
      : half(std::get<Box>(thing.shape->geometry()).half_size),
        center(thing.pose.position),
        rotation(to_matrix(thing.pose.orientation)) {}

  Real reach(const Vec3& n) const {
    Real sum = 0;
    for (int i = 0; i < 3; ++i) sum += half[i] * std::abs(dot(n, rotation.column(i)));
    return sum;
  }
};

/// How far the boxes are apart along a unit direction from a to b.
inline Real separation_along(const BoxAxes& a, const BoxAxes& b, const Vec3& n) {
  return dot(n, b.center - a.center) - a.reach(n) - b.reach(n);
}

/// Separations of two boxes along the fifteen axes that decide whether they overlap, largest first.
inline std::vector<Real> axis_separations(const BoxAxes& a, const BoxAxes& b) {
  std::vector<Real> all;
  const auto consider = [&](const Vec3& n) {
    if (norm(n) > 1e-3)
      all.push_back(std::max(separation_along(a, b, normalized(n)), separation_along(a, b, -normalized(n))));
  };
  for (int i = 0; i < 3; ++i) {
    consider(a.rotation.column(i));
    consider(b.rotation.column(i));
    for (int j = 0; j < 3; ++j) consider(cross(a.rotation.column(i), b.rotation.column(j)));
  }
  std::sort(all.begin(), all.end(), std::greater<>());
  return all;
}

inline ShapePtr random_box_shape(Random& random) {
  return Shape::box({random.uniform(0.2, 2), random.uniform(0.2, 2), random.uniform(0.2, 2)});
}

/// Corners all around, of a hull of about that radius.
inline std::vector<Vec3> random_corners(Random& random, int count, Real radius) {
  std::vector<Vec3> points;
  points.reserve(static_cast<std::size_t>(count) + 4);
  for (int i = 0; i < count; ++i) points.push_back(random.uniform(0.5, 1) * radius * random.unit());
  // These four keep it from being flat.
  for (const Vec3& p : {Vec3{1, 1, 1}, Vec3{1, -1, -1}, Vec3{-1, 1, -1}, Vec3{-1, -1, 1}})
    points.push_back(0.4 * radius * p);
  return points;
}

/// Of any convex kind, by its index in `Shape::Geometry`; sizes are between 0.1 and 2.
inline ShapePtr random_shape(Random& random, int kind) {
  switch (kind) {
    case 0:
      return Shape::sphere(random.uniform(0.1, 1));
    case 1:
      return random_box_shape(random);
    case 2:
      return Shape::capsule(random.uniform(0.1, 0.5), random.uniform(0, 2));
    case 3:
      return Shape::plane(random.unit(), random.uniform(-1, 1));
    case 4:
      return Shape::cylinder(random.uniform(0.1, 1), random.uniform(0.1, 2));
    case 5:
      return Shape::cone(random.uniform(0.1, 1), random.uniform(0.2, 2));
    case 6:
      return Shape::ellipsoid({random.uniform(0.2, 1), random.uniform(0.2, 1), random.uniform(0.2, 1)});
    default:
      return Shape::hull(random_corners(random, random.integer(0, 20), random.uniform(0.3, 1)));
  }
}

}  // namespace carom::test
