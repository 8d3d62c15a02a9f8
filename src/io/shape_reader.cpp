#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "io/body_reader.h"
#include "io/scene_keys.h"
#include "math/trig.h"

namespace carom {
namespace {

ShapePtr read_sphere(const JsonView& view) {
  if (!view.matches(scene_keys::kSphere)) return nullptr;
  const Real radius = view.find("radius")->positive();
  return view.ok() ? Shape::sphere(radius) : nullptr;
}

ShapePtr read_box(const JsonView& view) {
  if (!view.matches(scene_keys::kBox)) return nullptr;
  const Vec3 size = view.find("size")->positive3();
  return view.ok() ? Shape::box(size) : nullptr;
}

ShapePtr read_capsule(const JsonView& view) {
  if (!view.matches(scene_keys::kCapsule)) return nullptr;
  const Real radius = view.find("radius")->positive();
  const Real length = view.find("length")->non_negative();
  return view.ok() ? Shape::capsule(radius, length) : nullptr;
}

ShapePtr read_plane(const JsonView& view) {
  if (!view.matches(scene_keys::kPlane)) return nullptr;
  const Vec3 normal = view.find("normal")->direction();
  const auto offset = view.find("offset");
  const Real distance = offset ? offset->number() : 0;
  return view.ok() ? Shape::plane(normal, distance) : nullptr;
}

struct ShapeEntry {
  const char* name;
  const ObjectSpec* spec;
  ShapePtr (*read)(const JsonView&);  ///< null: in the format, but not in this version
};

const ShapeEntry kShapes[] = {
    {"sphere", &scene_keys::kSphere, read_sphere},
    {"box", &scene_keys::kBox, read_box},
    {"capsule", &scene_keys::kCapsule, read_capsule},
    {"plane", &scene_keys::kPlane, read_plane},
    {"ellipsoid", &scene_keys::kEllipsoid, nullptr},
    {"cylinder", &scene_keys::kCylinder, nullptr},
    {"cone", &scene_keys::kCone, nullptr},
    {"hull", &scene_keys::kHull, nullptr},
    {"mesh", &scene_keys::kMesh, nullptr},
    {"heightfield", &scene_keys::kHeightfield, nullptr},
};

void refuse_shape(const JsonView& view) {
  view.complain(
      fmt::format("the shape \"{}\" is not supported yet; expected one of sphere, box, capsule, plane", view.key()));
}

Quat read_quaternion(const JsonView& view) {
  if (!view.is_list_of(4, "a quaternion [w, x, y, z]")) return {};
  const std::vector<JsonView> items = view.items();
  const Quat q{items[0].number(), items[1].number(), items[2].number(), items[3].number()};
  const Real largest = std::max({std::abs(q.w), std::abs(q.x), std::abs(q.y), std::abs(q.z)});
  if (!view.ok()) return {};
  if (largest == 0) {
    view.complain("a quaternion of length zero", "a rotation");
    return {};
  }
  return normalized(Quat{q.w / largest, q.x / largest, q.y / largest, q.z / largest});
}

/// Whole turns are taken off first: that is exact, and keeps the argument of the sine small.
Quat turn(const Vec3& axis, Real degrees) {
  constexpr Real kRadiansPerDegree = 3.14159265358979323846 / 180;
  return rotation(std::fmod(degrees, 360.0) * kRadiansPerDegree * axis);
}

}  // namespace

ShapePtr read_shape(const JsonView& view) {
  if (!view.matches(scene_keys::kShape)) return nullptr;
  const JsonView geometry = view.members().front();
  for (const ShapeEntry& entry : kShapes) {
    if (geometry.key() != entry.name) continue;
    if (entry.read != nullptr) return entry.read(geometry);
    if (geometry.matches(*entry.spec)) refuse_shape(geometry);
    return nullptr;
  }
  for (const JsonView& part : geometry.items()) part.matches(scene_keys::kCompoundPart);
  refuse_shape(geometry);
  return nullptr;
}

Quat read_orientation(const JsonView& view) {
  if (view.kind() == JsonKind::Array) return read_quaternion(view);
  if (view.find("rpy_degrees")) {
    if (!view.matches(scene_keys::kRollPitchYaw)) return {};
    const Vec3 rpy = view.find("rpy_degrees")->vec3();
    return normalized(turn({0, 0, 1}, rpy.z) * turn({0, 1, 0}, rpy.y) * turn({1, 0, 0}, rpy.x));
  }
  if (view.find("axis") || view.find("degrees")) {
    if (!view.matches(scene_keys::kAxisAngle)) return {};
    return normalized(turn(view.find("axis")->direction(), view.find("degrees")->number()));
  }
  view.expected(R"([w, x, y, z], {"axis": [x, y, z], "degrees": a} or {"rpy_degrees": [r, p, y]})");
  return {};
}

}  // namespace carom
