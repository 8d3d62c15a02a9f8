// The pages without their data: HTML, styles and program in one text each, built from the folder `web` and compiled in.
#pragma once

#include <string>
#include <string_view>

namespace carom::replay {

/// Empty in a build without CAROM_WEB.
extern const std::string_view kPageTemplate;         ///< one run
extern const std::string_view kComparePageTemplate;  ///< one scene by several suites

/// Where the title and the data go into a template; each stands there once.
inline constexpr std::string_view kTitleMark = "<!--carom:title-->";
inline constexpr std::string_view kDataMark = "<!--carom:data-->";

/// A template with its two marks replaced; `title` is plain text, `data` goes in as it is.
std::string fill_page(std::string_view page, const std::string& title, std::string_view data);

}  // namespace carom::replay
