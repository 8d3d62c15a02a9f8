// Frames and steps as the content of chunks: columns of numbers, so that like stands beside like and compresses well.
// Numbers come back bit for bit. docs/recording.md has the layout.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "carom/base/error.h"
#include "io/frame.h"

namespace carom {

/// Requires frames of the same bodies.
std::string encode_frames(const std::vector<Frame>& frames);
/// Fails where the content cannot be frames of that many bodies.
Result<std::vector<Frame>> decode_frames(std::string_view content, std::size_t bodies);

std::string encode_steps(const std::vector<StepReport>& steps);
Result<std::vector<StepReport>> decode_steps(std::string_view content);

}  // namespace carom
