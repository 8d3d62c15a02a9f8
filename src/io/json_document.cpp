#include "io/json_document.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <nlohmann/json.hpp>

namespace carom {
namespace {

using Json = nlohmann::json;

/// Receives the events of nlohmann's parser. Returning false stops it.
class TreeBuilder final : public nlohmann::json_sax<Json> {
 public:
  TreeBuilder(std::string_view text, JsonDocument& document) : text_(text), document_(document) {}

  const std::string& message() const { return message_; }

  bool null() override { return add(JsonKind::Null) != nullptr; }
  bool boolean(bool value) override {
    return with(add(JsonKind::Boolean), [&](JsonNode& n) { n.truth = value; });
  }
  bool number_integer(number_integer_t value) override {
    return with(add(JsonKind::Number), [&](JsonNode& n) { n.number = static_cast<double>(value); });
  }
  bool number_unsigned(number_unsigned_t value) override {
    return with(add(JsonKind::Number), [&](JsonNode& n) {
      n.number = static_cast<double>(value);
      n.natural = value;
      n.is_natural = true;
    });
  }
  bool number_float(number_float_t value, const string_t& /*text*/) override {
    return with(add(JsonKind::Number), [&](JsonNode& n) { n.number = value; });
  }
  bool string(string_t& value) override {
    return with(add(JsonKind::String), [&](JsonNode& n) { n.text = std::move(value); });
  }
  bool binary(binary_t& /*value*/) override { return false; }  // does not occur in text
  bool start_object(std::size_t /*size*/) override { return open(JsonKind::Object); }
  bool start_array(std::size_t /*size*/) override { return open(JsonKind::Array); }
  bool end_array() override { return close(); }
  bool end_object() override { return keys_are_unique() && close(); }
  bool key(string_t& value) override {
    key_ = std::move(value);
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token, const Json::exception& error) override {
    const std::string found = describe_error(position, token, error);
    message_ = document_.origin + ": " + line_and_column(position) + ": " + expected_path() + found;
    return false;
  }

 private:
  template <class F>
  static bool with(JsonNode* node, F&& fill) {
    if (node != nullptr) fill(*node);
    return node != nullptr;
  }

  JsonNode* add(JsonKind kind) {
    if (document_.nodes.size() >= std::numeric_limits<std::int32_t>::max()) {
      message_ = document_.origin + ": found more than 2^31 values, expected fewer";
      return nullptr;
    }
    const auto self = static_cast<std::int32_t>(document_.nodes.size());
    JsonNode node;
    node.kind = kind;
    if (!open_.empty()) {
      JsonNode& parent = document_.at(open_.back());
      node.parent = open_.back();
      node.index = parent.child_count++;
      if (parent.kind == JsonKind::Object) node.key = std::move(key_);
      key_.clear();
      if (node.index == 0)
        parent.first_child = self;
      else
        document_.at(last_child_.back()).next_sibling = self;
      last_child_.back() = self;
    }
    document_.nodes.push_back(std::move(node));
    return &document_.nodes.back();
  }

  bool open(JsonKind kind) {
    if (open_.size() >= static_cast<std::size_t>(kDeepestNesting)) {
      message_ = document_.origin + ": " + document_.path(open_.back()) + ": found nesting deeper than " +
                 std::to_string(kDeepestNesting) + " levels, expected at most that many";
      return false;
    }
    if (add(kind) == nullptr) return false;
    open_.push_back(static_cast<std::int32_t>(document_.nodes.size()) - 1);
    last_child_.push_back(JsonNode::kNone);
    return true;
  }

  bool close() {
    open_.pop_back();
    last_child_.pop_back();
    return true;
  }

  /// Sorted rather than compared pair by pair: an object with very many keys stays cheap.
  bool keys_are_unique() {
    sorted_.clear();
    for (auto i = document_.at(open_.back()).first_child; i != JsonNode::kNone; i = document_.at(i).next_sibling)
      sorted_.push_back(i);
    const auto key_of = [&](std::int32_t i) -> const std::string& { return document_.at(i).key; };
    std::sort(sorted_.begin(), sorted_.end(), [&](auto a, auto b) { return key_of(a) < key_of(b); });
    const auto twin =
        std::adjacent_find(sorted_.begin(), sorted_.end(), [&](auto a, auto b) { return key_of(a) == key_of(b); });
    if (twin == sorted_.end()) return true;
    message_ = document_.origin + ": " + document_.path(*twin) + ": found the key twice, expected it once";
    return false;
  }

  std::string line_and_column(std::size_t position) const {
    const std::string_view before = text_.substr(0, position > 0 ? position - 1 : 0);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n');
    const std::size_t column = start == std::string_view::npos ? before.size() + 1 : before.size() - start;
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
  }

  /// Where the next value would have gone.
  std::string expected_path() const {
    if (open_.empty()) return {};
    const JsonNode& parent = document_.at(open_.back());
    std::string path = document_.path(open_.back());
    if (parent.kind == JsonKind::Array)
      path += "[" + std::to_string(parent.child_count) + "]";
    else if (!key_.empty())
      path += (path.empty() ? "" : ".") + path_key(key_);
    return path.empty() ? path : path + ": ";
  }

  /// The word around a position: what a user typed where a value should be.
  std::string_view word_at(std::size_t position) const {
    const auto in_word = [&](std::size_t i) {
      const auto c = static_cast<unsigned char>(text_[i]);
      return std::isalnum(c) != 0 || c == '+' || c == '-' || c == '.' || c == '_';
    };
    std::size_t begin = std::min(position > 0 ? position - 1 : 0, text_.size());
    while (begin > 0 && in_word(begin - 1)) --begin;
    std::size_t end = begin;
    while (end < text_.size() && in_word(end)) ++end;
    return text_.substr(begin, end - begin);
  }

  std::string describe_error(std::size_t position, const std::string& token, const Json::exception& error) const {
    constexpr int kNumberOverflow = 406;
    if (error.id == kNumberOverflow) return "found " + printable(token) + ", expected a finite number";
    const std::string what = error.what();
    if (what.find("unexpected end of input") != std::string::npos)
      return "found the end of the file, expected the rest of the JSON text";
    const std::string_view word = word_at(position);
    std::string lower(word);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const char* name : {"nan", "inf", "infinity", "-nan", "-inf", "-infinity", "+inf", "+infinity"})
      if (lower == name) return "found " + std::string(word) + ", expected a finite number";
    // nlohmann's own sentence after its prefix says what was expected; it is kept where it is plain text.
    const std::size_t start = what.find("syntax error");
    return "found invalid JSON: " + printable(start == std::string::npos ? what : what.substr(start), 200);
  }

  std::string_view text_;
  JsonDocument& document_;
  std::vector<std::int32_t> open_, last_child_, sorted_;
  std::string key_, message_;
};

}  // namespace

std::string printable(std::string_view text, std::size_t longest) {
  std::string out;
  for (const char c : text.substr(0, longest)) out += (c >= 0x20 && c < 0x7f) ? c : '?';
  if (text.size() > longest) out += "...";
  return out;
}

std::string path_key(const std::string& key) {
  const bool plain = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
  return plain ? key : "\"" + printable(key) + "\"";
}

std::string JsonDocument::path(std::int32_t node) const {
  std::vector<std::int32_t> chain;
  for (auto i = node; at(i).parent != JsonNode::kNone; i = at(i).parent) chain.push_back(i);
  std::string path;
  std::reverse(chain.begin(), chain.end());
  for (const std::int32_t i : chain) {
    const JsonNode& step = at(i);
    if (at(step.parent).kind == JsonKind::Array)
      path += "[" + std::to_string(step.index) + "]";
    else
      path += (path.empty() ? "" : ".") + path_key(step.key);
  }
  return path;
}

Result<JsonDocument> parse_json(std::string_view text, const std::string& origin) {
  JsonDocument document;
  document.origin = origin;
  if (text.substr(0, 2) == "\xff\xfe" || text.substr(0, 2) == "\xfe\xff")
    return Result<JsonDocument>::failure(origin + ": found UTF-16 text, expected UTF-8");
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return Result<JsonDocument>::failure(origin + ": found an empty file, expected a JSON object");
  // A byte order mark in front of UTF-8 is harmless and some editors write one.
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);

  // The parser takes a zero byte for the end of the text and would not look at what follows.
  if (text.find('\0') != std::string_view::npos)
    return Result<JsonDocument>::failure(origin + ": found a zero byte, expected JSON text");

  TreeBuilder builder(text, document);
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) return Result<JsonDocument>::failure(builder.message());
  return document;
}

}  // namespace carom
