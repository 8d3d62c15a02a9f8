#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "carom/io/scene.h"
#include "io/split_mix.h"

namespace carom {
namespace {

constexpr const char* kCube = R"({"name": "cube", "shape": {"box": {"size": [1, 2, 3]}}})";

std::string scene_text(const std::string& bodies, const std::string& more = "") {
  return R"({"carom": 1, )" + more + (more.empty() ? "" : ", ") + R"("bodies": [)" + bodies + "]}";
}

Scene read(const std::string& text) {
  const Result<Scene> scene = parse_scene(text, "dir/test.scene.json");
  EXPECT_TRUE(scene) << scene.message();
  return scene ? scene.value() : Scene{};
}

std::string refusal(const std::string& text) {
  const Result<Scene> scene = parse_scene(text, "test.scene.json");
  EXPECT_FALSE(scene) << text;
  return scene.message();
}

SceneBody read_one(const std::string& body) {
  const Scene scene = read(scene_text(body));
  return scene.bodies.empty() ? SceneBody{} : scene.bodies.front();
}

std::string cube_with(const std::string& more) { return R"({"shape": {"box": {"size": [1, 2, 3]}}, )" + more + "}"; }

void expect_near(const Vec3& a, const Vec3& b) {
  constexpr Real kRounding = 1e-15;  // a few operations on numbers of order one
  EXPECT_NEAR(a.x, b.x, kRounding);
  EXPECT_NEAR(a.y, b.y, kRounding);
  EXPECT_NEAR(a.z, b.z, kRounding);
}

TEST(Scene, HasTheDefaultsOfTheFormat) {
  const Scene scene = read(scene_text(kCube));
  EXPECT_EQ(scene.name, "test");
  EXPECT_EQ(scene.gravity, (Vec3{0, 0, -9.81}));
  EXPECT_EQ(scene.dt, 1.0 / 60);
  EXPECT_EQ(scene.duration, 10);
  EXPECT_EQ(scene.suite, kDefaultSuite);
  ASSERT_EQ(scene.bodies.size(), 1U);
  const BodyDef& def = scene.bodies[0].def;
  EXPECT_EQ(def.type, BodyType::Dynamic);
  EXPECT_FALSE(def.mass);
  EXPECT_EQ(def.density, 1000);
  EXPECT_EQ(scene.bodies[0].material, "default");
  EXPECT_EQ(def.pose, Pose{});
}

TEST(Scene, ReadsEveryKeyOfABody) {
  const SceneBody body =
      read_one(R"({"name": "b", "type": "kinematic", "shape": {"capsule": {"radius": 0.5, "length": 2}},
      "mass": 3, "inertia": [1, 2, 2.5], "center_of_mass": [0.1, 0.2, 0.3], "position": [1, 2, 3],
      "orientation": [0, 0, 0, 2], "velocity": [4, 5, 6], "angular_velocity": [7, 8, 9], "force": [1, 0, 0],
      "torque": [0, 1, 0], "material": "default"})");
  const BodyDef& def = body.def;
  EXPECT_EQ(def.name, "b");
  EXPECT_EQ(def.type, BodyType::Kinematic);
  EXPECT_EQ(def.mass, 3);
  EXPECT_EQ(*def.inertia, Mat3::diagonal({1, 2, 2.5}));
  EXPECT_EQ(*def.center_of_mass, (Vec3{0.1, 0.2, 0.3}));
  EXPECT_EQ(def.pose.position, (Vec3{1, 2, 3}));
  EXPECT_EQ(def.pose.orientation, (Quat{0, 0, 0, 1}));
  EXPECT_EQ(def.velocity, (Vec3{4, 5, 6}));
  EXPECT_EQ(def.angular_velocity, (Vec3{7, 8, 9}));
  EXPECT_EQ(def.force, (Vec3{1, 0, 0}));
  EXPECT_EQ(def.torque, (Vec3{0, 1, 0}));
  EXPECT_EQ(std::get<Capsule>(def.shape->geometry()).half_length, 1);
}

TEST(Scene, ReadsEveryShape) {
  EXPECT_EQ(std::get<Sphere>(read_one(R"({"shape": {"sphere": {"radius": 2}}})").def.shape->geometry()).radius, 2);
  EXPECT_EQ(std::get<Box>(read_one(kCube).def.shape->geometry()).half_size, (Vec3{0.5, 1, 1.5}));
  const SceneBody floor = read_one(R"({"type": "fixed", "shape": {"plane": {"normal": [0, 0, 3], "offset": 2}}})");
  EXPECT_EQ(std::get<Plane>(floor.def.shape->geometry()).normal, (Vec3{0, 0, 1}));
  EXPECT_EQ(std::get<Plane>(floor.def.shape->geometry()).offset, 2);
}

TEST(Scene, ReadsRoundShapes) {
  const auto shape_of = [](const std::string& text) { return read_one(R"({"shape": {)" + text + "}}").def.shape; };
  const ShapePtr cylinder = shape_of(R"("cylinder": {"radius": 0.5, "height": 3})");
  EXPECT_EQ(std::get<Cylinder>(cylinder->geometry()).radius, 0.5);
  EXPECT_EQ(std::get<Cylinder>(cylinder->geometry()).half_height, 1.5);
  const ShapePtr cone = shape_of(R"("cone": {"radius": 0.5, "height": 3})");
  EXPECT_EQ(std::get<Cone>(cone->geometry()).half_height, 1.5);
  const ShapePtr ellipsoid = shape_of(R"("ellipsoid": {"radii": [1, 2, 3]})");
  EXPECT_EQ(std::get<Ellipsoid>(ellipsoid->geometry()).radii, (Vec3{1, 2, 3}));
}

constexpr const char* kTetrahedron =
    R"({"hull": {"points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]]}})";

TEST(Scene, ReadsHullsOfPoints) {
  const SceneBody body = read_one(std::string(R"({"shape": )") + kTetrahedron + "}");
  ASSERT_TRUE(body.def.shape);
  EXPECT_EQ(body.def.shape->corners().size(), 4U);
  EXPECT_NEAR(body.def.shape->mass_properties(6).mass, 1, 1e-14);
}

TEST(Scene, ReadsCompounds) {
  const SceneBody body = read_one(std::string(R"({"shape": {"compound": [{"shape": {"sphere": {"radius": 1}}},
      {"position": [1, 2, 3], "orientation": {"axis": [0, 0, 1], "degrees": 90}, "density": 7, "shape": )") +
                                  kTetrahedron + "}]}}");
  ASSERT_TRUE(body.def.shape);
  const auto& parts = *std::get<Compound>(body.def.shape->geometry()).parts;
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].pose, Pose{});
  EXPECT_FALSE(parts[0].density);
  EXPECT_EQ(parts[1].pose.position, (Vec3{1, 2, 3}));
  expect_near(rotate(parts[1].pose.orientation, {1, 0, 0}), {0, 1, 0});
  EXPECT_EQ(parts[1].density, 7);
}

/// A folder that is gone at the end.
class Folder {
 public:
  Folder() : path_(std::filesystem::path(testing::TempDir()) / ("scene_reader_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  void remove(const std::string& name) const { std::filesystem::remove(path_ / name); }

 private:
  std::filesystem::path path_;
};

TEST(Scene, HullsOfFilesAreFoundBesideTheSceneAndKeptInItsText) {
  const Folder folder;
  folder.write("rock.obj", "v 0 0 0.1\nv 1 0 0\nv 0 1 0\nv 0.3 0.3 0.3\nv 0 0 1\nf 1 2 3\n");
  const std::string rock = R"({"hull": {"file": "rock.obj"}})";
  const std::string path = folder.write("pile.scene.json", scene_text(R"({"name": "a", "shape": )" + rock +
                                                                      R"(}, {"name": "b", "shape": {"compound": [
          {"shape": {"sphere": {"radius": 1}}}, {"shape": )" + rock + "}]}}"));
  const Result<Scene> scene = load_scene(path);
  ASSERT_TRUE(scene) << scene.message();
  EXPECT_EQ(scene.value().json.find("rock.obj"), std::string::npos);

  folder.remove("rock.obj");
  const Result<Scene> again = parse_scene(scene.value().json, "from the recording");
  ASSERT_TRUE(again) << again.message();
  EXPECT_EQ(again.value().json, scene.value().json);
  // The same bits: a run that is resumed goes on as it would have.
  const ShapePtr first = scene.value().bodies[0].def.shape, second = again.value().bodies[0].def.shape;
  EXPECT_TRUE(
      std::equal(first->corners().begin(), first->corners().end(), second->corners().begin(), second->corners().end()));
  EXPECT_EQ(first->mass_properties(1).inertia, second->mass_properties(1).inertia);
  EXPECT_EQ(again.value().bodies[1].def.shape->mass_properties(1).inertia,
            scene.value().bodies[1].def.shape->mass_properties(1).inertia);
  EXPECT_FALSE(load_scene(path)) << "the file is gone";
}

TEST(Scene, AMassGivenForACompoundIsSharedByItsDensities) {
  const Scene scene = read(scene_text(R"({"mass": 3, "shape": {"compound": [
      {"shape": {"box": {"size": [1, 1, 1]}}, "position": [-1, 0, 0], "density": 2000},
      {"shape": {"box": {"size": [1, 1, 1]}}, "position": [1, 0, 0]}]}})"));
  const World world = make_world(scene, scene_options(scene));
  EXPECT_EQ(world.mass(world.bodies()[0]), 3);
  EXPECT_NEAR(world.state(world.bodies()[0]).position.x, -1.0 / 3, 1e-15);  // 2 : 1
}

TEST(Scene, ReadsOrientationInAllThreeForms) {
  const Real half = std::sqrt(0.5);
  const Quat quarter_about_z{half, 0, 0, half};
  for (const char* form : {R"([1, 0, 0, 1])", R"({"axis": [0, 0, 5], "degrees": 90})", R"({"rpy_degrees": [0, 0, 90]})",
                           R"({"axis": [0, 0, 1], "degrees": 3690})"}) {
    const Quat q = read_one(cube_with(std::string(R"("orientation": )") + form)).def.pose.orientation;
    EXPECT_NEAR(q.w, quarter_about_z.w, 1e-15) << form;
    EXPECT_NEAR(q.z, quarter_about_z.z, 1e-15) << form;
  }
}

TEST(Scene, RollPitchYawTurnAboutFixedAxesInThatOrder) {
  const Quat q = read_one(cube_with(R"("orientation": {"rpy_degrees": [90, 0, 90]})")).def.pose.orientation;
  // Roll takes y to z, which yaw leaves; roll leaves x, which yaw takes to y.
  expect_near(rotate(q, {0, 1, 0}), {0, 0, 1});
  expect_near(rotate(q, {1, 0, 0}), {0, 1, 0});
}

TEST(Scene, QuaternionsOfExtremeLengthAreNormalised) {
  for (const char* form : {"[1e300, 0, 0, 0]", "[1e-300, 0, 0, 0]", "[5e-324, 0, 0, 0]"})
    EXPECT_EQ(read_one(cube_with(std::string(R"("orientation": )") + form)).def.pose.orientation, Quat{}) << form;
}

TEST(Scene, CopiesAreNamedInXFastestOrder) {
  const Scene scene = read(scene_text(
      R"({"name": "c", "shape": {"sphere": {"radius": 0.1}}, "position": [1, 1, 1], "copies": {"count": [2, 3, 2], "spacing": [1, 2, 4]}})"));
  ASSERT_EQ(scene.bodies.size(), 12U);
  EXPECT_EQ(scene.bodies[0].def.name, "c[0]");
  EXPECT_EQ(scene.bodies[11].def.name, "c[11]");
  EXPECT_EQ(scene.bodies[1].def.pose.position, (Vec3{2, 1, 1}));
  EXPECT_EQ(scene.bodies[2].def.pose.position, (Vec3{1, 3, 1}));
  EXPECT_EQ(scene.bodies[6].def.pose.position, (Vec3{1, 1, 5}));
  EXPECT_EQ(scene.bodies[0].def.shape, scene.bodies[11].def.shape) << "copies share one shape";
}

TEST(Scene, SplitMixGivesThePublishedSequence) {
  // The first outputs of Vigna's reference code for this seed.
  SplitMix64 random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317ULL);
  EXPECT_EQ(random.next(), 3203168211198807973ULL);
}

TEST(Scene, JitterDrawsXThenYThenZInCopyOrder) {
  const Scene scene = read(scene_text(
      R"({"shape": {"sphere": {"radius": 0.1}}, "copies": {"count": [2, 1, 1], "spacing": [10, 0, 0], "jitter": 0.5, "seed": 42}})"));
  ASSERT_EQ(scene.bodies.size(), 2U);
  SplitMix64 random(42);
  for (int copy = 0; copy < 2; ++copy)
    for (int axis = 0; axis < 3; ++axis) {
      const Real base = axis == 0 ? 10.0 * copy : 0.0;
      const Real fraction = static_cast<Real>(random.next() >> 11) / 9007199254740992.0;
      EXPECT_EQ(scene.bodies[static_cast<std::size_t>(copy)].def.pose.position[axis], base + 0.5 * (2 * fraction - 1));
    }
}

TEST(Scene, MaterialsDefaultTheirStaticFriction) {
  const Scene scene =
      read(scene_text(kCube, R"("materials": {"ice": {"friction": 0.02}, "default": {"restitution": 0.3},
      "tyre": {"friction": 0.8, "static_friction": 1.1}})"));
  ASSERT_EQ(scene.materials.size(), 3U);
  EXPECT_EQ(scene.materials[0].first, "default");
  EXPECT_EQ(scene.materials[0].second.friction, 0.5);
  EXPECT_EQ(scene.materials[0].second.restitution, 0.3);
  EXPECT_EQ(scene.materials[1].second.static_friction, 0.02);
  EXPECT_EQ(scene.materials[2].second.static_friction, 1.1);
}

TEST(Scene, PairsKeepTheCombinationRuleForWhatTheyDoNotGive) {
  const Scene scene =
      read(scene_text(kCube, R"("materials": {"a": {"friction": 0.4}, "b": {"friction": 0.9, "restitution": 0.7}},
      "pairs": [{"materials": ["a", "b"], "restitution": 0.1}, {"materials": ["b", "b"], "friction": 0.2}])"));
  ASSERT_EQ(scene.pairs.size(), 2U);
  EXPECT_NEAR(scene.pairs[0].material.friction, 0.6, 1e-15);  // √(0.4 · 0.9), one rounding
  EXPECT_EQ(scene.pairs[0].material.restitution, 0.1);
  EXPECT_EQ(scene.pairs[1].material.friction, 0.2);
  EXPECT_EQ(scene.pairs[1].material.static_friction, 0.2);
  EXPECT_EQ(scene.pairs[1].material.restitution, 0.7);
}

TEST(Scene, OptionsAreCheckedAndReachTheSuite) {
  const Scene scene = read(scene_text(kCube, R"("options": {"iterations": 77})"));
  EXPECT_EQ(scene_options(scene).integer("iterations"), 77);
}

TEST(Scene, ZeroRollingFrictionAndEmptyListsAreAccepted) {
  read(scene_text(kCube, R"("joints": [], "cold_volumes": [], "pairs": [], "options": {},
      "materials": {"default": {"rolling_friction": 0, "spinning_friction": 0.0}})"));
}

TEST(Scene, InertiaMayBeThatOfAThinRod) {
  const SceneBody rod = read_one(cube_with(R"("mass": 1, "inertia": [[2, 0, 0], [0, 2, 0], [0, 0, 1e-12]])"));
  EXPECT_EQ((*rod.def.inertia)(2, 2), 1e-12);
  read_one(cube_with(R"("inertia": [0.3333333333, 0.3333333333, 0.6666666667])"));
}

TEST(Scene, OneMillionBodiesAreTheLimit) {
  const std::string body = R"({"shape": {"sphere": {"radius": 0.1}}, "copies": {"count": [)";
  const std::string message = refusal(scene_text(body + R"(1000, 1000, 2], "spacing": [1, 1, 1]}})"));
  EXPECT_NE(message.find("bodies[0].copies.count: found 2000000 copies, expected at most 1000000"), std::string::npos)
      << message;
  EXPECT_EQ(read(scene_text(body + R"(100, 10, 1], "spacing": [1, 1, 1]}})")).bodies.size(), 1000U);
}

TEST(Scene, CompoundsOfMorePartsThanAShapeMayHaveAreRefused) {
  std::string list = R"({"shape": {"compound": [)";
  for (std::size_t i = 0; i < Shape::kMostParts; ++i) list += R"({"shape": {"sphere": {"radius": 1}}}, )";
  const Result<Scene> scene =
      parse_scene(scene_text(list + R"({"shape": {"sphere": {"radius": 1}}}]}})"), "test.scene.json");
  EXPECT_EQ(scene.message(),
            "test.scene.json: bodies[0].shape.compound: found a list of 65537 values, expected at most 65536 parts");
}

TEST(Scene, MessageNamesFilePathFoundAndExpected) {
  EXPECT_EQ(refusal(scene_text(R"({"shape": {"box": {"size": [1, 1, "x"]}}})")),
            "test.scene.json: bodies[0].shape.box.size[2]: found the string \"x\", expected a positive number");
}

TEST(Scene, MissingFileAndDirectoryAreNamed) {
  EXPECT_NE(load_scene("no/such.scene.json").message().find("no/such.scene.json: cannot read the file"),
            std::string::npos);
  EXPECT_NE(load_scene(".").message().find("directory"), std::string::npos);
}

TEST(Scene, MakesAWorldInSceneOrder) {
  const Scene scene = read(scene_text(
      R"({"name": "floor", "type": "fixed", "shape": {"plane": {"normal": [0, 0, 1]}}, "material": "ice"},)" +
          std::string(kCube),
      R"("materials": {"ice": {"friction": 0}}, "gravity": [0, 0, -1.6])"));
  const World world = make_world(scene, scene_options(scene));
  ASSERT_EQ(world.body_count(), 2U);
  EXPECT_EQ(world.name(world.bodies()[0]), "floor");
  EXPECT_EQ(world.name(world.bodies()[1]), "cube");
  EXPECT_EQ(world.gravity(), (Vec3{0, 0, -1.6}));
  EXPECT_DOUBLE_EQ(world.mass(world.bodies()[1]), 6000);
}

TEST(Scene, BuiltInScenesAllParse) {
  ASSERT_FALSE(built_in_scenes().empty());
  for (const BuiltInScene& scene : built_in_scenes()) {
    const Result<Scene> read_back = parse_scene(scene.json, scene.name);
    EXPECT_TRUE(read_back) << read_back.message();
    EXPECT_EQ(read_back.value().description, scene.description) << scene.name;
    EXPECT_FALSE(scene.description.empty()) << scene.name;
  }
}

}  // namespace
}  // namespace carom
