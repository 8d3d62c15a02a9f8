// The reference in docs/scene-format.md stays true: its example reads, and it mentions every key.
#include <gtest/gtest.h>

#include <filesystem>

#include "carom/io/scene.h"
#include "io/scene_keys.h"
#include "io/text_file.h"

namespace carom {
namespace {

std::string reference() {
  const auto path = std::filesystem::path(CAROM_SCENES_DIR).parent_path() / "docs" / "scene-format.md";
  const Result<std::string> text = read_text_file(path.string());
  EXPECT_TRUE(text) << text.message();
  return text ? text.value() : std::string();
}

TEST(SceneReference, FirstExampleIsAScene) {
  const std::string text = reference();
  const std::size_t start = text.find("```json\n") + 8;
  const Result<Scene> scene = parse_scene(text.substr(start, text.find("```", start) - start), "example");
  EXPECT_TRUE(scene) << scene.message();
}

TEST(SceneReference, MentionsEveryKeyThatIsSupported) {
  const std::string text = reference();
  using namespace scene_keys;
  for (const ObjectSpec* spec : {&kScene, &kMaterial, &kBody, &kShape, &kSphere, &kBox, &kCapsule, &kPlane})
    for (const KeySpec& key : spec->keys)
      EXPECT_NE(text.find("`" + std::string(key.name) + "`"), std::string::npos) << spec->name << ": " << key.name;
  for (const ObjectSpec* spec : {&kPair, &kCopies, &kAxisAngle, &kRollPitchYaw})
    for (const KeySpec& key : spec->keys) EXPECT_NE(text.find(std::string(key.name)), std::string::npos) << key.name;
}

}  // namespace
}  // namespace carom
