#include "engine.h"

#include <algorithm>

namespace carom::bench {

namespace {

/// Engines put a body's frame at its centre of mass, and not all have ellipsoids: the adapters know the shapes that are
/// alike everywhere.
bool is_common(const Shape& shape) {
  const Shape::Geometry& geometry = shape.geometry();
  return std::holds_alternative<Sphere>(geometry) || std::holds_alternative<Box>(geometry) ||
         std::holds_alternative<Capsule>(geometry) || std::holds_alternative<Cylinder>(geometry) ||
         std::holds_alternative<Plane>(geometry);
}

}  // namespace

std::string not_carried_over(const Scene& scene) {
  for (const SceneBody& body : scene.bodies) {
    if (!is_common(*body.def.shape)) return "cones, ellipsoids, hulls or compounds";
    if (body.def.type == BodyType::Kinematic) return "kinematic bodies";
    if (body.def.inertia || body.def.center_of_mass) return "a given inertia or centre of mass";
    if (squared_norm(body.def.force) + squared_norm(body.def.torque) > 0) return "constant forces";
  }
  return {};
}

bool materials_differ(const Scene& scene) {
  if (!scene.pairs.empty()) return true;
  const Material& first = material_of(scene, scene.bodies.front());
  return std::ranges::any_of(scene.bodies, [&](const SceneBody& body) {
    const Material& other = material_of(scene, body);
    return other.friction != first.friction || other.restitution != first.restitution;
  });
}

MaterialTable::MaterialTable(const Scene& scene) {
  for (const auto& [name, material] : scene.materials) names_.push_back(name);
  for (const auto& [name_a, a] : scene.materials)
    for (const auto& [name_b, b] : scene.materials) {
      const auto pair = std::ranges::find_if(scene.pairs, [&, &one = name_a, &other = name_b](const ScenePair& p) {
        return (p.first == one && p.second == other) || (p.first == other && p.second == one);
      });
      table_.push_back(pair != scene.pairs.end() ? pair->material : combine(a, b));
    }
}

std::size_t MaterialTable::place_of(const std::string& name) const {
  const auto found = std::ranges::find(names_, name);
  require(found != names_.end(), "MaterialTable: the scene has no such material");
  return static_cast<std::size_t>(found - names_.begin());
}

MassProperties mass_of(const BodyDef& def) {
  MassProperties properties = def.shape->mass_properties(def.density);
  if (def.mass) {
    properties.inertia = (*def.mass / properties.mass) * properties.inertia;
    properties.mass = *def.mass;
  }
  return properties;
}

const Material& material_of(const Scene& scene, const SceneBody& body) {
  for (const auto& [name, material] : scene.materials)
    if (name == body.material) return material;
  fail("material_of: the scene has no material " + body.material);
}

}  // namespace carom::bench
