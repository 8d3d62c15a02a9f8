#include "io/walls.h"

#include <algorithm>
#include <limits>
#include <variant>

#include "geometry/polyhedron.h"

namespace carom {
namespace {

/// The steepest ramp that still counts as a floor has this cosine of its slope: 45 degrees.
constexpr Real kFloorCosine = 0.7;

/// The way to x, a point outside of a shape, from the nearest point of its surface, in the shape's frame. Of a hull:
/// from the plane that x lies farthest above, and of an ellipsoid: along the level surface's normal, which will do to
/// tell floors from walls.
Vec3 way_to(const Sphere& s, const Vec3& x) { return x - s.radius * normalized(x); }
Vec3 way_to(const Box& b, const Vec3& x) {
  const Vec3& h = b.half_size;
  return x - Vec3{std::clamp(x.x, -h.x, h.x), std::clamp(x.y, -h.y, h.y), std::clamp(x.z, -h.z, h.z)};
}
Vec3 way_to(const Capsule& c, const Vec3& x) {
  const Vec3 from_axis = x - Vec3{0, 0, std::clamp(x.z, -c.half_length, c.half_length)};
  return from_axis - c.radius * normalized(from_axis);
}
Vec3 way_to(const Plane& p, const Vec3& x) { return (dot(p.normal, x) - p.offset) * p.normal; }
Vec3 way_to(const Cylinder& c, const Vec3& x) {
  const Vec3 across{x.x, x.y, 0};
  const Real beyond = std::max(0.0, norm(across) - c.radius);
  return beyond * normalized(across) + Vec3{0, 0, x.z - std::clamp(x.z, -c.half_height, c.half_height)};
}
Vec3 way_to(const Cone& c, const Vec3& x) {
  // In the plane of x and the axis: from the base, or from the line between its rim and the apex.
  const Vec3 outward = normalized(Vec3{x.x, x.y, 0});
  const Real across = dot(outward, x), height = 2 * c.half_height;
  const Vec3 slope = Vec3{0, 0, height} - c.radius * outward, rim = c.radius * outward - Vec3{0, 0, c.half_height};
  if (x.z < -c.half_height && across <= c.radius) return {0, 0, x.z + c.half_height};
  const Real at = std::clamp(dot(x - rim, slope) / squared_norm(slope), 0.0, 1.0);
  return x - rim - at * slope;
}
Vec3 way_to(const Ellipsoid& e, const Vec3& x) {
  const Vec3 scaled{x.x / e.radii.x, x.y / e.radii.y, x.z / e.radii.z};
  const Vec3 normal = normalized(Vec3{scaled.x / e.radii.x, scaled.y / e.radii.y, scaled.z / e.radii.z});
  return dot(normal, x) * std::max(0.0, 1 - 1 / norm(scaled)) * normal;
}
Vec3 way_to(const Hull& h, const Vec3& x) {
  const auto height = [&](const Polyhedron::Face& face) { return dot(face.normal, x) - face.offset; };
  const auto faces = h.polyhedron->faces();
  const auto& highest = *std::max_element(faces.begin(), faces.end(),
                                          [&](const auto& a, const auto& b) { return height(a) < height(b); });
  return height(highest) * highest.normal;
}
Vec3 way_to(const Compound& c, const Vec3& x) {
  Vec3 shortest;
  Real least = std::numeric_limits<Real>::infinity();
  for (const CompoundPart& part : *c.parts) {
    const Quat& turn = part.pose.orientation;
    const Vec3 local = rotate(conjugate(turn), x - part.pose.position);
    const Vec3 way = rotate(turn, std::visit([&](const auto& g) { return way_to(g, local); }, part.shape->geometry()));
    if (norm(way) < least) least = norm(way), shortest = way;
  }
  return shortest;
}

Pose to_pose(const PoseTracks::Key& key) {
  const auto& p = key.position;
  const auto& q = key.orientation;
  return {{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
}

/// Where the bodies are that move, in three frames.
std::vector<Vec3> sample_positions(const Cast& cast, const PoseTracks& tracks) {
  const std::size_t last = tracks.times().size() - 1;
  std::vector<Vec3> positions;
  for (const std::size_t frame : {std::size_t{0}, last / 2, last})
    for (std::size_t i = 0; i < cast.bodies.size(); ++i)
      if (cast.bodies[i].type == BodyType::Dynamic) positions.push_back(to_pose(tracks.key(frame, i)).position);
  return positions;
}

}  // namespace

std::vector<bool> find_walls(const Cast& cast, const PoseTracks& tracks) {
  const Vec3 up = squared_norm(cast.gravity) > 0 ? normalized(-cast.gravity) : Vec3{0, 0, 1};
  const std::vector<Vec3> positions = sample_positions(cast, tracks);

  std::vector<bool> walls(cast.bodies.size(), false);
  for (std::size_t i = 0; i < cast.bodies.size(); ++i) {
    if (cast.bodies[i].type != BodyType::Fixed) continue;
    const Pose pose = to_pose(tracks.key(0, i));
    walls[i] = std::any_of(positions.begin(), positions.end(), [&](const Vec3& position) {
      const Vec3 x = rotate(conjugate(pose.orientation), position - pose.position);
      const Vec3 way = std::visit([&](const auto& g) { return way_to(g, x); }, cast.bodies[i].shape->geometry());
      const Vec3 away = rotate(pose.orientation, way);
      return dot(away, up) < kFloorCosine * norm(away);
    });
  }
  return walls;
}

}  // namespace carom
