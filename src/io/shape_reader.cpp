#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "io/body_reader.h"
#include "io/closest.h"
#include "io/obj_file.h"
#include "io/scene_keys.h"
#include "math/trig.h"

namespace carom {
namespace {

ShapePtr read_sphere(const JsonView& view, SceneFiles& /*files*/) {
  const Real radius = view.find("radius")->positive();
  return view.ok() ? Shape::sphere(radius) : nullptr;
}

ShapePtr read_box(const JsonView& view, SceneFiles& /*files*/) {
  const Vec3 size = view.find("size")->positive3();
  return view.ok() ? Shape::box(size) : nullptr;
}

ShapePtr read_capsule(const JsonView& view, SceneFiles& /*files*/) {
  const Real radius = view.find("radius")->positive();
  const Real length = view.find("length")->non_negative();
  return view.ok() ? Shape::capsule(radius, length) : nullptr;
}

ShapePtr read_plane(const JsonView& view, SceneFiles& /*files*/) {
  const Vec3 normal = view.find("normal")->direction();
  const auto offset = view.find("offset");
  const Real distance = offset ? offset->number() : 0;
  return view.ok() ? Shape::plane(normal, distance) : nullptr;
}

ShapePtr read_cylinder(const JsonView& view, SceneFiles& /*files*/) {
  const Real radius = view.find("radius")->positive();
  const Real height = view.find("height")->positive();
  return view.ok() ? Shape::cylinder(radius, height) : nullptr;
}

ShapePtr read_cone(const JsonView& view, SceneFiles& /*files*/) {
  const Real radius = view.find("radius")->positive();
  const Real height = view.find("height")->positive();
  return view.ok() ? Shape::cone(radius, height) : nullptr;
}

ShapePtr read_ellipsoid(const JsonView& view, SceneFiles& /*files*/) {
  const Vec3 radii = view.find("radii")->positive3();
  return view.ok() ? Shape::ellipsoid(radii) : nullptr;
}

/// Null after a complaint.
ShapePtr hull_of(const JsonView& view, const std::vector<Vec3>& points) {
  const Result<ShapePtr> hull = Shape::try_hull(points);
  if (!hull) view.complain(hull.message());
  return hull ? hull.value() : nullptr;
}

ShapePtr read_hull_file(const JsonView& view, SceneFiles& files) {
  const std::string name = view.text();
  if (!view.ok()) return nullptr;
  const std::string path = (std::filesystem::path(files.folder) / name).string();
  const Result<std::vector<Vec3>> points = load_obj_points(path);
  if (!points) {
    view.complain(points.message());
    return nullptr;
  }
  const ShapePtr hull = hull_of(view, points.value());
  if (!hull) return nullptr;
  // The hull of the corners is what a recording will be resumed with: the same now, to the last bit.
  const auto corners = hull->corners();
  files.hulls.emplace_back(corners.begin(), corners.end());
  return hull_of(view, files.hulls.back());
}

ShapePtr read_hull(const JsonView& view, SceneFiles& files) {
  if (const auto file = view.find("file")) return read_hull_file(*file, files);
  const JsonView list = *view.find("points");
  std::vector<Vec3> points;
  for (const JsonView& point : list.items()) {
    points.push_back(point.vec3());
    if (!view.ok()) return nullptr;
  }
  return view.ok() ? hull_of(list, points) : nullptr;
}

CompoundPart read_part(const JsonView& view, SceneFiles& files) {
  CompoundPart part;
  if (!view.matches(scene_keys::kCompoundPart)) return part;
  const JsonView shape = *view.find("shape");
  part.shape = read_shape(shape, files);
  if (part.shape && std::holds_alternative<Compound>(part.shape->geometry()))
    shape.complain("a compound in a compound", "any other shape");
  if (part.shape && !part.shape->is_bounded()) shape.complain("a plane in a compound", "a shape that is bounded");
  if (const auto v = view.find("position")) part.pose.position = v->vec3();
  if (const auto v = view.find("orientation")) part.pose.orientation = read_orientation(*v);
  if (const auto v = view.find("density")) part.density = v->positive();
  return part;
}

ShapePtr read_compound(const JsonView& view, SceneFiles& files) {
  std::vector<CompoundPart> parts;
  const std::vector<JsonView> items = view.items();
  if (items.size() > Shape::kMostParts) view.expected(fmt::format("at most {} parts", Shape::kMostParts));
  for (const JsonView& item : items) {
    if (!view.ok()) return nullptr;
    parts.push_back(read_part(item, files));
  }
  if (view.ok() && parts.empty()) view.expected("at least one part");
  return view.ok() ? Shape::compound(std::move(parts)) : nullptr;
}

struct ShapeEntry {
  const char* name;
  const ObjectSpec* spec;                          ///< null: a list
  ShapePtr (*read)(const JsonView&, SceneFiles&);  ///< null: in the format, but not in this version
};

const ShapeEntry kShapes[] = {
    {"sphere", &scene_keys::kSphere, read_sphere},
    {"box", &scene_keys::kBox, read_box},
    {"capsule", &scene_keys::kCapsule, read_capsule},
    {"plane", &scene_keys::kPlane, read_plane},
    {"ellipsoid", &scene_keys::kEllipsoid, read_ellipsoid},
    {"cylinder", &scene_keys::kCylinder, read_cylinder},
    {"cone", &scene_keys::kCone, read_cone},
    {"hull", &scene_keys::kHull, read_hull},
    {"compound", nullptr, read_compound},
    {"mesh", &scene_keys::kMesh, nullptr},
    {"heightfield", &scene_keys::kHeightfield, nullptr},
};

void refuse_shape(const JsonView& view) {
  std::vector<std::string> known;
  for (const ShapeEntry& entry : kShapes)
    if (entry.read != nullptr) known.emplace_back(entry.name);
  view.complain(fmt::format("the shape \"{}\" is not supported yet; expected one of {}", view.key(), joined(known)));
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

ShapePtr read_shape(const JsonView& view, SceneFiles& files) {
  if (!view.matches(scene_keys::kShape)) return nullptr;
  const JsonView geometry = view.members().front();
  for (const ShapeEntry& entry : kShapes) {
    if (geometry.key() != entry.name) continue;
    if (entry.spec != nullptr && !geometry.matches(*entry.spec)) return nullptr;
    if (entry.read != nullptr) return entry.read(geometry, files);
  }
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
