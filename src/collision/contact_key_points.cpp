#include "collision/contact_key_points.h"

#include <algorithm>
#include <cmath>

#include "geometry/polyhedron.h"

namespace carom {

RimDirections::RimDirections(Real slope_x, Real slope_y) {
  const Real length = std::sqrt(slope_x * slope_x + slope_y * slope_y);
  if (length <= kParallel) return;
  x = slope_x / length;
  y = slope_y / length;
  name = 0;
}

std::array<Real, 2> RimDirections::operator[](unsigned role) const {
  switch (role) {
    case 0:
      return {x, y};
    case 1:
      return {-y, x};
    case 2:
      return {-x, -y};
    default:
      return {y, -x};
  }
}

KeyPoints::KeyPoints(const Placed& shape, const Vec3& direction, Real least) {
  const Vec3 local = transposed_times(shape.rotation, direction);
  if (const auto* sphere = std::get_if<Sphere>(shape.geometry)) {
    add(shape.position, 0, sphere->radius);
  } else if (const auto* box = std::get_if<Box>(shape.geometry)) {
    for (unsigned corner = 0; corner < 8; ++corner) {
      Vec3 h = box->half_size;
      for (int i = 0; i < 3; ++i)
        if ((corner >> i & 1U) == 0) h[i] = -h[i];
      add(shape.position + shape.rotation * h, corner);
    }
  } else if (const auto* capsule = std::get_if<Capsule>(shape.geometry)) {
    add(shape.position + -capsule->half_length * shape.rotation.column(2), 1, capsule->radius);
    add(shape.position + capsule->half_length * shape.rotation.column(2), 2, capsule->radius);
  } else if (const auto* cylinder = std::get_if<Cylinder>(shape.geometry)) {
    add_rim(shape, cylinder->radius, -cylinder->half_height, local, 0);
    add_rim(shape, cylinder->radius, cylinder->half_height, local, kUpperRim);
  } else if (const auto* cone = std::get_if<Cone>(shape.geometry)) {
    add_rim(shape, cone->radius, -cone->half_height, local, 0);
    add(shape.position + cone->half_height * shape.rotation.column(2), kApex);
  } else if (const auto* ellipsoid = std::get_if<Ellipsoid>(shape.geometry)) {
    const Vec3 r = ellipsoid->radii;
    const Vec3 scaled{r.x * local.x, r.y * local.y, r.z * local.z};
    const Real width = norm(scaled);
    add(shape.position + shape.rotation * (Vec3{r.x * scaled.x, r.y * scaled.y, r.z * scaled.z} / width), 0);
  } else if (const auto* hull = std::get_if<Hull>(shape.geometry)) {
    add_corners(shape, *hull, local, least - dot(direction, shape.position));
  }
}

void KeyPoints::add_rim(const Placed& shape, Real radius, Real height, const Vec3& local, unsigned name) {
  const RimDirections directions(local.x, local.y);
  for (unsigned role = 0; role < kRimPoints; ++role) {
    const auto [c, s] = directions[role];
    add(shape.position + shape.rotation * Vec3{radius * c, radius * s, height}, name + directions.name + role);
  }
}

void KeyPoints::add_corners(const Placed& shape, const Hull& hull, const Vec3& local, Real least) {
  const Polyhedron& polyhedron = *hull.polyhedron;
  const auto at = [&](std::int32_t v) { return polyhedron.vertices()[static_cast<std::size_t>(v)]; };
  const std::int32_t farthest = polyhedron.farthest_vertex(local);
  // The corners above a plane are connected among themselves: a flood from the farthest finds them all.
  add(shape.position + shape.rotation * at(farthest), static_cast<unsigned>(farthest));
  for (int i = 0; i < count_; ++i) {
    const std::int32_t from = list_[static_cast<std::size_t>(i)].name;
    for (const std::int32_t edge : polyhedron.vertex_edges(from)) {
      const std::int32_t to = polyhedron.other_end(edge, from);
      if (dot(local, at(to)) < least || count_ == kCapacity) continue;
      const auto same = [to](const KeyPoint& p) { return p.name == to; };
      if (std::none_of(begin(), end(), same)) add(shape.position + shape.rotation * at(to), static_cast<unsigned>(to));
    }
  }
}

}  // namespace carom
