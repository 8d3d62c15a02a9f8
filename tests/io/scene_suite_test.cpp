// Which suite a scene file runs with, and whose its options are.
#include <gtest/gtest.h>

#include <string>

#include "carom/io/scene.h"

namespace carom {
namespace {

/// So many balls in the air, over a floor and beside a kinematic one.
std::string crowd(std::size_t balls, const std::string& more = "") {
  return R"({"carom": 1, )" + more + R"("bodies": [
      {"name": "floor", "type": "fixed", "shape": {"plane": {"normal": [0, 0, 1]}}},
      {"name": "turner", "type": "kinematic", "shape": {"sphere": {"radius": 0.1}}, "position": [0, 5, 1]},
      {"name": "ball", "shape": {"sphere": {"radius": 0.1}}, "position": [0, 0, 1],
       "copies": {"count": [)" +
         std::to_string(balls - 1) + R"(, 1, 1], "spacing": [1, 0, 0]}},
      {"name": "last", "shape": {"sphere": {"radius": 0.1}}, "position": [-1, 0, 1]}]})";
}

Result<Scene> parse(const std::string& text, std::string_view suite = {}) {
  return parse_scene(text, "crowd.scene.json", ".", suite);
}

Scene read(const std::string& text, std::string_view suite = {}) {
  const Result<Scene> scene = parse(text, suite);
  EXPECT_TRUE(scene) << scene.message();
  return scene ? scene.value() : Scene{};
}

TEST(SceneSuite, IsFastFromTwoHundredDynamicBodiesOn) {
  const Scene few = read(crowd(199)), many = read(crowd(200));
  EXPECT_EQ(few.suite, "exact");
  EXPECT_EQ(few.suite_reason, "default below 200 bodies");
  EXPECT_EQ(many.suite, "fast");
  EXPECT_EQ(many.suite_reason, "default for 200 bodies and more");
}

TEST(SceneSuite, IsTheOneThatTheFileNames) {
  for (const char* suite : {"exact", "sequential", "mirtich", "fast"}) {
    const std::string named = std::string(R"("suite": ")") + suite + R"(", )";
    for (const std::size_t balls : {2U, 200U}) {
      const Scene scene = read(crowd(balls, named));
      EXPECT_EQ(scene.suite, suite);
      EXPECT_EQ(scene.suite_reason, "");
      EXPECT_EQ(read(crowd(balls, named), "schmidl").suite, suite) << "what is given is for files that name none";
    }
  }
}

TEST(SceneSuite, IsTheOneGivenWhereTheFileNamesNone) {
  for (const std::size_t balls : {2U, 200U}) {
    const Scene scene = read(crowd(balls), "schmidl");
    EXPECT_EQ(scene.suite, "schmidl");
    EXPECT_EQ(scene.suite_reason, "");
  }
  EXPECT_THROW(static_cast<void>(parse(crowd(2), "no such suite")), Error);
}

TEST(SceneSuite, OptionsAreForTheDefault) {
  EXPECT_EQ(scene_options(read(crowd(200, R"("options": {"substeps": 20}, )"))).integer("substeps"), 20);
  EXPECT_EQ(scene_options(read(crowd(199, R"("options": {"c_b": 20}, )"))).integer("c_b"), 20);
}

TEST(SceneSuite, AnOptionOfAnotherSuiteIsToldTheDefaultAndTheRemedy) {
  const std::string few = parse(crowd(199, R"("options": {"substeps": 20}, )")).message();
  EXPECT_TRUE(few.starts_with("crowd.scene.json: options.substeps: found ")) << few;
  EXPECT_TRUE(
      few.ends_with("; the suite is exact (default below 200 bodies), and fast has this option: --suite fast, or "
                    "\"suite\": \"fast\" in the scene"))
      << few;
  const std::string many = parse(crowd(200, R"("options": {"damping": 0.1, "c_b": 20}, )")).message();
  EXPECT_TRUE(many.starts_with("crowd.scene.json: options.c_b: found ")) << many;
  EXPECT_TRUE(
      many.ends_with("; the suite is fast (default for 200 bodies and more), and exact has this option: --suite "
                     "exact, or \"suite\": \"exact\" in the scene"))
      << many;
}

TEST(SceneSuite, NobodyIsSentToAnotherSuiteWithoutNeed) {
  const auto message = [](const std::string& more) { return parse(crowd(200, more)).message(); };
  EXPECT_EQ(message(R"("options": {"sbsteps": 20}, )").find("the suite is"), std::string::npos) << "no suite has it";
  EXPECT_EQ(message(R"("options": {"damping": -1}, )").find("the suite is"), std::string::npos) << "it has this one";
  EXPECT_EQ(message(R"("suite": "fast", "options": {"c_b": 20}, )").find("the suite is"), std::string::npos)
      << "the file names it";
}

TEST(SceneSuite, OptionsAreForTheSuiteGivenOrLeftOut) {
  const std::string text = crowd(200, R"("options": {"iterations": 20}, )");
  for (const char* suite : {"exact", "sequential"})
    EXPECT_EQ(scene_options(read(text, suite)).integer("iterations"), 20) << suite;
  EXPECT_TRUE(read(text, "mirtich").options.empty());
  EXPECT_TRUE(read(crowd(200, R"("options": {"substeps": 20}, )"), "exact").options.empty());
  EXPECT_NE(parse(crowd(200, R"("options": {"itertions": 20}, )"), "exact").message().find("options.itertions"),
            std::string::npos)
      << "no suite has it";
}

}  // namespace
}  // namespace carom
