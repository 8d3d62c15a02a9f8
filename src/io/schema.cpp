// Schemas from the key tables: objects come from the tables, and only the leaf types are written out here.
#include "carom/io/schema.h"

#include <set>
#include <span>
#include <string_view>

#include <nlohmann/json.hpp>

#include "carom/base/error.h"
#include "io/cases_keys.h"
#include "io/object_spec.h"
#include "io/problem_keys.h"
#include "io/scene_keys.h"

namespace carom {
namespace {

using Json = nlohmann::ordered_json;

Json list_of(const Json& items, int count) {
  return {{"type", "array"}, {"items", items}, {"minItems", count}, {"maxItems", count}};
}

Json reference(std::string_view type) { return {{"$ref", "#/$defs/" + std::string(type)}}; }

const Json& leaf_types() {
  const Json number = {{"type", "number"}};
  const Json positive = {{"type", "number"}, {"exclusiveMinimum", 0}};
  const Json natural = {{"type", "integer"}, {"minimum", 0}};
  const Json string = {{"type", "string"}};
  static const Json types = {
      {"format_1", {{"const", 1}}},
      {"string", string},
      {"string2", list_of(string, 2)},
      {"name", {{"type", "string"}, {"minLength", 1}}},
      {"boolean", {{"type", "boolean"}}},
      {"number", number},
      {"number2", list_of(number, 2)},
      {"vec3", list_of(number, 3)},
      {"matrix3", list_of(list_of(number, 3), 3)},
      {"row_jacobian", list_of(list_of(number, 6), 2)},
      {"positive", positive},
      {"positive2", list_of(positive, 2)},
      {"positive3", list_of(positive, 3)},
      {"non_negative", {{"type", "number"}, {"minimum", 0}}},
      {"fraction", {{"type", "number"}, {"minimum", 0}, {"maximum", 1}}},
      {"natural", natural},
      {"natural2", list_of(natural, 2)},
      {"count3", list_of({{"type", "integer"}, {"minimum", 1}}, 3)},
      {"option", {{"type", {"number", "boolean", "string"}}}},
      {"body_type", {{"enum", kBodyTypeNames}}},
      {"inertia", {{"oneOf", {list_of(positive, 3), list_of(list_of(number, 3), 3)}}}},
      {"orientation", {{"oneOf", {list_of(number, 4), reference("axis_angle"), reference("roll_pitch_yaw")}}}},
      {"joint", {{"type", "object"}, {"properties", {{"type", {{"enum", kJointTypeNames}}}}}, {"required", {"type"}}}},
      {"note", {{"type", {"string", "null"}}}},
      {"anything", Json::object()},
      {"free_object", {{"type", "object"}}},
      {"cases_1", {{"const", "carom-cases-1"}}},
      {"score_mode", {{"enum", cases_keys::mode_names()}}},
      {"row", {{"type", "array"}, {"items", number}, {"minItems", 2}}},
  };
  return types;
}

/// What a key's type stands for, and which definition it needs.
Json type_schema(std::string_view type, std::set<std::string>& used) {
  const std::size_t colon = type.find(':');
  const std::string_view form = colon == std::string_view::npos ? "" : type.substr(0, colon);
  const std::string_view base = form.empty() ? type : type.substr(colon + 1);
  used.insert(std::string(base));
  if (form == "list") return {{"type", "array"}, {"items", reference(base)}};
  if (form == "list1") return list_of(reference(base), 1);
  if (form == "list2") return list_of(reference(base), 2);
  if (form == "map") return {{"type", "object"}, {"additionalProperties", reference(base)}};
  return reference(base);
}

Json object_schema(const ObjectSpec& spec, std::set<std::string>& used) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const KeySpec& key : spec.keys) {
    Json property = type_schema(key.type, used);
    property["description"] = key.help;
    properties[std::string(key.name)] = std::move(property);
    if (key.required) required.push_back(key.name);
  }
  Json schema = {{"description", spec.help}, {"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  if (spec.single) schema.update({{"minProperties", 1}, {"maxProperties", 1}});
  schema["additionalProperties"] = false;
  return schema;
}

Json make_schema(const std::string& title, std::span<const ObjectSpec* const> objects) {
  std::set<std::string> used, defined;
  Json definitions = Json::object();
  for (const ObjectSpec* spec : objects.subspan(1)) {
    definitions[std::string(spec->name)] = object_schema(*spec, used);
    defined.insert(std::string(spec->name));
  }
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  schema.update(object_schema(*objects.front(), used));
  for (const std::string& type : used) {
    if (defined.contains(type)) continue;
    if (!leaf_types().contains(type)) fail("make_schema: no definition of the type '" + type + "'");
    definitions[type] = leaf_types().at(type);
  }
  schema["$defs"] = std::move(definitions);
  return schema;
}

std::string text_of(const Json& schema) { return schema.dump(2) + "\n"; }

}  // namespace

std::string scene_schema() { return text_of(make_schema("Carom scene", scene_keys::all())); }

std::string problem_schema() { return text_of(make_schema("Carom contact problem", problem_keys::all())); }

std::string impact_schema() {
  Json schema = make_schema("Carom impact", problem_keys::all_of_impact());
  schema["oneOf"] = {{{"required", {"carom_impact"}}}, {{"required", {"carom_problem"}}}};
  return text_of(schema);
}

std::string cases_schema() { return text_of(make_schema("Carom validation cases", cases_keys::all())); }

}  // namespace carom
