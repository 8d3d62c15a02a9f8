#include "engine.h"

namespace carom::bench {

std::string not_carried_over(const Scene& scene) {
  if (!scene.pairs.empty()) return "material pairs";
  for (const SceneBody& body : scene.bodies) {
    if (body.def.type == BodyType::Kinematic) return "kinematic bodies";
    if (body.def.inertia || body.def.center_of_mass) return "given inertia or centre of mass";
    if (squared_norm(body.def.force) + squared_norm(body.def.torque) > 0) return "constant forces";
  }
  return {};
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
