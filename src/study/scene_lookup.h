// From what a user types to a scene, a suite and its options.
#pragma once

#include <string>
#include <vector>

#include "carom/io/scene.h"

namespace carom {

/// A scene by the path of its file or by the name of a built-in one. A name without a slash or a `.json` ending is
/// looked for among the built-in scenes first.
/// With `suite`, if given, in the place of its own: as by `choose_suite`, and options of a scene that names no suite
/// are kept where they are for this one.
Result<Scene> find_scene(const std::string& name_or_path, const std::string& suite = {});

/// Puts a suite on a scene. Options of another suite that the scene had are dropped with it. Empty when done, else
/// which suites there are.
[[nodiscard]] std::string choose_suite(Scene& scene, const std::string& suite);

/// The options of the scene's suite as the scene sets them and then the settings, each `key=value`.
Result<Options> choose_options(const Scene& scene, const std::vector<std::string>& settings);

/// `iterations = 20 (a whole number from 1 to 1000)`: one line for `carom suites` and for messages.
std::string option_text(const OptionSpec& spec);
/// "iterations = 30".
std::string default_text(const OptionSpec& spec);

}  // namespace carom
