#include "study/scene_lookup.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "io/closest.h"
#include "io/suite_message.h"

namespace carom {
namespace {

std::string value_text(const OptionValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const double* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  return std::get<std::string>(value);
}

bool looks_like_path(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".json") || name.empty();
}

const OptionSpec* find_spec(const Options& options, const std::string& name) {
  for (const OptionSpec& spec : options.specs())
    if (spec.name == name) return &spec;
  return nullptr;
}

/// What an option takes, or which one may have been meant, for the end of a message.
std::string option_hint(const Options& options, const std::string& name, const Scene& scene) {
  if (const OptionSpec* spec = find_spec(options, name)) return "\n  " + option_text(*spec);
  std::vector<std::string> names;
  for (const OptionSpec& spec : options.specs()) names.push_back(spec.name);
  const std::string other = other_suite_hint(scene.suite, scene.suite_reason, name);
  return fmt::format("{}\n  `carom suites {}` lists the options there are",
                     other.empty() ? did_you_mean(name, names) : other, scene.suite);
}

Result<Scene> look_up(const std::string& name, const std::string& suite) {
  if (looks_like_path(name)) return load_scene(name, suite);
  std::vector<std::string> names;
  for (const BuiltInScene& scene : built_in_scenes()) {
    if (scene.name == name) return parse_scene(scene.json, "built-in scene " + name, ".", suite);
    names.push_back(scene.name);
  }
  std::error_code ignored;
  if (std::filesystem::exists(name, ignored)) return load_scene(name, suite);
  return Result<Scene>::failure(
      fmt::format("{}: found neither a file nor a built-in scene of that name, expected one of {}{}", name,
                  joined(names), did_you_mean(name, names)));
}

}  // namespace

Result<Scene> find_scene(const std::string& name, const std::string& suite) {
  if (suite.empty()) return look_up(name, suite);
  if (const std::string refusal = suite_message(suite); !refusal.empty())
    return Result<Scene>::failure("--suite: " + refusal);
  Result<Scene> scene = look_up(name, suite);
  if (scene)
    if (const std::string refusal = choose_suite(scene.value(), suite); !refusal.empty()) fail(refusal);
  return scene;
}

std::string choose_suite(Scene& scene, const std::string& suite) {
  std::string refusal = suite_message(suite);
  if (!refusal.empty()) return refusal;
  if (suite != scene.suite) scene.options.clear();
  scene.suite = suite;
  scene.suite_reason.clear();
  return {};
}

Result<Options> choose_options(const Scene& scene, const std::vector<std::string>& settings) {
  Options options = scene_options(scene);
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    const std::string name = setting.substr(0, equals);
    std::string refusal;
    if (equals == std::string::npos)
      refusal = fmt::format("found \"{}\", expected key=value", setting);
    else if (find_spec(options, name) == nullptr)
      refusal = fmt::format("unknown option \"{}\"", name);
    else
      refusal = options.set_text(name, setting.substr(equals + 1));
    if (!refusal.empty()) return Result<Options>::failure(refusal + option_hint(options, name, scene));
  }
  return options;
}

std::string option_text(const OptionSpec& spec) {
  std::string range;
  if (std::holds_alternative<double>(spec.standard)) {
    range = fmt::format("{} from {}", spec.integer ? "a whole number" : "a number", spec.minimum);
    // The largest number stands for no limit.
    if (spec.maximum < 1e299) range += fmt::format(" to {}", spec.maximum);
  } else {
    range = std::holds_alternative<bool>(spec.standard) ? "true or false" : "one of " + joined(spec.choices);
  }
  return fmt::format("{} ({}): {}", default_text(spec), range, spec.help);
}

std::string default_text(const OptionSpec& spec) {
  return fmt::format("{} = {}", spec.name, value_text(spec.standard));
}

}  // namespace carom
