#include "io/usd_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <stdexcept>

#include "io/export_run.h"
#include "io/text_file.h"

namespace carom {
namespace {

using test::ExportRun;
using test::make_export_run;
using test::ScratchFolder;

/// A prim of the text form of USD, its values as text.
struct Prim {
  std::string specifier, type, name;
  std::map<std::string, std::string> metadata, properties;  ///< properties by name, with `.timeSamples` and the like
  std::vector<Prim> children;

  const Prim* find(const std::string& path) const {
    const std::size_t slash = path.find('/');
    for (const Prim& child : children)
      if (child.name == path.substr(0, slash))
        return slash == std::string::npos ? &child : child.find(path.substr(slash + 1));
    return nullptr;
  }
};

/// Reads as much of the grammar as is written here; nothing is shared with what wrote it.
class UsdaParser {
 public:
  explicit UsdaParser(std::string text) : text_(std::move(text)) {}

  /// The layer as a prim without a name.
  Prim parse() {
    Prim layer;
    EXPECT_EQ(text_.substr(0, 10), "#usda 1.0\n");
    at_ = 10;
    if (peek() == '(') read_metadata(layer);
    while (peek() != '\0') layer.children.push_back(read_prim());
    return layer;
  }

 private:
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void expect(char c) {
    ASSERT_EQ(peek(), c) << "at byte " << at_ << ": " << text_.substr(at_, 60);
    ++at_;
  }
  std::string word() {
    peek();
    const std::size_t start = at_;
    while (at_ < text_.size() && std::string(" \n(){}=").find(text_[at_]) == std::string::npos) ++at_;
    if (at_ == start) fail("a word");
    return text_.substr(start, at_ - start);
  }
  /// One value: a string, a path, a number or word, or anything in brackets that match.
  std::string value() {
    const char first = peek();
    const std::size_t start = at_;
    if (first == '"') {
      for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
        if (text_[at_] == '\\') ++at_;
      ++at_;
    } else if (first == '<') {
      at_ = text_.find('>', at_) + 1;
    } else if (first == '(' || first == '[' || first == '{') {
      std::string open;
      do {
        const char c = text_.at(at_);
        if (c == '"') {
          value();
          continue;
        }
        if (c == '(' || c == '[' || c == '{') open += c == '(' ? ')' : (c == '[' ? ']' : '}');
        if (c == ')' || c == ']' || c == '}') {
          if (open.back() != c) fail(std::string(1, open.back()));
          open.pop_back();
        }
        ++at_;
      } while (!open.empty());
    } else {
      return word();
    }
    return text_.substr(start, at_ - start);
  }
  void read_metadata(Prim& prim) {
    expect('(');
    while (peek() != ')') {
      std::string key = word();
      if (key == "prepend") key = word();
      expect('=');
      EXPECT_TRUE(prim.metadata.emplace(key, value()).second) << key << " twice";
    }
    expect(')');
  }
  Prim read_prim() {
    Prim prim;
    prim.specifier = word();
    if (prim.specifier != "def" && prim.specifier != "class") fail("a prim");
    if (peek() != '"') prim.type = word();
    const std::string quoted = value();
    prim.name = quoted.substr(1, quoted.size() - 2);
    if (peek() == '(') read_metadata(prim);
    expect('{');
    while (peek() != '}') {
      if (text_.compare(at_, 4, "def ") == 0 || text_.compare(at_, 6, "class ") == 0)
        prim.children.push_back(read_prim());
      else
        read_property(prim);
    }
    expect('}');
    return prim;
  }
  void read_property(Prim& prim) {
    std::string type = word();
    if (type == "uniform") type = word();
    const std::string name = word();
    std::string text;
    if (peek() == '=') {
      expect('=');
      text = value();
      Prim ignored;
      if (peek() == '(') read_metadata(ignored);
    }
    EXPECT_TRUE(prim.properties.emplace(name, text).second) << name << " twice in " << prim.name;
  }
  void fail(const std::string& what) {
    throw std::runtime_error("expected " + what + " at byte " + std::to_string(at_) + ": " + text_.substr(at_, 60));
  }

  std::string text_;
  std::size_t at_ = 0;
};

/// All the numbers in a text, in order.
std::vector<double> numbers(const std::string& text) {
  std::vector<double> list;
  for (const char* at = text.c_str(); *at != '\0';) {
    char* end = nullptr;
    const double x = std::strtod(at, &end);
    if (end == at) {
      ++at;
    } else {
      list.push_back(x);
      at = end;
    }
  }
  return list;
}

class UsdFileTest : public ::testing::Test {
 protected:
  Prim write(const ExportRun& run) const {
    UsdFile file(path(), run.cast);
    run.feed(file);
    EXPECT_EQ(file.error(), "");
    EXPECT_EQ(scratch_.count(), 1U) << "a temporary file was left behind";
    return UsdaParser(read_text_file(path()).value()).parse();
  }
  std::string path() const { return scratch_.path("run.usda"); }

  ScratchFolder scratch_;
};

/// The prims that refer to a prototype, in the order of the file: the bodies.
std::vector<const Prim*> bodies(const Prim& layer) {
  std::vector<const Prim*> list;
  for (const Prim& prim : layer.find("World")->children)
    if (prim.metadata.count("references") > 0) list.push_back(&prim);
  return list;
}

TEST_F(UsdFileTest, SaysItsAxesUnitsAndRate) {
  const Prim layer = write(make_export_run());
  EXPECT_EQ(layer.metadata.at("upAxis"), "\"Z\"");
  EXPECT_EQ(layer.metadata.at("metersPerUnit"), "1");
  EXPECT_EQ(layer.metadata.at("timeCodesPerSecond"), "30");
  EXPECT_EQ(layer.metadata.at("framesPerSecond"), "30");
  EXPECT_EQ(layer.metadata.at("startTimeCode"), "0");
  EXPECT_EQ(layer.metadata.at("endTimeCode"), "39");
  ASSERT_EQ(layer.children.size(), 1U);
  EXPECT_EQ("\"" + layer.children[0].name + "\"", layer.metadata.at("defaultPrim"));
}

TEST_F(UsdFileTest, EveryPoseIsTheOneOfItsFrame) {
  const ExportRun run = make_export_run();
  const Prim layer = write(run);
  const std::vector<const Prim*> prims = bodies(layer);
  ASSERT_EQ(prims.size(), run.cast.bodies.size());
  for (std::size_t body = 0; body < prims.size(); ++body) {
    const auto samples = [&](const std::string& name, std::size_t components) {
      const auto moving = prims[body]->properties.find(name + ".timeSamples");
      std::vector<std::vector<double>> list;
      if (moving == prims[body]->properties.end()) {
        list.assign(run.frames.size(), numbers(prims[body]->properties.at(name)));
        return list;
      }
      const std::vector<double> all = numbers(moving->second);
      EXPECT_EQ(all.size(), (components + 1) * run.frames.size()) << "a sample a frame";
      for (std::size_t i = 0; i < run.frames.size(); ++i) {
        // Written in steps of a millionth of a time code.
        EXPECT_NEAR(all[(components + 1) * i], 30 * run.frames[i].time, 1e-6);
        const auto first = all.begin() + static_cast<std::ptrdiff_t>((components + 1) * i + 1);
        list.emplace_back(first, first + static_cast<std::ptrdiff_t>(components));
      }
      return list;
    };
    const auto translate = samples("xformOp:translate", 3), orient = samples("xformOp:orient", 4);
    EXPECT_EQ(prims[body]->properties.at("xformOpOrder"), "[\"xformOp:translate\", \"xformOp:orient\"]");
    for (std::size_t i = 0; i < run.frames.size(); ++i) {
      const Pose pose = run.pose(i, body);
      for (int axis = 0; axis < 3; ++axis)
        EXPECT_EQ(static_cast<float>(translate[i][static_cast<std::size_t>(axis)]),
                  static_cast<float>(pose.position[axis]));
      const Quat& q = pose.orientation;
      const Real cosine = orient[i][0] * q.w + orient[i][1] * q.x + orient[i][2] * q.y + orient[i][3] * q.z;
      EXPECT_NEAR(std::abs(cosine), 1, 1e-6);  // rounding of floats; either sign is the same turn
    }
  }
}

TEST_F(UsdFileTest, OnlyWhatMovesHasTimeSamples) {
  const Prim layer = write(make_export_run());
  const std::vector<const Prim*> prims = bodies(layer);
  const auto moves = [&](std::size_t body) {
    return std::pair(prims[body]->properties.count("xformOp:translate.timeSamples") == 1,
                     prims[body]->properties.count("xformOp:orient.timeSamples") == 1);
  };
  EXPECT_EQ(moves(0), std::pair(false, false));
  EXPECT_EQ(moves(1), std::pair(false, false));
  EXPECT_EQ(moves(2), std::pair(true, true));
  EXPECT_EQ(moves(3), std::pair(false, false));
  EXPECT_EQ(moves(4), std::pair(true, false));
  EXPECT_EQ(moves(5), std::pair(true, true));
  EXPECT_EQ(moves(6), std::pair(false, true));
}

TEST_F(UsdFileTest, EveryPrototypeAndMaterialReferredToExistsAndOneServesEqualBodies) {
  const Prim layer = write(make_export_run());
  std::map<std::string, int> uses;
  for (const Prim* body : bodies(layer)) {
    EXPECT_EQ(body->metadata.at("instanceable"), "true");
    const std::string target = body->metadata.at("references");
    ++uses[target];
    const Prim* prototype = layer.find(target.substr(2, target.size() - 3));
    ASSERT_NE(prototype, nullptr) << target;
    const Prim* mesh = prototype->find("Geometry");
    ASSERT_NE(mesh, nullptr) << target;
    const std::string material = mesh->properties.at("material:binding");
    EXPECT_NE(layer.find(material.substr(2, material.size() - 3)), nullptr) << material;
  }
  EXPECT_EQ(uses.size(), 6U);
  EXPECT_EQ(layer.find("World/Prototypes")->specifier, "class") << "or the prototypes would be drawn";
  EXPECT_EQ(layer.find("World/Prototypes")->children.size(), 6U);
}

TEST_F(UsdFileTest, MeshesAreWhole) {
  const Prim layer = write(make_export_run());
  for (const Prim& prototype : layer.find("World/Prototypes")->children) {
    const Prim& mesh = *prototype.find("Geometry");
    const auto points = numbers(mesh.properties.at("points")), normals = numbers(mesh.properties.at("normals"));
    const auto counts = numbers(mesh.properties.at("faceVertexCounts"));
    const auto indices = numbers(mesh.properties.at("faceVertexIndices"));
    const auto extent = numbers(mesh.properties.at("extent"));
    EXPECT_EQ(points.size(), normals.size());
    EXPECT_EQ(indices.size(), 3 * counts.size());
    for (const double count : counts) EXPECT_EQ(count, 3);
    for (const double i : indices) EXPECT_LT(3 * i, static_cast<double>(points.size()));
    ASSERT_EQ(extent.size(), 6U);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double low = points[axis], high = points[axis];
      for (std::size_t i = axis; i < points.size(); i += 3)
        low = std::min(low, points[i]), high = std::max(high, points[i]);
      EXPECT_EQ(extent[axis], low);
      EXPECT_EQ(extent[axis + 3], high);
    }
    EXPECT_EQ(mesh.properties.at("subdivisionScheme"), "\"none\"");
    EXPECT_EQ(numbers(mesh.properties.at("primvars:displayColor")).size(), 3U);
  }
}

TEST_F(UsdFileTest, NamesAreValidUniqueAndTheOriginalIsKept) {
  ExportRun run = make_export_run(2);
  const std::vector<std::string> given{"Looks", "cube[3]", "cube_3", "cube 3", "", "7", "\xC3\xBC\"\\"};
  for (std::size_t i = 0; i < given.size(); ++i) run.cast.bodies[i].name = given[i];
  const Prim layer = write(run);
  std::vector<std::string> names;
  for (const Prim* body : bodies(layer)) names.push_back(body->name);
  EXPECT_EQ(names, (std::vector<std::string>{"Looks_2", "cube_3", "cube_3_2", "cube_3_3", "body", "_7", "body_2"}));
  const auto kept = [&](std::size_t body) { return bodies(layer)[body]->metadata.at("customData"); };
  EXPECT_NE(kept(1).find("string name = \"cube[3]\""), std::string::npos) << kept(1);
  EXPECT_NE(kept(2).find("\"cube_3\""), std::string::npos);
  EXPECT_NE(kept(6).find("\"\xC3\xBC\\\"\\\\\""), std::string::npos) << kept(6);
}

TEST_F(UsdFileTest, AStillOrEmptySceneIsAFileToo) {
  const Prim still = write(make_export_run(1));
  for (const Prim* body : bodies(still)) EXPECT_EQ(body->properties.count("xformOp:translate"), 1U);
  ExportRun empty;
  empty.frames.emplace_back();
  EXPECT_TRUE(bodies(write(empty)).empty());
}

TEST_F(UsdFileTest, FailuresAreNamedAndLeaveNoFile) {
  const ExportRun run = make_export_run();
  UsdFile nowhere(scratch_.path("no/such/folder.usda"), run.cast);
  run.feed(nowhere);
  EXPECT_NE(nowhere.error().find("no/such/folder.usda: cannot open the file for writing"), std::string::npos)
      << nowhere.error();
  UsdFile frameless(path(), run.cast);
  frameless.finish();
  EXPECT_NE(frameless.error().find("found no frame"), std::string::npos) << frameless.error();
  EXPECT_EQ(scratch_.count(), 0U);
}

}  // namespace
}  // namespace carom
