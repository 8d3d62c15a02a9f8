// Categories and masks of bodies in scene files.
#include <gtest/gtest.h>

#include "carom/io/scene.h"

namespace carom {
namespace {

Result<Scene> scene_with(const std::string& keys) {
  return parse_scene(R"({"carom": 1, "bodies": [{"shape": {"sphere": {"radius": 1}})" + keys + "}]}", "text");
}

TEST(Scene, ReadsCategoriesAndMasksOfSixtyFourBits) {
  const Result<Scene> scene = scene_with(R"(, "category": 9223372036854775808, "mask": 18446744073709551615)");
  ASSERT_TRUE(scene) << scene.message();
  EXPECT_EQ(scene.value().bodies[0].def.category, std::uint64_t{1} << 63);
  EXPECT_EQ(scene.value().bodies[0].def.mask, ~std::uint64_t{0});
}

TEST(Scene, BodiesWithoutAFilterCollideWithAll) {
  const Result<Scene> scene = scene_with("");
  ASSERT_TRUE(scene) << scene.message();
  EXPECT_EQ(scene.value().bodies[0].def.category, 1U);
  EXPECT_EQ(scene.value().bodies[0].def.mask, ~std::uint64_t{0});
}

TEST(Scene, RejectsCategoriesThatAreNoBits) {
  for (const char* value : {"-1", "0.5", "\"crate\"", "[1]"}) {
    const Result<Scene> scene = scene_with(R"(, "category": )" + std::string(value));
    ASSERT_FALSE(scene) << value;
    EXPECT_NE(scene.message().find("bodies[0].category"), std::string::npos) << scene.message();
  }
}

}  // namespace
}  // namespace carom
