#include "io/gltf_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numbers>
#include <set>

#include <nlohmann/json.hpp>

#include "io/export_run.h"
#include "io/text_file.h"

namespace carom {
namespace {

using test::ExportRun;
using test::make_export_run;
using test::ScratchFolder;
using Json = nlohmann::json;

/// Takes a .glb apart by the letter of the specification; nothing is shared with what wrote it.
struct Glb {
  explicit Glb(const std::string& path) : bytes(read_text_file(path).value()) {
    EXPECT_EQ(bytes.substr(0, 4), "glTF");
    EXPECT_EQ(number<std::uint32_t>(4), 2U);
    EXPECT_EQ(number<std::uint32_t>(8), bytes.size());
    const std::size_t json_size = number<std::uint32_t>(12);
    EXPECT_EQ(bytes.substr(16, 4), "JSON");
    EXPECT_EQ(json_size % 4, 0U);
    json = Json::parse(bytes.substr(20, json_size));
    bin = 20 + json_size;
    if (bin == bytes.size()) return;
    const std::size_t bin_size = number<std::uint32_t>(bin);
    EXPECT_EQ(bytes.substr(bin + 4, 4), std::string("BIN\0", 4));
    bin += 8;
    EXPECT_EQ(bin + bin_size, bytes.size());
    EXPECT_EQ(json.at("buffers").at(0).at("byteLength"), bin_size);
  }

  template <class T>
  T number(std::size_t at) const {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  }

  std::size_t components(const Json& accessor) const {
    const std::string type = accessor.at("type");
    return type == "SCALAR" ? 1 : (type == "VEC3" ? 3 : 4);
  }
  /// The elements of an accessor of floats, one after another.
  std::vector<float> floats(const Json& index) const {
    const Json& accessor = json.at("accessors").at(index.get<std::size_t>());
    EXPECT_EQ(accessor.at("componentType"), 5126);
    const Json& view = json.at("bufferViews").at(accessor.at("bufferView").get<std::size_t>());
    const std::size_t start =
        bin + view.at("byteOffset").get<std::size_t>() + accessor.value("byteOffset", std::size_t{0});
    std::vector<float> values(components(accessor) * accessor.at("count").get<std::size_t>());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = number<float>(start + sizeof(float) * i);
    return values;
  }
  const Json& node(const std::string& name) const {
    for (const Json& n : json.at("nodes"))
      if (n.at("name") == name) return n;
    ADD_FAILURE() << "no node " << name;
    return json;
  }
  /// The sampler that moves a node, or null.
  Json sampler(const std::string& name, const std::string& path) const {
    if (!json.contains("animations")) return nullptr;
    const Json& animation = json.at("animations").at(0);
    for (const Json& channel : animation.at("channels"))
      if (channel.at("target").at("path") == path &&
          json.at("nodes").at(channel.at("target").at("node").get<std::size_t>()).at("name") == name)
        return animation.at("samplers").at(channel.at("sampler").get<std::size_t>());
    return nullptr;
  }

  std::string bytes;
  Json json;
  std::size_t bin = 0;
};

Quat quat(const float* xyzw) { return {xyzw[3], xyzw[0], xyzw[1], xyzw[2]}; }

/// Both turn alike, whatever their signs: 1 - |cos| of half the angle between them, with rounding of floats allowed
/// for.
void expect_same_turn(const Quat& a, const Quat& b) {
  EXPECT_NEAR(std::abs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z), 1, 1e-6);
}

class GltfFileTest : public ::testing::Test {
 protected:
  Glb write(const ExportRun& run) const {
    GltfFile file(path(), run.cast);
    run.feed(file);
    EXPECT_EQ(file.error(), "");
    EXPECT_EQ(scratch_.count(), 1U) << "a temporary file was left behind";
    return Glb(path());
  }
  std::string path() const { return scratch_.path("run.glb"); }

  ScratchFolder scratch_;
};

TEST_F(GltfFileTest, EveryPoseIsTheOneOfItsFrame) {
  const ExportRun run = make_export_run();
  const Glb glb = write(run);
  for (std::size_t body = 0; body < run.cast.bodies.size(); ++body) {
    const std::string& name = run.cast.bodies[body].name;
    const Json translation = glb.sampler(name, "translation"), rotation = glb.sampler(name, "rotation");
    const auto rest_position = glb.node(name).at("translation").get<std::vector<float>>();
    const auto rest_rotation = glb.node(name).at("rotation").get<std::vector<float>>();
    std::vector<float> positions, rotations;
    if (!translation.is_null()) positions = glb.floats(translation.at("output"));
    if (!rotation.is_null()) rotations = glb.floats(rotation.at("output"));
    for (std::size_t i = 0; i < run.frames.size(); ++i) {
      const Pose pose = run.pose(i, body);
      const float* p = positions.empty() ? rest_position.data() : &positions.at(3 * i);
      for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(p[axis], static_cast<float>(pose.position[axis]));
      expect_same_turn(quat(rotations.empty() ? rest_rotation.data() : &rotations.at(4 * i)), pose.orientation);
    }
    EXPECT_EQ(rest_position[0], static_cast<float>(run.pose(0, body).position.x)) << "the node stands at the start";
  }
}

TEST_F(GltfFileTest, TimesAreThoseOfTheFramesAndSharedByAllChannels) {
  const ExportRun run = make_export_run();
  const Glb glb = write(run);
  std::set<std::size_t> inputs;
  for (const Json& sampler : glb.json.at("animations").at(0).at("samplers")) {
    inputs.insert(sampler.at("input").get<std::size_t>());
    EXPECT_EQ(sampler.at("interpolation"), "LINEAR");
  }
  ASSERT_EQ(inputs.size(), 1U);
  const std::vector<float> times = glb.floats(*inputs.begin());
  ASSERT_EQ(times.size(), run.frames.size());
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_EQ(times[i], static_cast<float>(run.frames[i].time));
}

TEST_F(GltfFileTest, WhatDoesNotMoveHasNoChannel) {
  const Glb glb = write(make_export_run());
  const auto moves = [&](const char* name) {
    return std::pair(!glb.sampler(name, "translation").is_null(), !glb.sampler(name, "rotation").is_null());
  };
  EXPECT_EQ(moves("ground"), std::pair(false, false));
  EXPECT_EQ(moves("wall"), std::pair(false, false));
  EXPECT_EQ(moves("cube[0]"), std::pair(true, true));
  EXPECT_EQ(moves("cube[1]"), std::pair(false, false));
  EXPECT_EQ(moves("ball"), std::pair(true, false));
  EXPECT_EQ(moves("platter"), std::pair(false, true));
  EXPECT_EQ(glb.json.at("animations").at(0).at("channels").size(), 6U);
}

TEST_F(GltfFileTest, TurnsTakeTheShortWayFromKeyToKey) {
  const Glb glb = write(make_export_run());
  for (const char* name : {"cube[0]", "platter"}) {
    const std::vector<float> keys = glb.floats(glb.sampler(name, "rotation").at("output"));
    for (std::size_t i = 4; i < keys.size(); i += 4) {
      float product = 0;
      for (std::size_t k = 0; k < 4; ++k) product += keys[i + k] * keys[i + k - 4];
      EXPECT_GE(product, 0);
    }
  }
}

TEST_F(GltfFileTest, RootTurnsZUpIntoYUp) {
  const Glb glb = write(make_export_run());
  const Json& root = glb.json.at("nodes").at(0);
  EXPECT_EQ(glb.json.at("scenes").at(0).at("nodes"), Json::array({0}));
  EXPECT_EQ(root.at("children").size(), 7U);
  const auto q = root.at("rotation").get<std::vector<float>>();
  EXPECT_NEAR(norm(rotate(quat(q.data()), {0, 0, 1}) - Vec3{0, 1, 0}), 0, 1e-6);  // rounding of floats
  EXPECT_NEAR(norm(rotate(quat(q.data()), {1, 0, 0}) - Vec3{1, 0, 0}), 0, 1e-6);
}

TEST_F(GltfFileTest, EqualShapesShareTheirMesh) {
  ExportRun run = make_export_run();
  const Glb glb = write(run);
  EXPECT_EQ(glb.node("cube[0]").at("mesh"), glb.node("cube[1]").at("mesh"));
  EXPECT_EQ(glb.json.at("meshes").size(), 6U);
  // Three accessors a shape: positions, normals, faces. The rest are times and one a channel.
  EXPECT_EQ(glb.json.at("accessors").size(), 6 * 3 + 1 + 6U);
}

TEST_F(GltfFileTest, ColoursOfOneShapeShareItsVertices) {
  ExportRun run = make_export_run();
  run.cast.bodies[3].name = "another cube";
  const Glb glb = write(run);
  const auto primitive = [&](const char* name) {
    return glb.json.at("meshes").at(glb.node(name).at("mesh").get<std::size_t>()).at("primitives").at(0);
  };
  const Json first = primitive("cube[0]"), second = primitive("another cube");
  EXPECT_NE(first.at("material"), second.at("material"));
  EXPECT_EQ(first.at("attributes"), second.at("attributes"));
  EXPECT_EQ(first.at("indices"), second.at("indices"));
}

TEST_F(GltfFileTest, AccessorsLieInTheirViewsAndSayTheirBounds) {
  const Glb glb = write(make_export_run());
  const auto whole = glb.json.at("buffers").at(0).at("byteLength").get<std::size_t>();
  for (const Json& accessor : glb.json.at("accessors")) {
    const Json& view = glb.json.at("bufferViews").at(accessor.at("bufferView").get<std::size_t>());
    const std::size_t component = accessor.at("componentType") == 5123 ? 2 : 4;
    const std::size_t offset = accessor.value("byteOffset", std::size_t{0});
    const std::size_t size = component * glb.components(accessor) * accessor.at("count").get<std::size_t>();
    EXPECT_LE(offset + size, view.at("byteLength").get<std::size_t>());
    EXPECT_LE(view.at("byteOffset").get<std::size_t>() + view.at("byteLength").get<std::size_t>(), whole);
    EXPECT_EQ((view.at("byteOffset").get<std::size_t>() + offset) % component, 0U);
  }
  for (const Json& mesh : glb.json.at("meshes")) {
    const Json& position = mesh.at("primitives").at(0).at("attributes").at("POSITION");
    const std::vector<float> values = glb.floats(position);
    const Json& accessor = glb.json.at("accessors").at(position.get<std::size_t>());
    for (std::size_t axis = 0; axis < 3; ++axis) {
      float low = values[axis], high = values[axis];
      for (std::size_t i = axis; i < values.size(); i += 3)
        low = std::min(low, values[i]), high = std::max(high, values[i]);
      EXPECT_EQ(accessor.at("min").at(axis).get<float>(), low);
      EXPECT_EQ(accessor.at("max").at(axis).get<float>(), high);
    }
  }
}

TEST_F(GltfFileTest, AStillSceneHasNoAnimationAndAnEmptyOneNoBytes) {
  EXPECT_FALSE(write(make_export_run(1)).json.contains("animations"));
  ExportRun empty;
  empty.frames.emplace_back();
  const Glb glb = write(empty);
  EXPECT_FALSE(glb.json.contains("buffers"));
  EXPECT_FALSE(glb.json.contains("meshes"));
}

TEST_F(GltfFileTest, FramesCloserThanAFloatCanTellAreLeftOut) {
  ExportRun run = make_export_run(3);
  run.frames[0].time = 1000;
  run.frames[1].time = 1000 + 1e-5;  // half of a float's step there is 3e-5
  run.frames[2].time = 1001;
  const Glb glb = write(run);
  EXPECT_EQ(glb.floats(glb.sampler("cube[0]", "translation").at("input")), (std::vector<float>{1000, 1001}));
}

TEST_F(GltfFileTest, AFileTooLargeForTheFormatIsAnErrorAndTouchesNothing) {
  ASSERT_EQ(write_text_file(path(), "what was there before"), "");
  const ExportRun run = make_export_run();
  // The first limit is met while frames still come, the second only when all is counted: 40 frames of 4 + 3·12 + 3·16
  // bytes of keys, and meshes and text besides.
  for (const std::uint64_t limit : {1000U, 5000U}) {
    GltfFile file(path(), run.cast, limit);
    run.feed(file);
    EXPECT_NE(file.error().find("run.glb: cannot write the file: found"), std::string::npos) << file.error();
    EXPECT_NE(file.error().find("expected at most " + std::to_string(limit)), std::string::npos) << file.error();
  }
  EXPECT_EQ(read_text_file(path()).value(), "what was there before");
  EXPECT_EQ(scratch_.count(), 1U);
}

TEST_F(GltfFileTest, FailuresAreNamedAndLeaveNoFile) {
  const ExportRun run = make_export_run();
  GltfFile nowhere(scratch_.path("no/such/folder.glb"), run.cast);
  run.feed(nowhere);
  EXPECT_NE(nowhere.error().find("no/such/folder.glb: cannot open the file for writing"), std::string::npos)
      << nowhere.error();
  GltfFile frameless(path(), run.cast);
  frameless.finish();
  EXPECT_NE(frameless.error().find("found no frame"), std::string::npos) << frameless.error();
  EXPECT_EQ(scratch_.count(), 0U);
}

TEST_F(GltfFileTest, NamesThatAreNotTextDoNotStopTheFile) {
  ExportRun run = make_export_run(2);
  run.cast.bodies[2].name = "cube\xff";
  const Glb glb = write(run);
  EXPECT_EQ(glb.json.at("nodes").at(3).at("name"), "cube\xEF\xBF\xBD");
}

}  // namespace
}  // namespace carom
