#include "carom/base/options.h"

#include <charconv>
#include <cmath>

namespace carom {
namespace {

std::string number_text(double value) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return error == std::errc() ? std::string(buffer, end) : std::string("?");
}

std::string expected_number(const OptionSpec& spec) {
  std::string text = spec.integer ? "a whole number" : "a number";
  text += " from " + number_text(spec.minimum);
  if (spec.maximum < 1e299) text += " to " + number_text(spec.maximum);
  return text;
}

std::string expected_word(const OptionSpec& spec) {
  std::string text = "one of";
  for (const std::string& choice : spec.choices) text += " " + choice;
  return text;
}

/// What the option takes, in words.
std::string expected(const OptionSpec& spec) {
  if (std::holds_alternative<double>(spec.standard)) return expected_number(spec);
  if (std::holds_alternative<bool>(spec.standard)) return "true or false";
  return expected_word(spec);
}

bool accepts(const OptionSpec& spec, const OptionValue& value) {
  if (value.index() != spec.standard.index()) return false;
  if (const double* number = std::get_if<double>(&value)) {
    return *number >= spec.minimum && *number <= spec.maximum && (!spec.integer || *number == std::floor(*number));
  }
  if (const std::string* word = std::get_if<std::string>(&value)) {
    for (const std::string& choice : spec.choices)
      if (choice == *word) return true;
    return false;
  }
  return true;
}

}  // namespace

Options::Options(std::vector<OptionSpec> specs) : specs_(std::move(specs)) {
  values_.reserve(specs_.size());
  for (const OptionSpec& spec : specs_) values_.push_back(spec.standard);
}

int Options::find(std::string_view name) const {
  for (std::size_t i = 0; i < specs_.size(); ++i)
    if (specs_[i].name == name) return static_cast<int>(i);
  return -1;
}

std::string Options::unknown(std::string_view name) const {
  std::string message = "unknown option '" + std::string(name) + "'; there are:";
  for (const OptionSpec& spec : specs_) message += " " + spec.name;
  return message;
}

std::string Options::set(std::string_view name, const OptionValue& value) {
  const int index = find(name);
  if (index < 0) return unknown(name);
  const auto slot = static_cast<std::size_t>(index);
  if (!accepts(specs_[slot], value)) return "option '" + specs_[slot].name + "' expects " + expected(specs_[slot]);
  values_[slot] = value;
  return {};
}

std::string Options::set_text(std::string_view name, std::string_view text) {
  const int index = find(name);
  if (index < 0) return unknown(name);
  const OptionSpec& spec = specs_[static_cast<std::size_t>(index)];
  OptionValue value = std::string(text);
  if (std::holds_alternative<double>(spec.standard)) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) value = number;
  } else if (std::holds_alternative<bool>(spec.standard)) {
    if (text == "true" || text == "1" || text == "on") value = true;
    if (text == "false" || text == "0" || text == "off") value = false;
  }
  std::string message = set(name, value);
  if (!message.empty()) message += ", found '" + std::string(text) + "'";
  return message;
}

const OptionValue& Options::value_of(std::string_view name) const {
  const int index = find(name);
  if (index < 0) fail("Options: no option named '" + std::string(name) + "'");
  return values_[static_cast<std::size_t>(index)];
}

double Options::number(std::string_view name) const {
  const double* value = std::get_if<double>(&value_of(name));
  require(value != nullptr, "Options::number: the option is not a number");
  return *value;
}

bool Options::flag(std::string_view name) const {
  const bool* value = std::get_if<bool>(&value_of(name));
  require(value != nullptr, "Options::flag: the option is not a switch");
  return *value;
}

const std::string& Options::word(std::string_view name) const {
  const std::string* value = std::get_if<std::string>(&value_of(name));
  require(value != nullptr, "Options::word: the option is not a word");
  return *value;
}

}  // namespace carom
