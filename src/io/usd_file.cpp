// The stage:
//
//   World                 everything, z up, metres
//     Prototypes          a class, so that nothing in it is drawn: a mesh for each shape and colour
//     Looks               a material for each colour
//     <body> ...          an instance of its prototype with its pose
//
// Instances rather than a point instancer: they keep the bodies' names, and importers turn each into an object of its
// own.
#include "io/usd_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "io/json_number.h"
#include "io/scenery.h"
#include "io/whole_file.h"

namespace carom {
namespace {

using Key = PoseTracks::Key;
using Triple = std::array<float, 3>;

/// What USD takes for a name: letters, digits and underscores, no digit first.
std::string identifier(const std::string& name) {
  std::string id;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    if (letter || (digit && !id.empty())) {
      id += c;
    } else if (digit) {
      (id += '_') += c;
    } else if (!id.empty() && id.back() != '_') {
      id += '_';
    }
  }
  while (id.ends_with('_')) id.pop_back();
  return id.empty() ? "body" : id;
}

/// `cube[3]` becomes cube_3; where that is taken, cube_3_2 and so on.
std::vector<std::string> prim_names(const Cast& cast) {
  std::set<std::string> taken{"Prototypes", "Looks"};
  std::vector<std::string> names;
  names.reserve(cast.bodies.size());
  for (const CastBody& body : cast.bodies) {
    const std::string wanted = identifier(body.name);
    std::string name = wanted;
    for (int i = 2; !taken.insert(name).second; ++i) name = wanted + "_" + std::to_string(i);
    names.push_back(name);
  }
  return names;
}

/// Time codes a second, and codes a second to play: the frames' mean rate.
int mean_rate(const std::vector<Real>& times) {
  constexpr Real kStillRate = 30, kHighestRate = 1e6;
  if (times.size() < 2) return static_cast<int>(kStillRate);
  const Real rate = static_cast<Real>(times.size() - 1) / (times.back() - times.front());
  return static_cast<int>(std::clamp(std::round(rate), 1.0, kHighestRate));
}

class StageWriter {
 public:
  StageWriter(const Cast& cast, const PoseTracks& tracks, WholeFile& file)
      : cast_(cast), tracks_(tracks), file_(file), names_(prim_names(cast)), scenery_(make_scenery(cast, tracks)) {
    const int rate = mean_rate(tracks.times());
    codes_.reserve(tracks.times().size());
    // Multiples of 1/rate come out as whole numbers; frames are at least a microsecond apart and stay apart.
    for (const Real time : tracks.times()) codes_.push_back(std::round(time * rate * 1e6) / 1e6);
    rate_ = rate;
  }

  void write() {
    write_head();
    print("def Xform \"World\"\n{{\n    class \"Prototypes\"\n    {{\n");
    for (const Scenery::Prototype& prototype : scenery_.prototypes) write_prototype(prototype);
    print("    }}\n\n    def Scope \"Looks\"\n    {{\n");
    for (const PaletteColour& colour : scenery_.colours) write_look(colour);
    print("    }}\n");
    for (std::size_t i = 0; i < cast_.bodies.size(); ++i) write_body(i);
    print("}}\n");
    flush();
  }

 private:
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
  }

  void flush() {
    file_.write({buffer_.data(), buffer_.size()});
    buffer_.clear();
  }

  void write_head() {
    print("#usda 1.0\n(\n    defaultPrim = \"World\"\n");
    if (!cast_.description.empty()) print("    doc = {}\n", json_string(cast_.description));
    print("    endTimeCode = {}\n    framesPerSecond = {}\n    metersPerUnit = 1\n", codes_.back(), rate_);
    print("    startTimeCode = {}\n    timeCodesPerSecond = {}\n    upAxis = \"Z\"\n)\n\n", codes_.front(), rate_);
  }

  std::string prototype_name(const Scenery::Prototype& prototype) const {
    return scenery_.meshes[prototype.mesh].name + "_" + std::string(scenery_.colours[prototype.colour].name);
  }

  void print_triple(const Triple& v) {
    fmt::format_to(std::back_inserter(buffer_), FMT_COMPILE("({}, {}, {})"), v[0], v[1], v[2]);
  }
  void print_triples(const std::vector<Triple>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) print(", ");
      print_triple(list[i]);
    }
  }

  void write_prototype(const Scenery::Prototype& prototype) {
    const ShapeMesh& mesh = scenery_.meshes[prototype.mesh].triangles;
    Triple low = mesh.positions.front(), high = low;
    for (const Triple& p : mesh.positions)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        low[axis] = std::min(low[axis], p[axis]);
        high[axis] = std::max(high[axis], p[axis]);
      }
    const PaletteColour& colour = scenery_.colours[prototype.colour];
    print("        def Xform \"{}\"\n        {{\n", prototype_name(prototype));
    print("            def Mesh \"Geometry\" (\n                prepend apiSchemas = [\"MaterialBindingAPI\"]\n");
    print("            )\n            {{\n                float3[] extent = [");
    print_triples({low, high});
    print("]\n                int[] faceVertexCounts = [3");
    for (std::size_t i = 1; i < mesh.triangles.size(); ++i) print(", 3");
    print("]\n                int[] faceVertexIndices = [");
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
      const auto& t = mesh.triangles[i];
      print("{}{}, {}, {}", i == 0 ? "" : ", ", t[0], t[1], t[2]);
    }
    print("]\n                rel material:binding = </World/Looks/{}>\n", colour.name);
    print("                normal3f[] normals = [");
    print_triples(mesh.normals);
    print(
        "] (\n                    interpolation = \"vertex\"\n                )\n                point3f[] points = [");
    print_triples(mesh.positions);
    print("]\n                color3f[] primvars:displayColor = [");
    print_triple(colour.linear());
    print("]\n                float[] primvars:displayOpacity = [{}]", colour.opacity);
    print("\n                uniform token subdivisionScheme = \"none\"\n            }}\n        }}\n");
  }

  void write_look(const PaletteColour& colour) {
    print("        def Material \"{}\"\n        {{\n", colour.name);
    print("            token outputs:surface.connect = </World/Looks/{}/Surface.outputs:surface>\n\n", colour.name);
    print("            def Shader \"Surface\"\n            {{\n");
    print(
        "                uniform token info:id = \"UsdPreviewSurface\"\n                color3f inputs:diffuseColor "
        "= ");
    print_triple(colour.linear());
    print("\n                float inputs:metallic = 0\n                float inputs:opacity = {}\n", colour.opacity);
    print("                float inputs:roughness = 0.6\n");
    print("                token outputs:surface\n            }}\n        }}\n");
  }

  void write_body(std::size_t body) {
    print("\n    def Xform \"{}\" (\n", names_[body]);
    const std::string& name = cast_.bodies[body].name;
    if (name != names_[body])
      print("        customData = {{\n            string name = {}\n        }}\n", json_string(name));
    print("        instanceable = true\n        prepend references = </World/Prototypes/{}>\n    )\n    {{\n",
          prototype_name(scenery_.prototypes[scenery_.prototype_of[body]]));
    write_attribute("quatf xformOp:orient", body, tracks_.rotates(body), [this](const Key& key) {
      const auto& q = key.orientation;
      fmt::format_to(std::back_inserter(buffer_), FMT_COMPILE("({}, {}, {}, {})"), q[0], q[1], q[2], q[3]);
    });
    write_attribute("double3 xformOp:translate", body, tracks_.translates(body),
                    [this](const Key& key) { print_triple(key.position); });
    print("        uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n    }}\n");
    flush();
  }

  /// A time sample a frame, or one value where there is no motion.
  template <class PrintValue>
  void write_attribute(std::string_view name, std::size_t body, bool moves, const PrintValue& print_value) {
    print("        {}", name);
    if (!moves) {
      print(" = ");
      print_value(tracks_.key(0, body));
      print("\n");
      return;
    }
    print(".timeSamples = {{\n");
    for (std::size_t frame = 0; frame < codes_.size(); ++frame) {
      fmt::format_to(std::back_inserter(buffer_), FMT_COMPILE("            {}: "), codes_[frame]);
      print_value(tracks_.key(frame, body));
      print(",\n");
    }
    print("        }}\n");
  }

  const Cast& cast_;
  const PoseTracks& tracks_;
  WholeFile& file_;
  std::vector<std::string> names_;  ///< per body
  Scenery scenery_;
  int rate_ = 0;             ///< time codes a second
  std::vector<Real> codes_;  ///< per frame
  fmt::memory_buffer buffer_;
};

}  // namespace

UsdFile::UsdFile(std::string path, const Cast& cast) : path_(std::move(path)), cast_(cast), tracks_(cast) {}

void UsdFile::finish() {
  if (tracks_.times().empty()) {
    error_ = path_ + ": cannot write the file: found no frame, expected at least one";
    return;
  }
  WholeFile file(path_);
  StageWriter(cast_, tracks_, file).write();
  error_ = file.commit();
}

}  // namespace carom
