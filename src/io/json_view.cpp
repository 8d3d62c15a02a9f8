#include "io/json_view.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "io/closest.h"

namespace carom {
namespace {

std::vector<std::string> key_names(const ObjectSpec& spec) {
  std::vector<std::string> names;
  for (const KeySpec& key : spec.keys) names.emplace_back(key.name);
  return names;
}

}  // namespace

void JsonView::complain(const std::string& what) const {
  if (!ok()) return;
  const std::string path = document_->path(node_);
  *error_ = document_->origin + ": " + (path.empty() ? "" : path + ": ") + what;
}

void JsonView::complain(const std::string& found, const std::string& expected) const {
  complain("found " + found + ", expected " + expected);
}

void JsonView::missing(std::string_view key, const std::string& expected) const {
  if (!ok()) return;
  const std::string path = document_->path(node_);
  *error_ = fmt::format("{}: {}{}{}: found nothing, expected {}", document_->origin, path, path.empty() ? "" : ".", key,
                        expected);
}

std::string JsonView::describe() const {
  switch (kind()) {
    case JsonKind::Null:
      return "null";
    case JsonKind::Boolean:
      return node().truth ? "true" : "false";
    case JsonKind::Number:
      return node().is_natural ? fmt::format("{}", node().natural) : fmt::format("{}", node().number);
    case JsonKind::String:
      return "the string \"" + printable(node().text) + "\"";
    case JsonKind::Array:
      return fmt::format("a list of {} value{}", size(), size() == 1 ? "" : "s");
    case JsonKind::Object:
      break;
  }
  return "an object";
}

bool JsonView::matches(const ObjectSpec& spec) const {
  if (kind() != JsonKind::Object) {
    expected(fmt::format("an object with {}", joined(key_names(spec))));
    return false;
  }
  for (const JsonView& member : members()) {
    const auto known = [&](const KeySpec& key) { return key.name == member.key(); };
    if (std::any_of(spec.keys.begin(), spec.keys.end(), known)) continue;
    const std::vector<std::string> names = key_names(spec);
    member.complain(fmt::format("the unknown key \"{}\"", printable(member.key())),
                    "one of " + joined(names) + did_you_mean(member.key(), names));
    return false;
  }
  for (const KeySpec& key : spec.keys) {
    if (!key.required || find(key.name)) continue;
    missing(key.name, std::string(key.help));
    return false;
  }
  if (spec.single && size() != 1) {
    complain(fmt::format("{} keys", size()), "exactly one of " + joined(key_names(spec)));
    return false;
  }
  return ok();
}

std::optional<JsonView> JsonView::find(std::string_view key) const {
  if (kind() != JsonKind::Object) return std::nullopt;
  for (auto i = node().first_child; i != JsonNode::kNone; i = document_->at(i).next_sibling)
    if (document_->at(i).key == key) return child(i);
  return std::nullopt;
}

std::vector<JsonView> JsonView::children() const {
  std::vector<JsonView> views;
  views.reserve(static_cast<std::size_t>(size()));
  for (auto i = node().first_child; i != JsonNode::kNone; i = document_->at(i).next_sibling) views.push_back(child(i));
  return views;
}

std::vector<JsonView> JsonView::items() const {
  if (kind() == JsonKind::Array) return children();
  expected("a list");
  return {};
}

std::vector<JsonView> JsonView::members() const {
  if (kind() == JsonKind::Object) return children();
  expected("an object");
  return {};
}

double JsonView::number() const {
  if (kind() == JsonKind::Number) return node().number;
  expected("a number");
  return 0;
}

double JsonView::positive() const {
  if (kind() == JsonKind::Number && node().number > 0) return node().number;
  expected("a positive number");
  return 1;
}

double JsonView::non_negative() const {
  if (kind() == JsonKind::Number && node().number >= 0) return node().number;
  expected("a number that is not negative");
  return 0;
}

double JsonView::between(double low, double high) const {
  if (kind() == JsonKind::Number && node().number >= low && node().number <= high) return node().number;
  expected(fmt::format("a number from {} to {}", low, high));
  return low;
}

std::uint64_t JsonView::natural() const {
  constexpr double kLargestWhole = 9007199254740992.0;  // 2⁵³: above it a double cannot tell neighbours apart
  if (kind() == JsonKind::Number) {
    if (node().is_natural) return node().natural;
    const double value = node().number;
    if (value >= 0 && value <= kLargestWhole && value == std::floor(value)) return static_cast<std::uint64_t>(value);
  }
  expected("a whole number that is not negative");
  return 0;
}

bool JsonView::flag() const {
  if (kind() == JsonKind::Boolean) return node().truth;
  expected("true or false");
  return false;
}

std::string JsonView::text() const {
  if (kind() == JsonKind::String) return node().text;
  expected("a string");
  return {};
}

std::string JsonView::word(const std::vector<std::string>& choices) const {
  if (kind() == JsonKind::String) {
    if (std::find(choices.begin(), choices.end(), node().text) != choices.end()) return node().text;
    expected("one of " + joined(choices) + did_you_mean(node().text, choices));
  } else {
    expected("one of " + joined(choices));
  }
  return choices.front();
}

bool JsonView::is_list_of(std::int32_t count, const std::string& what) const {
  if (kind() == JsonKind::Array && size() == count) return true;
  expected(what);
  return false;
}

Vec3 JsonView::vec3() const {
  if (!is_list_of(3, "a list of three numbers")) return {};
  const std::vector<JsonView> values = children();
  return {values[0].number(), values[1].number(), values[2].number()};
}

Vec3 JsonView::positive3() const {
  if (!is_list_of(3, "a list of three positive numbers")) return {1, 1, 1};
  const std::vector<JsonView> values = children();
  return {values[0].positive(), values[1].positive(), values[2].positive()};
}

Vec3 JsonView::direction() const {
  constexpr double kUnit = 1e-15;  // as close to one as rounding allows: such a vector is kept bit for bit
  const Vec3 value = vec3();
  if (std::abs(squared_norm(value) - 1) < kUnit) return value;
  // Divided by the largest component first, so that neither tiny nor huge vectors lose their length in its square.
  const double largest = std::max({std::abs(value.x), std::abs(value.y), std::abs(value.z)});
  if (largest > 0) return normalized(Vec3{value.x / largest, value.y / largest, value.z / largest});
  complain("a vector of length zero", "a direction");
  return {0, 0, 1};
}

Mat3 JsonView::symmetric3() const {
  constexpr double kRounding = 1e-9;  // files carry about twelve digits
  const std::string what = "a symmetric list of three rows of three numbers";
  if (!is_list_of(3, what)) return Mat3::identity();
  const std::vector<JsonView> rows = children();
  Mat3 value;
  for (int i = 0; i < 3; ++i) {
    const Vec3 row = rows[static_cast<std::size_t>(i)].vec3();
    for (int j = 0; j < 3; ++j) value(i, j) = row[j];
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < i; ++j) {
      const double scale = std::max(std::abs(value.trace()), std::abs(value(i, j)));
      if (std::abs(value(i, j) - value(j, i)) > kRounding * scale)
        complain(fmt::format("{} in row {} and {} across the diagonal", value(i, j), i, value(j, i)), what);
      value(i, j) = value(j, i) = 0.5 * (value(i, j) + value(j, i));
    }
  return value;
}

}  // namespace carom
