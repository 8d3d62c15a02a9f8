// The page without its data: HTML, styles and program in one text, built from the folder `web` and compiled in.
#pragma once

#include <string_view>

namespace carom::replay {

/// Empty in a build without CAROM_WEB.
extern const std::string_view kPageTemplate;

/// Where the title and the data go into the template; each stands there once.
inline constexpr std::string_view kTitleMark = "<!--carom:title-->";
inline constexpr std::string_view kDataMark = "<!--carom:data-->";

}  // namespace carom::replay
