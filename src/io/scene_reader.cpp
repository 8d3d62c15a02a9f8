#include <algorithm>
#include <filesystem>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>

#include "carom/io/scene.h"
#include "io/body_reader.h"
#include "io/closest.h"
#include "io/scene_keys.h"
#include "io/suite_message.h"
#include "io/text_file.h"

namespace carom {
namespace {

std::string stem(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  for (const std::string_view ending : {".json", ".scene"})
    if (name.size() > ending.size() && name.ends_with(ending)) name.resize(name.size() - ending.size());
  return name;
}

void refuse_lengths(const JsonView& view) {
  for (const char* key : {"rolling_friction", "spinning_friction"}) {
    const auto v = view.find(key);
    if (v && v->non_negative() != 0)
      v->complain(fmt::format("found {}: {} is not supported yet; expected 0", v->describe(), key));
  }
}

/// Keys that are absent keep what `material` holds, except that static friction follows a friction that is given.
Material read_material(const JsonView& view, Material material) {
  if (const auto v = view.find("friction")) material.friction = material.static_friction = v->non_negative();
  if (const auto v = view.find("static_friction")) {
    material.static_friction = v->non_negative();
    if (material.static_friction < material.friction)
      v->expected(fmt::format("at least the dynamic coefficient, which is {}", material.friction));
  }
  if (const auto v = view.find("restitution")) material.restitution = v->between(0, 1);
  refuse_lengths(view);
  return material;
}

std::vector<std::string> material_names(const Scene& scene) {
  std::vector<std::string> names;
  names.reserve(scene.materials.size());
  for (const auto& [name, material] : scene.materials) names.push_back(name);
  return names;
}

const Material* find_material(const Scene& scene, const std::string& name) {
  for (const auto& [known, material] : scene.materials)
    if (known == name) return &material;
  return nullptr;
}

void refuse_material(const JsonView& view, const std::string& name, const Scene& scene) {
  const std::vector<std::string> names = material_names(scene);
  view.complain(fmt::format("the unknown material \"{}\"", printable(name)),
                "one of " + joined(names) + did_you_mean(name, names));
}

void read_materials(const JsonView& root, Scene& scene) {
  scene.materials.emplace_back("default", Material{});
  const auto materials = root.find("materials");
  if (!materials) return;
  for (const JsonView& view : materials->members()) {
    if (!view.matches(scene_keys::kMaterial)) return;
    const Material material = read_material(view, {});
    if (view.key() == "default")
      scene.materials.front().second = material;
    else
      scene.materials.emplace_back(view.key(), material);
  }
}

void read_pair(const JsonView& view, Scene& scene) {
  if (!view.matches(scene_keys::kPair)) return;
  const JsonView names = *view.find("materials");
  if (!names.is_list_of(2, "a list of two material names")) return;
  const Material* material[2] = {nullptr, nullptr};
  for (std::size_t i = 0; i < 2; ++i) {
    const JsonView name = names.items()[i];
    const std::string text = name.text();
    material[i] = find_material(scene, text);
    if (material[i] == nullptr) {
      refuse_material(name, text, scene);
      return;
    }
  }
  ScenePair pair{names.items()[0].text(), names.items()[1].text(), {}};
  for (const ScenePair& other : scene.pairs)
    if ((other.first == pair.first && other.second == pair.second) ||
        (other.first == pair.second && other.second == pair.first))
      names.complain("a pair that was given before", "each pair once");
  pair.material = read_material(view, combine(*material[0], *material[1]));
  scene.pairs.push_back(std::move(pair));
}

OptionValue read_option(const JsonView& view) {
  if (view.kind() == JsonKind::Boolean) return view.flag();
  if (view.kind() == JsonKind::String) return view.text();
  if (view.kind() != JsonKind::Number) view.expected("a number, a string, true or false");
  return view.number();
}

/// An option that a suite does not take as it is given, by its place, and why not.
struct Misfit {
  std::size_t index = 0;
  std::string reason;
};

std::optional<Misfit> find_misfit(const SuiteInfo& suite, const Scene& scene) {
  Options checked(suite.options);
  for (std::size_t i = 0; i < scene.options.size(); ++i)
    if (std::string reason = checked.set(scene.options[i].first, scene.options[i].second); !reason.empty())
      return Misfit{i, std::move(reason)};
  return std::nullopt;
}

/// `may_drop`: options that are all for another suite are left out.
void read_options(const JsonView& options, bool may_drop, Scene& scene) {
  const std::vector<JsonView> members = options.members();
  for (const JsonView& view : members) {
    const OptionValue value = read_option(view);
    if (!view.ok()) return;
    scene.options.emplace_back(view.key(), value);
  }
  const auto misfit = find_misfit(*find_suite(scene.suite), scene);
  if (!misfit) return;
  if (may_drop &&
      std::ranges::any_of(suite_registry(), [&](const SuiteInfo& other) { return !find_misfit(other, scene); })) {
    scene.options.clear();
    return;
  }
  const JsonView& view = members[misfit->index];
  view.complain(fmt::format("found {}: {}{}", view.describe(), misfit->reason,
                            other_suite_hint(scene.suite, scene.suite_reason, view.key())));
}

/// After the bodies: a file that names no suite has the one it is `given`, or else the default for so many.
void read_suite(const JsonView& root, std::string_view given, Scene& scene) {
  const auto named = root.find("suite");
  if (named) {
    scene.suite = named->text();
    if (!named->ok()) return;
    if (const std::string refusal = suite_message(scene.suite); !refusal.empty()) {
      named->complain(refusal);
      return;
    }
  } else if (!given.empty()) {
    scene.suite = given;
  } else {
    DefaultSuite standard = default_suite(static_cast<std::size_t>(
        std::ranges::count_if(scene.bodies, [](const SceneBody& body) { return body.def.type == BodyType::Dynamic; })));
    scene.suite = std::move(standard.name);
    scene.suite_reason = std::move(standard.reason);
  }
  if (const auto options = root.find("options")) read_options(*options, !named && !given.empty(), scene);
}

void read_bodies(const JsonView& root, SceneFiles& files, Scene& scene) {
  const JsonView bodies = *root.find("bodies");
  const std::vector<JsonView> items = bodies.items();
  if (bodies.ok() && items.empty()) bodies.expected("at least one body");
  scene.bodies.reserve(items.size());
  std::unordered_set<std::string> names;
  for (std::size_t i = 0; i < items.size() && root.ok(); ++i) {
    const std::size_t first = scene.bodies.size();
    read_body(items[i], i, files, scene.bodies);
    if (!root.ok()) return;
    const std::string& material = scene.bodies[first].material;
    if (find_material(scene, material) == nullptr)
      refuse_material(items[i].find("material").value_or(items[i]), material, scene);
    for (std::size_t k = first; k < scene.bodies.size(); ++k) {
      const std::string& name = scene.bodies[k].def.name;
      if (!names.insert(name).second)
        items[i].find("name").value_or(items[i]).complain(
            fmt::format("the name \"{}\", which an earlier body has", printable(name)), "a name of its own");
    }
  }
}

void refuse_unsupported(const JsonView& root) {
  if (const auto joints = root.find("joints"))
    for (const JsonView& joint : joints->items()) {
      if (const auto type = joint.find("type")) type->word(kJointTypeNames);
      joint.complain("joints are not supported yet; expected an empty list");
    }
}

void read_cold_volumes(const JsonView& root, Scene& scene) {
  const auto volumes = root.find("cold_volumes");
  if (!volumes) return;
  for (const JsonView& view : volumes->items()) {
    if (!view.matches(scene_keys::kColdVolume)) continue;
    const ColdVolume volume{view.find("min")->vec3(), view.find("max")->vec3()};
    for (int i = 0; i < 3; ++i)
      if (view.ok() && volume.min[i] > volume.max[i]) view.find("max")->expected("no coordinate below that of `min`");
    scene.cold_volumes.push_back(volume);
  }
}

void read_scene(const JsonView& root, std::string_view suite, SceneFiles& files, Scene& scene) {
  // The version first: a file of another format should hear that, not which of its keys are strange.
  if (const auto version = root.find("carom"))
    if (version->kind() != JsonKind::Number || version->number() != 1)
      version->expected("1, the version of the scene format");
  if (!root.ok() || !root.matches(scene_keys::kScene)) return;
  if (const auto v = root.find("name")) scene.name = v->text();
  if (const auto v = root.find("description")) scene.description = v->text();
  if (const auto v = root.find("gravity")) scene.gravity = v->vec3();
  if (const auto v = root.find("dt")) scene.dt = v->positive();
  if (const auto v = root.find("duration")) scene.duration = v->non_negative();
  read_materials(root, scene);
  if (const auto pairs = root.find("pairs"))
    for (const JsonView& pair : pairs->items()) read_pair(pair, scene);
  read_cold_volumes(root, scene);
  refuse_unsupported(root);
  if (root.ok()) read_bodies(root, files, scene);
  if (root.ok()) read_suite(root, suite, scene);
}

}  // namespace

Result<Scene> parse_scene(std::string_view text, const std::string& origin, const std::string& folder,
                          std::string_view suite) {
  if (!suite.empty() && find_suite(suite) == nullptr)
    fail("parse_scene: there is no suite named '" + std::string(suite) + "'");
  const Result<JsonDocument> document = parse_json(text, origin);
  if (!document) return Result<Scene>::failure(document.message());
  std::string error;
  Scene scene;
  scene.name = stem(origin);
  SceneFiles files{folder, {}};
  read_scene(JsonView(document.value(), error), suite, files, scene);
  if (!error.empty()) return Result<Scene>::failure(error);
  scene.json = with_hulls_inside(text, files);
  return scene;
}

Result<Scene> load_scene(const std::string& path, std::string_view suite) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return Result<Scene>::failure(text.message());
  return parse_scene(text.value(), path, std::filesystem::path(path).parent_path().string(), suite);
}

}  // namespace carom
