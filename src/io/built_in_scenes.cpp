#include <algorithm>

#include "carom/io/scene.h"
#include "io/embedded_texts.h"
#include "io/json_document.h"
#include "io/json_view.h"

namespace carom {
namespace {

/// Only the head of the file is looked at: everything before the bodies, closed to make it JSON again. Listing the
/// scenes would otherwise parse megabytes of bodies.
std::string description_of(std::string_view json) {
  const std::size_t bodies = json.find("\"bodies\"");
  std::string head(json.substr(0, bodies));
  if (bodies != std::string_view::npos) head += "\"bodies\": []}";
  const Result<JsonDocument> document = parse_json(head, "built-in scene");
  if (!document) return {};
  std::string error;
  const JsonView root(document.value(), error);
  const auto description = root.find("description");
  return description ? description->text() : std::string();
}

}  // namespace

const std::vector<BuiltInScene>& built_in_scenes() {
  static const std::vector<BuiltInScene> scenes = [] {
    std::vector<BuiltInScene> list;
    for (const detail::EmbeddedText& scene : detail::embedded_scenes())
      list.push_back({std::string(scene.name), description_of(scene.text), scene.text});
    return list;
  }();
  return scenes;
}

}  // namespace carom
