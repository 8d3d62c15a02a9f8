#include "geometry/ray.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/polyhedron.h"

namespace carom {
namespace {

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

struct Line {
  Vec3 origin, direction;
  Vec3 at(Real t) const { return origin + t * direction; }
};

/// The part of a line that is inside, and the normal where it begins (of any length).
struct Inside {
  Real enter = -kInfinity, exit = kInfinity;
  Vec3 normal;

  bool empty() const { return !(enter <= exit); }
  void miss() { enter = kInfinity, exit = -kInfinity; }
  void clip(Real from, Real to, const Vec3& normal_there) {
    if (from > enter) enter = from, normal = normal_there;
    exit = std::min(exit, to);
  }
};

/// Where dot(normal, x) ≤ offset.
void clip_half_space(const Line& line, const Vec3& normal, Real offset, Inside& inside) {
  const Real height = dot(normal, line.origin) - offset, slope = dot(normal, line.direction);
  if (slope < 0) {
    inside.clip(-height / slope, kInfinity, normal);
  } else if (slope > 0) {
    inside.exit = std::min(inside.exit, -height / slope);
  } else if (height > 0) {
    inside.miss();
  }
}

void clip_slab(const Line& line, int axis, Real half, Inside& inside) {
  Vec3 normal;
  normal[axis] = 1;
  clip_half_space(line, normal, half, inside);
  clip_half_space(line, -normal, half, inside);
}

/// Roots of a t² + 2 b t + c, the smaller first, without cancellation; false where there are none.
bool solve(Real a, Real b, Real c, Real discriminant, Real& low, Real& high) {
  if (discriminant < 0) return false;
  const Real q = -(b + std::copysign(std::sqrt(discriminant), b));
  const Real first = a != 0 ? q / a : std::copysign(kInfinity, q), second = q != 0 ? c / q : (a != 0 ? q / a : 0);
  low = std::min(first, second);
  high = std::max(first, second);
  return true;
}

/// The ellipsoid with these radii; an infinite radius makes it an endless cylinder.
void clip_ellipsoid(const Line& line, const Vec3& radii, Inside& inside) {
  Vec3 o, d;
  for (int i = 0; i < 3; ++i) o[i] = line.origin[i] / radii[i], d[i] = line.direction[i] / radii[i];
  const Real a = squared_norm(d);
  if (a == 0) {
    if (squared_norm(o) > 1) inside.miss();
    return;
  }
  // From the point nearest to the centre, as far as the ball reaches to both sides.
  const Real middle = -dot(o, d) / a;
  const Vec3 nearest = o + middle * d;
  const Real rest = 1 - squared_norm(nearest);
  if (rest < 0) {
    inside.miss();
    return;
  }
  const Real half = std::sqrt(rest / a);
  const Vec3 entry = o + (middle - half) * d;
  inside.clip(middle - half, middle + half, {entry.x / radii.x, entry.y / radii.y, entry.z / radii.z});
}

/// The nappe under its apex at z = top, of which the radius grows by `slope` a metre downwards.
void clip_nappe(const Line& line, Real top, Real slope, Inside& inside) {
  const Vec3 &o = line.origin, &d = line.direction;
  const Real k2 = slope * slope, w = top - o.z;
  const Real a = d.x * d.x + d.y * d.y - k2 * d.z * d.z, b = o.x * d.x + o.y * d.y + k2 * w * d.z;
  const Real c = o.x * o.x + o.y * o.y - k2 * w * w;
  // b² − a c, with the squares that cancel left out.
  const Real turn = o.x * d.y - o.y * d.x;
  const Real px = o.x * d.z + d.x * w, py = o.y * d.z + d.y * w;
  const Real discriminant = k2 * (px * px + py * py) - turn * turn;
  if (a == 0 && b == 0) {
    // Along the surface: all of it is in the nappe, or nothing.
    if (c > 0) inside.miss();
    clip_half_space(line, {0, 0, 1}, top, inside);
    return;
  }
  Real low = 0, high = 0;
  // A line steeper than the surface meets both nappes; rounding alone can say otherwise.
  if (!solve(a, b, c, a < 0 ? std::max(discriminant, 0.0) : discriminant, low, high)) {
    inside.miss();
    return;
  }
  const auto normal = [&](Real t) {
    const Vec3 x = line.at(t);
    const Vec3 n{x.x, x.y, k2 * (top - x.z)};
    return squared_norm(n) > 0 ? n : Vec3{0, 0, 1};
  };
  if (a < 0) {
    if (d.z > 0) {
      inside.exit = std::min(inside.exit, low);
    } else {
      inside.clip(high, kInfinity, normal(high));
    }
  } else if (a == 0) {
    // Parallel to the surface: from one root on, and down the nappe or up the other.
    const Real root = std::isinf(low) ? high : low;
    if ((b > 0) != (d.z > 0)) {
      inside.miss();
    } else if (b > 0) {
      inside.exit = std::min(inside.exit, root);
    } else {
      inside.clip(root, kInfinity, normal(root));
    }
  } else if (w - d.z * 0.5 * (low + high) < 0) {
    inside.miss();  // the other nappe
  } else {
    inside.clip(low, high, normal(low));
  }
}

Inside crossing(const Line& line, const Sphere& s) {
  Inside inside;
  clip_ellipsoid(line, {s.radius, s.radius, s.radius}, inside);
  return inside;
}

Inside crossing(const Line& line, const Box& box) {
  Inside inside;
  for (int i = 0; i < 3; ++i) clip_slab(line, i, box.half_size[i], inside);
  return inside;
}

Inside crossing(const Line& line, const Cylinder& c) {
  Inside inside;
  clip_ellipsoid(line, {c.radius, c.radius, kInfinity}, inside);
  clip_slab(line, 2, c.half_height, inside);
  return inside;
}

Inside crossing(const Line& line, const Capsule& c) {
  Inside whole = crossing(line, Cylinder{c.radius, c.half_length});
  for (const Real end : {-c.half_length, c.half_length}) {
    const Inside ball = crossing({line.origin - Vec3{0, 0, end}, line.direction}, Sphere{c.radius});
    if (ball.empty()) continue;
    if (whole.empty()) {
      whole = ball;
      continue;
    }
    if (ball.enter < whole.enter) whole.enter = ball.enter, whole.normal = ball.normal;
    whole.exit = std::max(whole.exit, ball.exit);
  }
  return whole;
}

Inside crossing(const Line& line, const Cone& c) {
  Inside inside;
  clip_nappe(line, c.half_height, c.radius / (2 * c.half_height), inside);
  clip_half_space(line, {0, 0, -1}, c.half_height, inside);
  return inside;
}

Inside crossing(const Line& line, const Ellipsoid& e) {
  Inside inside;
  clip_ellipsoid(line, e.radii, inside);
  return inside;
}

Inside crossing(const Line& line, const Hull& hull) {
  Inside inside;
  for (const Polyhedron::Face& face : hull.polyhedron->faces()) {
    clip_half_space(line, face.normal, face.offset, inside);
    if (inside.empty()) break;
  }
  return inside;
}

Inside crossing(const Line& line, const Plane& plane) {
  Inside inside;
  clip_half_space(line, plane.normal, plane.offset, inside);
  return inside;
}

std::optional<RayCrossing> nearest_part(const Compound& compound, const Vec3& origin, const Vec3& direction,
                                        Real length) {
  std::optional<RayCrossing> nearest;
  for (const CompoundPart& part : *compound.parts) {
    const Quat back = conjugate(part.pose.orientation);
    const auto hit = cross_ray(part.shape->geometry(), rotate(back, origin - part.pose.position),
                               rotate(back, direction), nearest ? nearest->distance : length);
    if (!hit || (nearest && hit->distance >= nearest->distance)) continue;
    nearest = hit;
    nearest->normal = rotate(part.pose.orientation, hit->normal);
  }
  return nearest;
}

}  // namespace

std::optional<RayCrossing> cross_ray(const Shape::Geometry& geometry, const Vec3& origin, const Vec3& direction,
                                     Real length) {
  if (const auto* compound = std::get_if<Compound>(&geometry))
    return nearest_part(*compound, origin, direction, length);
  const Real ahead = -dot(origin, direction);
  const Line line{origin + ahead * direction, direction};
  const Inside inside = std::visit(
      [&]<class Kind>(const Kind& kind) {
        if constexpr (std::is_same_v<Kind, Compound>) {
          return Inside{};
        } else {
          return crossing(line, kind);
        }
      },
      geometry);
  if (inside.empty() || inside.exit + ahead < 0 || inside.enter + ahead > length) return std::nullopt;
  const Real distance = inside.enter + ahead;
  if (distance < 0) return RayCrossing{0, -direction, true};
  return RayCrossing{distance, normalized(inside.normal), false};
}

}  // namespace carom
