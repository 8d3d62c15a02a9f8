#include "io/scene_files.h"

#include <nlohmann/json.hpp>

namespace carom {
namespace {

using Json = nlohmann::ordered_json;

/// Takes the next of the hulls wherever the shape, or a part of it, comes from a file.
void put_inside(Json& shape, const SceneFiles& files, std::size_t& next) {
  if (shape.contains("compound"))
    for (Json& part : shape["compound"]) put_inside(part["shape"], files, next);
  if (!shape.contains("hull") || !shape["hull"].contains("file")) return;
  Json points = Json::array();
  for (const Vec3& p : files.hulls.at(next++)) points.push_back({p.x, p.y, p.z});
  shape["hull"] = {{"points", std::move(points)}};
}

}  // namespace

std::string with_hulls_inside(std::string_view json, const SceneFiles& files) {
  if (files.hulls.empty()) return std::string(json);
  Json scene = Json::parse(json);
  std::size_t next = 0;
  for (Json& body : scene["bodies"]) put_inside(body["shape"], files, next);
  return scene.dump(2);
}

}  // namespace carom
