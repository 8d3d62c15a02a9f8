#include "io/walls.h"

#include <algorithm>
#include <variant>

namespace carom {
namespace {

/// The steepest ramp that still counts as a floor has this cosine of its slope: 45 degrees.
constexpr Real kFloorCosine = 0.7;

/// The point of a shape's surface that is nearest to x, a point outside of it, in the shape's frame.
Vec3 nearest(const Sphere& s, const Vec3& x) { return s.radius * normalized(x); }
Vec3 nearest(const Box& b, const Vec3& x) {
  const Vec3& h = b.half_size;
  return {std::clamp(x.x, -h.x, h.x), std::clamp(x.y, -h.y, h.y), std::clamp(x.z, -h.z, h.z)};
}
Vec3 nearest(const Capsule& c, const Vec3& x) {
  const Vec3 center{0, 0, std::clamp(x.z, -c.half_length, c.half_length)};
  return center + c.radius * normalized(x - center);
}
Vec3 nearest(const Plane& p, const Vec3& x) { return x - (dot(p.normal, x) - p.offset) * p.normal; }

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
      const Vec3 surface = std::visit([&](const auto& g) { return nearest(g, x); }, cast.bodies[i].shape->geometry());
      const Vec3 away = rotate(pose.orientation, x - surface);
      return dot(away, up) < kFloorCosine * norm(away);
    });
  }
  return walls;
}

}  // namespace carom
