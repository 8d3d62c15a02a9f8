// Scenes: what a `*.scene.json` file says, as plain values.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "carom/base/error.h"
#include "carom/base/options.h"
#include "carom/dynamics/world.h"

namespace carom {

struct SceneBody {
  BodyDef def;           ///< `def.material` is left null: see `material`
  std::string material;  ///< name
};

struct ScenePair {
  std::string first, second;  ///< material names
  Material material;
};

/// A scene with copies expanded, in file order.
struct Scene {
  std::string name;
  std::string description;
  Vec3 gravity{0, 0, -9.81};
  Real dt = 1.0 / 60;
  Real duration = 10;
  std::string suite{kDefaultSuite};
  std::string suite_reason;  ///< why it has that suite if nobody named one (`DefaultSuite`); empty: somebody did
  std::vector<std::pair<std::string, OptionValue>> options;  ///< checked against the suite
  std::vector<std::pair<std::string, Material>> materials;   ///< always holds "default"
  std::vector<ScenePair> pairs;
  std::vector<SceneBody> bodies;
  std::vector<ColdVolume> cold_volumes;  ///< empty: bodies may freeze everywhere
  std::string json;  ///< the text it was read from, with what other files held in it: it stands alone
};

/// Reads a scene. The message of a failure names the file, the JSON path, what was found and what is expected. A file
/// that names no suite has `suite` or, where that is empty, the one of `default_suite`. Options in it are for that
/// suite; where they are for another than the one given they are left out. Requires that `suite` exists or is empty.
Result<Scene> load_scene(const std::string& path, std::string_view suite = {});
/// The same from text; `origin` stands for the file name in messages, `folder` is where relative files are looked for.
Result<Scene> parse_scene(std::string_view text, const std::string& origin, const std::string& folder = ".",
                          std::string_view suite = {});

/// A scene compiled into the library.
struct BuiltInScene {
  std::string name;
  std::string description;
  std::string_view json;
};
const std::vector<BuiltInScene>& built_in_scenes();

/// A world with the scene's bodies in it, in scene order. `options` (for the suite) replace the scene's own.
World make_world(const Scene& scene, const Options& options, int threads = 1);
/// The suite's options with the scene's set on them.
Options scene_options(const Scene& scene);

}  // namespace carom
