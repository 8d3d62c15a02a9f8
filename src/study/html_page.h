// Plain pages written by commands: one file, no script, light or dark as the reader's system is.
#pragma once

#include <string>
#include <string_view>

namespace carom {

/// Text as it may stand in HTML, also inside an attribute.
std::string html_text(std::string_view text);
/// A whole page; `style` is added to the common one.
std::string html_page(std::string_view title, std::string_view style, std::string_view body);

}  // namespace carom
