// Layout (Khronos glTF 2.0, "GLB file format"): a header of 12 bytes, a chunk of JSON, a chunk of bytes. The bytes hold
// the meshes, then the times of the frames, then the positions of every body that moves, body after body, then the
// orientations of every body that turns. The JSON says where each of these begins. All is little-endian.
#include "io/gltf_file.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "io/scenery.h"
#include "io/whole_file.h"

static_assert(std::endian::native == std::endian::little, "keys and meshes are written as they stand in memory");

namespace carom {
namespace {

using Json = nlohmann::ordered_json;
using Key = PoseTracks::Key;

// Values of the specification.
constexpr int kUnsignedShort = 5123, kUnsignedInt = 5125, kFloat = 5126;
constexpr int kVertexBuffer = 34962, kIndexBuffer = 34963;
constexpr std::uint64_t kChunkAlignment = 4;
constexpr std::uint64_t kHeaderSize = 12, kChunkHeadSize = 8;

std::uint64_t padded(std::uint64_t size) { return (size + kChunkAlignment - 1) / kChunkAlignment * kChunkAlignment; }

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// The shortest text that a float is read back from; nlohmann's writes it as the double it is, twice as long.
Json short_number(float x) {
  char text[32];
  const auto end = std::to_chars(std::begin(text), std::end(text), x).ptr;
  double value = 0;
  std::from_chars(text, end, value);
  return value;
}

template <class Floats>
Json short_numbers(const Floats& values) {
  Json list = Json::array();
  for (const float x : values) list.push_back(short_number(x));
  return list;
}

/// glTF has the scalar part last.
std::array<float, 4> gltf_rotation(const Key& key) {
  const auto& q = key.orientation;
  return {q[1], q[2], q[3], q[0]};
}

/// Builds the JSON part and knows what the byte part holds, without the keys being copied.
class Document {
 public:
  Document(const Cast& cast, const PoseTracks& tracks)
      : cast_(cast), tracks_(tracks), scenery_(make_scenery(cast, tracks)) {
    json_["asset"] = {{"version", "2.0"}, {"generator", cast.version.empty() ? "Carom" : "Carom " + cast.version}};
    if (!cast.description.empty()) json_["asset"]["extras"] = {{"description", cast.description}};
    json_["scene"] = 0;
    json_["scenes"] = {{{"name", cast.scene}, {"nodes", {0}}}};
    add_nodes();
    add_materials();
    add_meshes();
    add_animation();
    if (size_ > 0) json_["buffers"] = {{{"byteLength", size_}}};
    // A body's name may be any bytes; what is not UTF-8 is replaced.
    text_ = json_.dump(-1, ' ', false, Json::error_handler_t::replace);
    text_.resize(padded(text_.size()), ' ');
  }

  std::uint64_t file_size() const {
    return kHeaderSize + kChunkHeadSize + text_.size() + (size_ > 0 ? kChunkHeadSize + size_ : 0);
  }

  /// Requires a `file_size` of at most 32 bits.
  void write(WholeFile& file) const {
    std::string head = "glTF";
    append(head, std::uint32_t{2});
    append(head, static_cast<std::uint32_t>(file_size()));
    append(head, static_cast<std::uint32_t>(text_.size()));
    file.write(head + "JSON" + text_);
    if (size_ == 0) return;  // no bodies: the format wants no empty chunk
    head.clear();
    append(head, static_cast<std::uint32_t>(size_));
    file.write(head + std::string("BIN\0", 4) + meshes_);
    write_keys(file);
  }

 private:
  /// Node 0 turns Carom's z up into glTF's y up; the bodies follow in the order of the cast.
  void add_nodes() {
    Json children = Json::array();
    Json& nodes = json_["nodes"] = Json::array({Json::object()});
    for (std::size_t i = 0; i < cast_.bodies.size(); ++i) {
      const Key& start = tracks_.key(0, i);
      children.push_back(i + 1);
      nodes.push_back({{"name", cast_.bodies[i].name},
                       {"mesh", scenery_.prototype_of[i]},
                       {"translation", short_numbers(start.position)},
                       {"rotation", short_numbers(gltf_rotation(start))}});
    }
    constexpr double kHalfRoot = 0.70710678118654752;
    nodes[0] = {{"name", cast_.scene}, {"rotation", {-kHalfRoot, 0, 0, kHalfRoot}}};
    if (!children.empty()) nodes[0]["children"] = std::move(children);
  }

  void add_materials() {
    for (const PaletteColour& colour : scenery_.colours) {
      const std::array<float, 3> light = colour.linear();
      Json material{{"name", colour.name},
                    {"pbrMetallicRoughness",
                     {{"baseColorFactor", short_numbers(std::array{light[0], light[1], light[2], colour.opacity})},
                      {"metallicFactor", 0},
                      {"roughnessFactor", 0.6}}}};
      if (colour.opacity < 1) material["alphaMode"] = "BLEND";
      json_["materials"].push_back(std::move(material));
    }
  }

  /// One for each shape and colour; those of one shape share their vertices.
  void add_meshes() {
    std::vector<Json> primitives;
    primitives.reserve(scenery_.meshes.size());
    for (const Scenery::Mesh& mesh : scenery_.meshes) primitives.push_back(add_triangles(mesh.triangles));
    for (const Scenery::Prototype& prototype : scenery_.prototypes) {
      Json primitive = primitives[prototype.mesh];
      primitive["material"] = prototype.colour;
      json_["meshes"].push_back(
          {{"name", scenery_.meshes[prototype.mesh].name + " " + std::string(scenery_.colours[prototype.colour].name)},
           {"primitives", {std::move(primitive)}}});
    }
  }

  Json add_triangles(const ShapeMesh& mesh) {
    const std::size_t vertices = mesh.positions.size();
    const std::size_t positions = add_mesh_part(bytes_of(mesh.positions), kVertexBuffer, kFloat, "VEC3", vertices);
    Json low = Json::array(), high = Json::array();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto [least, most] =
          std::minmax_element(mesh.positions.begin(), mesh.positions.end(),
                              [axis](const auto& a, const auto& b) { return a[axis] < b[axis]; });
      low.push_back((*least)[axis]);
      high.push_back((*most)[axis]);
    }
    json_["accessors"][positions]["min"] = std::move(low);
    json_["accessors"][positions]["max"] = std::move(high);
    const std::size_t normals = add_mesh_part(bytes_of(mesh.normals), kVertexBuffer, kFloat, "VEC3", vertices);

    const bool is_short = vertices < 0xFFFF;  // the largest value is reserved
    std::string indices;
    for (const auto& triangle : mesh.triangles)
      for (const std::uint32_t i : triangle) {
        if (is_short)
          append(indices, static_cast<std::uint16_t>(i));
        else
          append(indices, i);
      }
    const std::size_t faces = add_mesh_part(indices, kIndexBuffer, is_short ? kUnsignedShort : kUnsignedInt, "SCALAR",
                                            3 * mesh.triangles.size());
    return {{"attributes", {{"POSITION", positions}, {"NORMAL", normals}}}, {"indices", faces}};
  }

  std::size_t add_mesh_part(const std::string& bytes, int target, int component, const char* type, std::size_t count) {
    const std::size_t view = add_view(bytes.size());
    json_["bufferViews"][view]["target"] = target;
    meshes_ += bytes;
    meshes_.resize(padded(meshes_.size()), '\0');
    return add_accessor(view, 0, component, type, count);
  }

  std::size_t add_view(std::uint64_t bytes) {
    json_["bufferViews"].push_back({{"buffer", 0}, {"byteOffset", size_}, {"byteLength", bytes}});
    size_ += padded(bytes);
    return json_["bufferViews"].size() - 1;
  }

  std::size_t add_accessor(std::size_t view, std::uint64_t offset, int component, const char* type, std::size_t count) {
    Json accessor{{"bufferView", view}, {"componentType", component}, {"count", count}, {"type", type}};
    if (offset != 0) accessor["byteOffset"] = offset;
    json_["accessors"].push_back(std::move(accessor));
    return json_["accessors"].size() - 1;
  }

  /// A body has a key at every frame or, where it does not move, none: so one list of times serves all.
  void add_animation() {
    if (tracks_.translating_count() + tracks_.rotating_count() == 0) return;
    const std::size_t frames = tracks_.times().size();
    const std::size_t times = add_accessor(add_view(sizeof(float) * frames), 0, kFloat, "SCALAR", frames);
    json_["accessors"][times]["min"] = {static_cast<float>(tracks_.times().front())};
    json_["accessors"][times]["max"] = {static_cast<float>(tracks_.times().back())};

    json_["animations"] = {{{"name", cast_.scene}, {"channels", Json::array()}, {"samplers", Json::array()}}};
    const auto add_channels = [&](const char* path, const char* type, std::size_t key_size, std::size_t count,
                                  auto moves) {
      if (count == 0) return;
      const std::size_t view = add_view(key_size * frames * count);
      std::uint64_t offset = 0;
      Json& animation = json_["animations"][0];
      for (std::size_t i = 0; i < cast_.bodies.size(); ++i) {
        if (!moves(i)) continue;
        const std::size_t output = add_accessor(view, offset, kFloat, type, frames);
        offset += key_size * frames;
        animation["channels"].push_back(
            {{"sampler", animation["samplers"].size()}, {"target", {{"node", i + 1}, {"path", path}}}});
        animation["samplers"].push_back({{"input", times}, {"output", output}, {"interpolation", "LINEAR"}});
      }
    };
    add_channels("translation", "VEC3", sizeof(Key::position), tracks_.translating_count(),
                 [this](std::size_t i) { return tracks_.translates(i); });
    add_channels("rotation", "VEC4", sizeof(Key::orientation), tracks_.rotating_count(),
                 [this](std::size_t i) { return tracks_.rotates(i); });
  }

  void write_keys(WholeFile& file) const {
    if (tracks_.translating_count() + tracks_.rotating_count() == 0) return;
    std::vector<float> times(tracks_.times().begin(), tracks_.times().end());
    file.write(bytes_of(times));
    const auto write_all = [&](auto moves, auto value) {
      std::string bytes;
      for (std::size_t i = 0; i < cast_.bodies.size(); ++i) {
        if (!moves(i)) continue;
        bytes.clear();
        for (std::size_t frame = 0; frame < times.size(); ++frame) append(bytes, value(tracks_.key(frame, i)));
        file.write(bytes);
      }
    };
    write_all([this](std::size_t i) { return tracks_.translates(i); }, [](const Key& key) { return key.position; });
    write_all([this](std::size_t i) { return tracks_.rotates(i); }, gltf_rotation);
  }

  const Cast& cast_;
  const PoseTracks& tracks_;
  Scenery scenery_;
  Json json_;
  std::string text_;        ///< `json_` as it is written
  std::string meshes_;      ///< the first of the bytes
  std::uint64_t size_ = 0;  ///< of all the bytes
};

}  // namespace

GltfFile::GltfFile(std::string path, const Cast& cast, std::uint64_t largest_file)
    : path_(std::move(path)), cast_(cast), tracks_(cast), largest_file_(std::min(largest_file, kLargestFile)) {}

void GltfFile::add_frame(const Frame& frame) {
  if (!error_.empty()) return;
  tracks_.add(frame);
  // What has moved so far will be written in any case: no need to fill the memory before saying that it is too much.
  const std::uint64_t per_frame = sizeof(float) + sizeof(Key::position) * tracks_.translating_count() +
                                  sizeof(Key::orientation) * tracks_.rotating_count();
  const std::uint64_t size = per_frame * tracks_.times().size();
  if (size > largest_file_) note_too_large(size);
}

void GltfFile::finish() {
  if (!error_.empty()) return;
  if (tracks_.times().empty()) {
    error_ = path_ + ": cannot write the file: found no frame, expected at least one";
    return;
  }
  const Document document(cast_, tracks_);
  if (document.file_size() > largest_file_) {
    note_too_large(document.file_size());
    return;
  }
  WholeFile file(path_);
  document.write(file);
  error_ = file.commit();
}

void GltfFile::note_too_large(std::uint64_t size) {
  error_ = path_ + ": cannot write the file: found " + std::to_string(size) + " bytes or more, expected at most " +
           std::to_string(largest_file_) + " in a .glb file; fewer frames or a shorter run take less";
  tracks_.clear();
}

}  // namespace carom
