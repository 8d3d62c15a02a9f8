// Random convex shapes, and what a test needs to know of them. Support functions and insides are written down once more
// here, in closed form or over all corners, so that tests share nothing with the engine's.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "carom/geometry/shape.h"
#include "geometry/hull.h"
#include "geometry/polyhedron.h"
#include "support/random.h"

namespace carom::test {

/// The convex kinds, by their index in Shape::Geometry.
enum class Kind { Sphere, Box, Capsule, Plane, Cylinder, Cone, Ellipsoid, Hull };
inline constexpr Kind kKinds[] = {Kind::Sphere,   Kind::Box,  Kind::Capsule,   Kind::Plane,
                                  Kind::Cylinder, Kind::Cone, Kind::Ellipsoid, Kind::Hull};

inline const char* name_of(Kind kind) {
  constexpr const char* kNames[] = {"sphere", "box", "capsule", "plane", "cylinder", "cone", "ellipsoid", "hull"};
  return kNames[static_cast<std::size_t>(kind)];
}

inline Kind kind_of(const Shape::Geometry& shape) { return static_cast<Kind>(shape.index()); }

/// Every pair once, without plane against plane.
inline std::vector<std::pair<Kind, Kind>> all_kind_pairs() {
  std::vector<std::pair<Kind, Kind>> pairs;
  for (const Kind a : kKinds)
    for (const Kind b : kKinds)
      if (a <= b && !(a == Kind::Plane && b == Kind::Plane)) pairs.emplace_back(a, b);
  return pairs;
}

/// Hulls are slow to make, so they come from a store: two dozen forms with few and with many corners, two sizes a
/// decade.
inline Hull random_hull(Real size, Random& random) {
  constexpr int kForms = 24, kSizes = 13;
  static const std::vector<Hull> kStore = [] {
    Random store(77);
    std::vector<Hull> hulls;
    for (int i = 0; i < kForms; ++i) {
      std::vector<Vec3> points;
      const int count = i % 8 == 7 ? 150 : store.integer(4, 24);
      const Vec3 stretch{1, store.uniform(0.2, 1), store.uniform(0.1, 1)};
      for (int k = 0; k < count; ++k) {
        const Vec3 p = i % 2 == 0 ? store.unit() : store.vector(1);
        points.push_back({stretch.x * p.x, stretch.y * p.y, stretch.z * p.z});
      }
      for (int s = 0; s < kSizes; ++s) {
        std::vector<Vec3> scaled = points;
        for (Vec3& p : scaled) p *= 1e-3 * std::pow(10, 0.5 * s);
        hulls.push_back({make_hull(scaled).value()});
      }
    }
    return hulls;
  }();
  const int slot = std::clamp(static_cast<int>(std::lround(2 * std::log10(size / 1e-3))), 0, kSizes - 1);
  const int chosen = kSizes * random.integer(0, kForms - 1) + slot;
  return kStore[static_cast<std::size_t>(chosen)];
}

inline Shape::Geometry random_shape(Kind kind, Real size, Random& random) {
  // Mostly stout, sometimes thin.
  const auto length = [&] {
    return size * (random.integer(0, 9) == 0 ? random.uniform(0.01, 0.1) : random.uniform(0.2, 1));
  };
  switch (kind) {
    case Kind::Sphere:
      return Sphere{size};
    case Kind::Box:
      return random.integer(0, 3) == 0 ? Box{{size, size, size}} : Box{{length(), length(), length()}};
    case Kind::Capsule:
      return Capsule{length(), random.integer(0, 9) == 0 ? 0 : length()};
    case Kind::Plane:
      return Plane{random.coin() ? Vec3{0, 0, 1} : random.unit(), random.uniform(-size, size)};
    case Kind::Cylinder:
      return Cylinder{length(), length()};
    case Kind::Cone:
      return Cone{length(), length()};
    case Kind::Ellipsoid:
      return random.integer(0, 5) == 0 ? Ellipsoid{{size, size, length()}} : Ellipsoid{{length(), length(), length()}};
    case Kind::Hull:
      return random_hull(size, random);
  }
  return Sphere{size};
}

inline Real across(const Vec3& n) { return std::sqrt(n.x * n.x + n.y * n.y); }
inline Vec3 times(const Vec3& a, const Vec3& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

/// Largest value of dot(n, x) over the shape (its own frame, n unit). Not for planes.
inline Real reach(const Shape::Geometry& shape, const Vec3& n) {
  switch (kind_of(shape)) {
    case Kind::Sphere:
      return std::get<Sphere>(shape).radius;
    case Kind::Box:
      return dot(std::get<Box>(shape).half_size, {std::abs(n.x), std::abs(n.y), std::abs(n.z)});
    case Kind::Capsule:
      return std::get<Capsule>(shape).radius + std::get<Capsule>(shape).half_length * std::abs(n.z);
    case Kind::Cylinder:
      return std::get<Cylinder>(shape).radius * across(n) + std::get<Cylinder>(shape).half_height * std::abs(n.z);
    case Kind::Cone: {
      const Cone& c = std::get<Cone>(shape);
      return std::max(c.half_height * n.z, c.radius * across(n) - c.half_height * n.z);
    }
    case Kind::Ellipsoid:
      return norm(times(std::get<Ellipsoid>(shape).radii, n));
    default: {
      Real most = -1e300;
      for (const Vec3& v : std::get<Hull>(shape).polyhedron->vertices()) most = std::max(most, dot(n, v));
      return most;
    }
  }
}

/// How far a point lies outside, at least: zero or negative inside and on the surface, and at most the true distance.
inline Real outside(const Shape::Geometry& shape, const Vec3& x) {
  switch (kind_of(shape)) {
    case Kind::Sphere:
      return norm(x) - std::get<Sphere>(shape).radius;
    case Kind::Box: {
      const Vec3 h = std::get<Box>(shape).half_size;
      return std::max({std::abs(x.x) - h.x, std::abs(x.y) - h.y, std::abs(x.z) - h.z});
    }
    case Kind::Capsule: {
      const Capsule& c = std::get<Capsule>(shape);
      return norm(x - Vec3{0, 0, std::clamp(x.z, -c.half_length, c.half_length)}) - c.radius;
    }
    case Kind::Plane:
      return dot(std::get<Plane>(shape).normal, x) - std::get<Plane>(shape).offset;
    case Kind::Cylinder: {
      const Cylinder& c = std::get<Cylinder>(shape);
      return std::max(across(x) - c.radius, std::abs(x.z) - c.half_height);
    }
    case Kind::Cone: {
      // Above the base, and under the side, whose normal has the slope of the height over the radius.
      const Cone& c = std::get<Cone>(shape);
      const Vec3 side = normalized(Vec3{2 * c.half_height, 0, c.radius});
      return std::max(-c.half_height - x.z, side.x * across(x) + side.z * (x.z - c.half_height));
    }
    case Kind::Ellipsoid: {
      // For a unit vector u, reach(u) ≥ dot(u, x) for all points inside.
      const Vec3 r = std::get<Ellipsoid>(shape).radii;
      const Vec3 scaled{x.x / (r.x * r.x), x.y / (r.y * r.y), x.z / (r.z * r.z)};
      const Vec3 u = normalized(scaled);
      return dot(u, x) - reach(shape, u);
    }
    case Kind::Hull: {
      Real most = -1e300;
      for (const Polyhedron::Face& f : std::get<Hull>(shape).polyhedron->faces())
        most = std::max(most, dot(f.normal, x) - f.offset);
      return most;
    }
  }
  return 0;
}

/// Half of the largest width along an axis. Zero for a plane.
inline Real size_of(const Shape::Geometry& shape) {
  if (kind_of(shape) == Kind::Plane) return 0;
  Real most = 0;
  for (const Vec3& n : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
    most = std::max(most, 0.5 * (reach(shape, n) + reach(shape, -n)));
  return most;
}

/// A point of the surface and a unit normal there that supports the shape.
struct SurfacePoint {
  Vec3 point, normal;
};

namespace detail {

inline Real sign(Random& random) { return random.coin() ? 1 : -1; }

inline SurfacePoint on_box(const Box& box, int flat, Random& random) {
  // flat: how many coordinates of the point are free: 2 on a face, 1 on an edge, 0 at a corner.
  const int first = random.integer(0, 2);
  SurfacePoint s;
  for (int k = 0; k < 3; ++k) {
    const int i = (first + k) % 3;
    if (k < flat) {
      s.point[i] = random.uniform(-1, 1) * box.half_size[i];
    } else {
      const Real side = sign(random);
      s.point[i] = side * box.half_size[i];
      s.normal[i] = side * random.uniform(0, 1);
    }
  }
  if (flat == 2) s.normal *= 1e3;  // a zero here would be no normal at all
  s.normal = normalized(s.normal);
  return s;
}

inline SurfacePoint on_hull(const Polyhedron& p, int flat, Random& random) {
  const auto vertex = [&](std::int32_t v) { return p.vertices()[static_cast<std::size_t>(v)]; };
  const auto normal = [&](std::int32_t f) { return p.faces()[static_cast<std::size_t>(f)].normal; };
  if (flat == 2) {
    const int f = random.integer(0, static_cast<int>(p.faces().size()) - 1);
    SurfacePoint s{{}, normal(f)};
    Real total = 0;
    for (const std::int32_t v : p.face_vertices(f)) {
      const Real weight = random.uniform(0, 1);
      s.point += weight * vertex(v), total += weight;
    }
    s.point = s.point / total;
    return s;
  }
  const auto& e = p.edges()[static_cast<std::size_t>(random.integer(0, static_cast<int>(p.edges().size()) - 1))];
  const Real t = random.uniform(0, 1), u = random.uniform(0, 1);
  if (flat == 1)
    return {(1 - t) * vertex(e.tail) + t * vertex(e.head), normalized((1 - u) * normal(e.left) + u * normal(e.right))};
  SurfacePoint s{vertex(e.tail), {}};
  for (const std::int32_t k : p.vertex_edges(e.tail)) {
    const auto& around = p.edges()[static_cast<std::size_t>(k)];
    s.normal += random.uniform(0, 1) * normal(around.tail == e.tail ? around.left : around.right);
  }
  s.normal = normalized(s.normal);
  return s;
}

inline SurfacePoint on_round(Real radius, Real half_height, bool cone, int flat, Random& random) {
  const Vec3 turn = random.unit();
  const Vec3 out = normalized(Vec3{turn.x, turn.y, 0});
  const Real end = cone ? -1 : sign(random);
  const Vec3 rim = radius * out + Vec3{0, 0, end * half_height};
  const Vec3 side = cone ? normalized(2 * half_height * out + Vec3{0, 0, radius}) : out;
  if (flat == 2) return {std::sqrt(random.uniform(0, 1)) * radius * out + Vec3{0, 0, end * half_height}, {0, 0, end}};
  if (flat == 1) {
    const Real t = random.uniform(0, 1);
    return {(1 - t) * rim + t * (cone ? Vec3{0, 0, half_height} : rim - Vec3{0, 0, 2 * end * half_height}), side};
  }
  const Real t = random.uniform(0, 1);
  if (cone && random.coin()) return {{0, 0, half_height}, normalized((1 - t) * side + t * Vec3{0, 0, 1})};
  return {rim, normalized((1 - t) * side + t * Vec3{0, 0, end})};
}

}  // namespace detail

/// A random point of the surface: inside a flat side (2), along a straight line (1) or at a corner or rim (0), where
/// the shape has such.
inline SurfacePoint random_surface_point(const Shape::Geometry& shape, int flat, Random& random) {
  const Vec3 n = random.unit();
  switch (kind_of(shape)) {
    case Kind::Sphere:
      return {std::get<Sphere>(shape).radius * n, n};
    case Kind::Box:
      return detail::on_box(std::get<Box>(shape), flat, random);
    case Kind::Capsule: {
      const Capsule& c = std::get<Capsule>(shape);
      const Vec3 out = normalized(Vec3{n.x, n.y, 0});
      if (flat >= 1) return {c.radius * out + Vec3{0, 0, random.uniform(-1, 1) * c.half_length}, out};
      return {c.radius * n + Vec3{0, 0, std::copysign(c.half_length, n.z)}, n};
    }
    case Kind::Plane: {
      const Plane& p = std::get<Plane>(shape);
      const Vec3 beside = cross(p.normal, n);
      return {p.offset * p.normal + std::abs(p.offset) * beside, p.normal};
    }
    case Kind::Cylinder:
      return detail::on_round(std::get<Cylinder>(shape).radius, std::get<Cylinder>(shape).half_height, false, flat,
                              random);
    case Kind::Cone:
      return detail::on_round(std::get<Cone>(shape).radius, std::get<Cone>(shape).half_height, true, flat, random);
    case Kind::Ellipsoid: {
      const Vec3 r = std::get<Ellipsoid>(shape).radii;
      return {times(r, times(r, n)) / norm(times(r, n)), n};
    }
    case Kind::Hull:
      return detail::on_hull(*std::get<Hull>(shape).polyhedron, flat, random);
  }
  return {};
}

}  // namespace carom::test
