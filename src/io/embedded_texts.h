// The files that the build compiles into the library, each table sorted by name: generated from the folders of the
// same names (cmake/CaromEmbed.cmake).
#pragma once

#include <span>
#include <string_view>

namespace carom::detail {

struct EmbeddedText {
  std::string_view name;  ///< of the file, without its ending
  std::string_view text;
};

std::span<const EmbeddedText> embedded_scenes();
std::span<const EmbeddedText> embedded_cases();

}  // namespace carom::detail
