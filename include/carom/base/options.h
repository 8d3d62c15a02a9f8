// Named options with defaults, ranges and help texts: one mechanism for solvers, suites, scene files and `--set`.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "carom/base/error.h"

namespace carom {

/// A number, a switch, or one of a few words.
using OptionValue = std::variant<double, bool, std::string>;

/// Describes one option; a fresh `Options` holds the default of each.
struct OptionSpec {
  std::string name;
  OptionValue standard;              ///< the default; its alternative is the option's type
  std::string help;                  ///< one line, with the unit
  double minimum = 0;                ///< numbers only, inclusive
  double maximum = 1e300;            ///< numbers only, inclusive
  bool integer = false;              ///< numbers only
  std::vector<std::string> choices;  ///< words only
};

/// The values of a list of specified options. Setting an unknown name or a value out of range is refused with a
/// message.
class Options {
 public:
  Options() = default;
  explicit Options(std::vector<OptionSpec> specs);

  const std::vector<OptionSpec>& specs() const { return specs_; }

  /// Empty when the value was taken, else what was wrong and what is expected.
  [[nodiscard]] std::string set(std::string_view name, const OptionValue& value);
  /// The same from text, as in `--set iterations=50`.
  [[nodiscard]] std::string set_text(std::string_view name, std::string_view text);

  /// Require that the option exists and has that type.
  double number(std::string_view name) const;
  int integer(std::string_view name) const { return static_cast<int>(number(name)); }
  bool flag(std::string_view name) const;
  const std::string& word(std::string_view name) const;
  /// Requires that the option exists.
  const OptionValue& value_of(std::string_view name) const;

 private:
  int find(std::string_view name) const;
  std::string unknown(std::string_view name) const;

  std::vector<OptionSpec> specs_;
  std::vector<OptionValue> values_;
};

}  // namespace carom
