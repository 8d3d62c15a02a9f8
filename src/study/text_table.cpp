#include "study/text_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "carom/base/error.h"

namespace carom {

TextTable::TextTable(const std::vector<std::string>& heads) {
  std::vector<std::string> row;
  for (const std::string& head : heads) {
    left_.push_back(head.starts_with('<'));
    row.push_back(head.substr(left_.back() ? 1 : 0));
  }
  rows_.push_back(std::move(row));
}

void TextTable::add(std::vector<std::string> cells) {
  require(cells.size() == left_.size(), "TextTable::add: a row has one cell a column");
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(int indent) const {
  std::vector<std::size_t> widths(left_.size(), 0);
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto& row : rows_) {
    std::string line(static_cast<std::size_t>(indent), ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      line += left_[i] ? fmt::format("{:<{}}", row[i], widths[i]) : fmt::format("{:>{}}", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string short_number(double value) { return fmt::format("{:.3g}", value); }

std::string counted(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace carom
