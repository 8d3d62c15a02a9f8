// Which files a run, or a recording of one, is to be written to.
#pragma once

#include <string>
#include <vector>

#include "carom/math/types.h"

namespace carom {

struct OutputSettings {
  // Files, each written where its path is not empty.
  std::string trajectory, metrics, contacts, events;
  std::string html, gltf, usd;
  Real every = 0;  ///< s between samples of trajectory and contacts; 0: every step
  Real fps = 30;   ///< frames/s of html, gltf and usd
};

/// The files asked for, in the order in which they are announced.
std::vector<std::string> output_paths(const OutputSettings& settings);

/// Empty when the intervals make sense and the page can be made, else why not.
[[nodiscard]] std::string check_outputs(const OutputSettings& settings);
/// Empty when no file is asked for twice and every one can be written, else which one not and why. Nothing is written
/// or left behind.
[[nodiscard]] std::string check_paths(const std::vector<std::string>& paths);

}  // namespace carom
