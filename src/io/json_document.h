// JSON text as a flat tree whose nodes know where they stand, so that every later complaint can name its path.
//
// Stricter than JSON itself: duplicate keys, numbers that overflow and deep nesting are errors. Nodes are kept in one
// array in document order: members stay in file order, and neither building nor destroying the tree recurses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "carom/base/error.h"

namespace carom {

enum class JsonKind : std::uint8_t { Null, Boolean, Number, String, Array, Object };

struct JsonNode {
  static constexpr std::int32_t kNone = -1;

  JsonKind kind = JsonKind::Null;
  bool truth = false;       ///< booleans
  bool is_natural = false;  ///< numbers: written as an integer in [0, 2⁶⁴), which `natural` holds exactly
  double number = 0;        ///< numbers, always finite
  std::uint64_t natural = 0;
  std::string text;  ///< strings
  std::string key;   ///< members of an object
  std::int32_t parent = kNone, first_child = kNone, next_sibling = kNone;
  std::int32_t index = 0;  ///< place among the parent's children
  std::int32_t child_count = 0;
};

struct JsonDocument {
  std::string origin;           ///< the file name for messages
  std::vector<JsonNode> nodes;  ///< the root is the first

  const JsonNode& at(std::int32_t node) const { return nodes[static_cast<std::size_t>(node)]; }
  JsonNode& at(std::int32_t node) { return nodes[static_cast<std::size_t>(node)]; }
  /// `bodies[3].shape.box.size`; empty for the root.
  std::string path(std::int32_t node) const;
};

/// Deeper nesting than this is refused; the formats need less than ten levels.
inline constexpr int kDeepestNesting = 64;

/// The message of a failure names the origin, the line and column, and the JSON path reached.
Result<JsonDocument> parse_json(std::string_view text, const std::string& origin);

/// A member's key as it stands in a path: quoted where it is not a plain word.
std::string path_key(const std::string& key);

/// Text from a file as it may stand in a message: short, and free of control bytes.
std::string printable(std::string_view text, std::size_t longest = 40);

}  // namespace carom
