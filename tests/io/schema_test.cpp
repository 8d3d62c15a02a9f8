#include "carom/io/schema.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "carom/io/problem_file.h"
#include "carom/io/scene.h"
#include "io/problem_keys.h"
#include "io/scene_keys.h"
#include "schema_validator.h"

namespace carom {
namespace {

using test::Json;
using test::SchemaValidator;

const SchemaValidator& scene_validator() {
  static const SchemaValidator validator(Json::parse(scene_schema()));
  return validator;
}

TEST(Schema, EveryShippedSceneIsValid) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CAROM_SCENES_DIR)) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream file(entry.path());
    EXPECT_EQ(scene_validator().check(Json::parse(file)), "") << entry.path();
    ++count;
  }
  EXPECT_GT(count, 0);
}

TEST(Schema, EveryKeyOfTheReaderIsInTheSchemaAndNoOther) {
  const Json schema = Json::parse(scene_schema());
  for (const ObjectSpec* spec : scene_keys::all()) {
    const Json& object = spec == &scene_keys::kScene ? schema : schema.at("$defs").at(std::string(spec->name));
    EXPECT_EQ(object.at("properties").size(), spec->keys.size()) << spec->name;
    for (const KeySpec& key : spec->keys)
      EXPECT_TRUE(object.at("properties").contains(std::string(key.name))) << key.name;
  }
}

/// Scenes that break a rule which a schema can state, each refused by the reader too.
TEST(Schema, RefusesWhatTheReaderRefuses) {
  const char* const broken[] = {
      R"({"bodies": [{"shape": {"sphere": {"radius": 1}}}]})",
      R"({"carom": 2, "bodies": [{"shape": {"sphere": {"radius": 1}}}]})",
      R"({"carom": 1, "colour": 3, "bodies": [{"shape": {"sphere": {"radius": 1}}}]})",
      R"({"carom": 1, "dt": 0, "bodies": [{"shape": {"sphere": {"radius": 1}}}]})",
      R"({"carom": 1, "gravity": [0, 0], "bodies": [{"shape": {"sphere": {"radius": 1}}}]})",
      R"({"carom": 1, "bodies": [{"name": "ghost"}]})",
      R"({"carom": 1, "bodies": [{"shape": {"sphere": {"radius": -1}}}]})",
      R"({"carom": 1, "bodies": [{"shape": {"sphere": {"radius": 1}, "box": {"size": [1, 1, 1]}}}]})",
      R"({"carom": 1, "bodies": [{"shape": {"sphere": {"radius": 1}}, "mass": "heavy"}]})",
      R"({"carom": 1, "bodies": [{"shape": {"sphere": {"radius": 1}}, "type": "static"}]})",
      R"({"carom": 1, "bodies": [{"shape": {"sphere": {"radius": 1}}, "orientation": [1, 0, 0]}]})",
      R"({"carom": 1, "bodies": [{"shape": {"sphere": {"radius": 1}}, "orientation": {"axis": [0, 0, 1]}}]})",
      R"({"carom": 1, "bodies": [{"shape": {"sphere": {"radius": 1}}, "copies": {"count": [1, 0, 1], "spacing": [1, 1, 1]}}]})",
      R"({"carom": 1, "bodies": [{"shape": {"hull": {"points": [[0, 0, 0], [1, 0], [0, 1, 0], [0, 0, 1]]}}}]})",
      R"({"carom": 1, "bodies": [{"shape": {"hull": {}}}]})",
      R"({"carom": 1, "bodies": [{"shape": {"cone": {"radius": 1, "height": 0}}}]})",
      R"({"carom": 1, "bodies": [{"shape": {"compound": [{"position": [0, 0, 0]}]}}]})",
      R"({"carom": 1, "materials": {"ice": {"restitution": 2}}, "bodies": [{"shape": {"sphere": {"radius": 1}}}]})",
  };
  for (const char* text : broken) {
    EXPECT_NE(scene_validator().check(Json::parse(text)), "") << text;
    EXPECT_FALSE(parse_scene(text, "x")) << text;
  }
}

TEST(Schema, AcceptsEveryFormTheReaderAccepts) {
  const char* const text =
      R"({"carom": 1, "name": "n", "description": "d", "gravity": [0, 0, -1], "dt": 0.01, "duration": 0,
      "suite": "sequential", "options": {"iterations": 5}, "materials": {"ice": {"friction": 0, "static_friction": 0,
      "restitution": 1, "rolling_friction": 0, "spinning_friction": 0}}, "pairs": [{"materials": ["ice", "default"]}],
      "joints": [], "cold_volumes": [], "bodies": [
      {"name": "a", "type": "fixed", "shape": {"plane": {"normal": [0, 0, 1], "offset": 1}}, "orientation": [1, 0, 0, 0]},
      {"name": "b", "shape": {"capsule": {"radius": 1, "length": 0}}, "mass": 1, "inertia": [1, 1, 1],
       "center_of_mass": [0, 0, 0.1], "orientation": {"axis": [0, 0, 1], "degrees": 10}, "force": [1, 0, 0], "torque": [0, 0, 0]},
      {"name": "c", "shape": {"box": {"size": [1, 1, 1]}}, "density": 5, "inertia": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
       "orientation": {"rpy_degrees": [0, 0, 1]}, "material": "ice",
       "copies": {"count": [1, 1, 2], "spacing": [0, 0, 2], "jitter": 0.1, "seed": 3}},
      {"name": "d", "shape": {"compound": [{"shape": {"cylinder": {"radius": 1, "height": 1}}},
       {"shape": {"cone": {"radius": 1, "height": 1}}, "position": [1, 0, 0], "orientation": [1, 0, 0, 0], "density": 2}]}},
      {"name": "e", "shape": {"ellipsoid": {"radii": [1, 2, 3]}}},
      {"name": "f", "shape": {"hull": {"points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}}}]})";
  EXPECT_EQ(scene_validator().check(Json::parse(text)), "");
  const Result<Scene> scene = parse_scene(text, "x");
  EXPECT_TRUE(scene) << scene.message();
}

TEST(Schema, WrittenProblemsAreValid) {
  ContactProblem problem;
  ProblemBody ground, cube;
  ground.role = BodyRole::Fixed;
  cube.inverse_mass = 1;
  cube.inverse_inertia = Mat3::identity();
  problem.bodies = {ground, cube};
  ContactPoint contact;
  contact.b = 1;
  contact.normal = {0, 0, 1};
  contact.tangent = {1, 0, 0};
  contact.tangent_target = {1, 0};
  problem.contacts = {contact};
  const SchemaValidator validator(Json::parse(problem_schema()));
  EXPECT_EQ(validator.check(Json::parse(problem_json(problem, "text"))), "");
  EXPECT_NE(validator.check(Json::parse(R"({"carom_problem": 1, "bodies": []})")), "");
}

}  // namespace
}  // namespace carom
