#include <unordered_map>

#include "carom/io/scene.h"

namespace carom {

Options scene_options(const Scene& scene) {
  const SuiteInfo* suite = find_suite(scene.suite);
  if (suite == nullptr) fail("scene_options: there is no suite named '" + scene.suite + "'");
  Options options(suite->options);
  for (const auto& [name, value] : scene.options) {
    const std::string refusal = options.set(name, value);
    if (!refusal.empty()) fail("scene_options: " + refusal);
  }
  return options;
}

World make_world(const Scene& scene, const Options& options, int threads) {
  WorldDef def;
  def.gravity = scene.gravity;
  def.suite = scene.suite;
  def.options = options;
  def.threads = threads;
  def.cold_volumes = scene.cold_volumes;
  World world(def);

  // A null handle is the world's own default material.
  std::unordered_map<std::string, MaterialHandle> materials;
  for (const auto& [name, material] : scene.materials) {
    if (name == "default") {
      world.set_default_material(material);
      materials[name] = {};
    } else {
      materials[name] = world.add_material(material);
    }
  }
  const auto material_of = [&](const std::string& name) {
    const auto found = materials.find(name);
    if (found == materials.end()) fail("make_world: there is no material named '" + name + "'");
    return found->second;
  };
  for (const ScenePair& pair : scene.pairs)
    world.set_pair(material_of(pair.first), material_of(pair.second), pair.material);
  for (const SceneBody& body : scene.bodies) {
    BodyDef body_def = body.def;
    body_def.material = material_of(body.material);
    world.add_body(body_def);
  }
  return world;
}

}  // namespace carom
