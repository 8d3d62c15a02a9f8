#include "schema_validator.h"

#include <algorithm>
#include <set>

namespace carom::test {
namespace {

bool has_type(const Json& value, const std::string& type) {
  if (type == "integer") return value.is_number_integer() || (value.is_number() && value == value.get<std::int64_t>());
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "array") return value.is_array();
  if (type == "null") return value.is_null();
  return type == "object" && value.is_object();
}

bool has_some_type(const Json& value, const Json& types) {
  if (types.is_string()) return has_type(value, types);
  return std::any_of(types.begin(), types.end(), [&](const Json& type) { return has_type(value, type); });
}

/// Keywords that compare a number, a length or a count with a limit.
bool is_within(const std::string& keyword, const Json& limit, const Json& value) {
  if (keyword == "minimum") return !value.is_number() || value >= limit;
  if (keyword == "maximum") return !value.is_number() || value <= limit;
  if (keyword == "exclusiveMinimum") return !value.is_number() || value > limit;
  if (keyword == "minItems") return !value.is_array() || value.size() >= limit;
  if (keyword == "maxItems") return !value.is_array() || value.size() <= limit;
  if (keyword == "minProperties") return !value.is_object() || value.size() >= limit;
  if (keyword == "maxProperties") return !value.is_object() || value.size() <= limit;
  return !value.is_string() || value.get<std::string>().size() >= limit;
}

const std::set<std::string> kAnnotations = {"$schema", "$defs", "title", "description"};
const std::set<std::string> kLimits = {"minimum",  "maximum",       "exclusiveMinimum", "minItems",
                                       "maxItems", "minProperties", "maxProperties",    "minLength"};
const std::set<std::string> kObjectKeywords = {"properties", "additionalProperties"};

}  // namespace

std::string SchemaValidator::check(const Json& schema, const Json& value, const std::string& path) const {
  for (const auto& [keyword, unused] : schema.items()) {
    if (kAnnotations.contains(keyword) || kObjectKeywords.contains(keyword)) continue;
    const std::string error = check_keyword(keyword, schema, value, path);
    if (!error.empty()) return error;
  }
  return value.is_object() ? check_members(schema, value, path) : std::string();
}

std::string SchemaValidator::check_keyword(const std::string& keyword, const Json& schema, const Json& value,
                                           const std::string& path) const {
  const Json& rule = schema.at(keyword);
  if (keyword == "$ref") return check(root_.at(Json::json_pointer(rule.get<std::string>().substr(1))), value, path);
  if (keyword == "items") {
    for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
      const std::string error = check(rule, value[i], path + "[" + std::to_string(i) + "]");
      if (!error.empty()) return error;
    }
    return {};
  }
  bool valid = false;
  if (kLimits.contains(keyword)) {
    valid = is_within(keyword, rule, value);
  } else if (keyword == "type") {
    valid = has_some_type(value, rule);
  } else if (keyword == "const") {
    valid = value == rule;
  } else if (keyword == "enum") {
    valid = std::find(rule.begin(), rule.end(), value) != rule.end();
  } else if (keyword == "oneOf") {
    valid =
        std::count_if(rule.begin(), rule.end(), [&](const Json& one) { return check(one, value, path).empty(); }) == 1;
  } else if (keyword == "required") {
    valid = !value.is_object() || std::all_of(rule.begin(), rule.end(),
                                              [&](const Json& key) { return value.contains(key.get<std::string>()); });
  }
  return valid ? std::string() : path + ": " + keyword;
}

std::string SchemaValidator::check_members(const Json& schema, const Json& value, const std::string& path) const {
  const Json properties = schema.value("properties", Json::object());
  const Json others = schema.value("additionalProperties", Json(true));
  for (const auto& [key, member] : value.items()) {
    std::string member_path = path;
    member_path.append(".").append(key);
    if (!properties.contains(key) && others == false) return member_path + ": additionalProperties";
    const Json& rule = properties.contains(key) ? properties.at(key) : others;
    const std::string error = rule.is_object() ? check(rule, member, member_path) : std::string();
    if (!error.empty()) return error;
  }
  return {};
}

}  // namespace carom::test
