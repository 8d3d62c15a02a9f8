#include "study/html_page.h"

#include <fmt/format.h>

namespace carom {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ground: #fbfaf7; --text: #22242a; --faint: #6c7079; --line: #dcd9d0;
  --good: #1d7a3e; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #17181c; --text: #e6e4de; --faint: #9a9ca5; --line: #34363d; --good: #6fcf8e; --bad: #ff8a80; }
}
body { background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; max-width: 76rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin: 2rem 0 0.3rem; }
.faint { color: var(--faint); } .good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; }
a { color: inherit; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 0.2rem 0.9rem 0.2rem 0; border-bottom: 1px solid var(--line); vertical-align: top;
  white-space: nowrap; }
th { font-weight: 600; color: var(--faint); } td.number { text-align: right; }
)";

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string html_page(std::string_view title, std::string_view style, std::string_view body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n"
      "<style>{}{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      html_text(title), kStyle, style, body);
}

}  // namespace carom
