// Typed, located reading of a JSON document. The first complaint is kept with its path; after it every read gives a
// harmless default, so that a reader is written straight through and asks once at the end whether all went well.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "carom/math/types.h"
#include "io/json_document.h"
#include "io/object_spec.h"

namespace carom {

class JsonView {
 public:
  /// `error` collects the first complaint and must outlive the view, as must the document.
  JsonView(const JsonDocument& document, std::string& error, std::int32_t node = 0)
      : document_(&document), error_(&error), node_(node) {}

  bool ok() const { return error_->empty(); }
  JsonKind kind() const { return node().kind; }
  const std::string& key() const { return node().key; }
  std::int32_t size() const { return node().child_count; }
  /// The value's place in the document: a view of it can be made again.
  std::int32_t index() const { return node_; }

  /// `FILE: PATH: found …, expected …`, unless something was complained of before.
  void complain(const std::string& found, const std::string& expected) const;
  /// The same with the value itself as what was found.
  void expected(const std::string& what) const { complain(describe(), what); }
  /// `FILE: PATH: what`, for anything that does not fit that pattern.
  void complain(const std::string& what) const;
  /// The same for a key that is not there: `FILE: PATH.key: found nothing, expected …`.
  void missing(std::string_view key, const std::string& expected) const;
  /// The value in a few words: `the string "abc"`.
  std::string describe() const;

  /// Complains unless this is an object with known keys only and every required one. False if not.
  bool matches(const ObjectSpec& spec) const;

  std::optional<JsonView> find(std::string_view key) const;
  /// Of an array or object, in file order; complains and is empty for anything else.
  std::vector<JsonView> items() const;
  std::vector<JsonView> members() const;

  double number() const;
  double positive() const;
  double non_negative() const;
  /// Inclusive bounds.
  double between(double low, double high) const;
  std::uint64_t natural() const;
  bool flag() const;
  std::string text() const;
  /// One of the words given.
  std::string word(const std::vector<std::string>& choices) const;
  Vec3 vec3() const;
  Vec3 positive3() const;
  /// A direction: any vector but zero, scaled to length one.
  Vec3 direction() const;
  Mat3 symmetric3() const;
  /// Complains unless this is an array of exactly `count` values.
  bool is_list_of(std::int32_t count, const std::string& what) const;

 private:
  const JsonNode& node() const { return document_->at(node_); }
  JsonView child(std::int32_t node) const { return {*document_, *error_, node}; }
  std::vector<JsonView> children() const;

  const JsonDocument* document_;
  std::string* error_;
  std::int32_t node_;
};

}  // namespace carom
