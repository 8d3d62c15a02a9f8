#include "collision/contact_side.h"

#include <cmath>

#include "geometry/polyhedron.h"
#include "geometry/support.h"

namespace carom {
namespace {

/// Of a hull with more faces than this the iteration costs no more than looking at them.
constexpr std::size_t kMostFaces = 64;

/// The other shape as a side sees it, in the frame of the side's shape.
class Other {
 public:
  Other(const Placed& a, const Placed& b)
      : b_(b),
        offset_(transposed_times(a.rotation, b.position - a.position)),
        rotation_(transposed(a.rotation) * b.rotation) {}

  const Vec3& center() const { return offset_; }
  Vec3 farthest(const Vec3& d) const {
    return offset_ + rotation_ * support(*b_.geometry, transposed_times(rotation_, d));
  }

 private:
  const Placed& b_;
  Vec3 offset_;
  Mat3 rotation_;
};

SurfacePair pair_at(const Placed& a, const Vec3& normal, const Vec3& point, Real distance) {
  const Vec3 n = a.rotation * normal, on_b = a.position + a.rotation * point;
  return {on_b - distance * n, on_b, n, distance};
}

SideAnswer look(const Placed& a, const Box& box, const Other& other, Real margin, SurfacePair& nearest) {
  int best = 0;
  Real distance = -1e300;
  Vec3 normal, point;
  for (int i = 0; i < 3; ++i) {
    Vec3 n;
    n[i] = std::copysign(1.0, other.center()[i]);
    const Vec3 p = other.farthest(-n);
    const Real d = n[i] * p[i] - box.half_size[i];
    if (d > margin) return SideAnswer::Apart;
    if (d > distance) distance = d, best = i, normal = n, point = p;
  }
  // Neither the other sides nor the one opposite may be nearer.
  if (distance < -box.half_size[best]) return SideAnswer::Unknown;
  for (int i = 0; i < 3; ++i)
    if (i != best && std::abs(point[i]) - box.half_size[i] > std::min(distance, 0.0)) return SideAnswer::Unknown;
  nearest = pair_at(a, normal, point, distance);
  return SideAnswer::Settled;
}

SideAnswer look(const Placed& a, const Polyhedron& hull, const Other& other, Real margin, SurfacePair& nearest) {
  const std::span<const Polyhedron::Face> faces = hull.faces();
  if (faces.size() > kMostFaces) return SideAnswer::Unknown;
  // The face that the other's centre lies farthest outside of.
  std::size_t best = 0;
  Real highest = -1e300;
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const Real height = dot(faces[f].normal, other.center()) - faces[f].offset;
    if (height > highest) highest = height, best = f;
  }
  const Vec3 point = other.farthest(-faces[best].normal);
  const Real distance = dot(faces[best].normal, point) - faces[best].offset;
  if (distance > margin) return SideAnswer::Apart;
  if (distance <= 0) {
    for (std::size_t f = 0; f < faces.size(); ++f)
      if (f != best && dot(faces[f].normal, point) - faces[f].offset > distance) return SideAnswer::Unknown;
  } else {
    const auto corners = hull.face_vertices(static_cast<std::int32_t>(best));
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const Vec3& from = hull.vertices()[static_cast<std::size_t>(corners[k])];
      const Vec3& to = hull.vertices()[static_cast<std::size_t>(corners[(k + 1) % corners.size()])];
      if (dot(cross(to - from, faces[best].normal), point - from) > 0) return SideAnswer::Unknown;
    }
  }
  nearest = pair_at(a, faces[best].normal, point, distance);
  return SideAnswer::Settled;
}

}  // namespace

SideAnswer look_from_sides(const Placed& a, const Placed& b, Real margin, SurfacePair& nearest) {
  if (const auto* box = std::get_if<Box>(a.geometry)) return look(a, *box, Other(a, b), margin, nearest);
  if (const auto* hull = std::get_if<Hull>(a.geometry)) return look(a, *hull->polyhedron, Other(a, b), margin, nearest);
  return SideAnswer::Unknown;
}

}  // namespace carom
