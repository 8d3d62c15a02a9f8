// Tables of the keys of each JSON object that Carom reads. The reader checks files against them and the JSON Schema is
// generated from them, so that the two cannot drift apart.
#pragma once

#include <span>
#include <string_view>

namespace carom {

struct KeySpec {
  std::string_view name;
  /// A type of the schema: a primitive ("vec3"), an object ("body"), or one of the two in a list ("list:body";
  /// "list2:body" with exactly two) or as the values of a map with free keys ("map:material").
  std::string_view type;
  bool required = false;
  std::string_view help;  ///< with the unit and the default
};

struct ObjectSpec {
  std::string_view name;
  std::string_view help;
  std::span<const KeySpec> keys;
  bool single = false;  ///< exactly one of the keys, as in a shape
};

}  // namespace carom
