// Tables for a terminal: a head, aligned columns, two blanks between them.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace carom {

class TextTable {
 public:
  /// Column heads; one that begins with '<' is aligned to the left, all others to the right.
  explicit TextTable(std::initializer_list<std::string> heads) : TextTable(std::vector<std::string>(heads)) {}
  explicit TextTable(const std::vector<std::string>& heads);

  /// Requires as many cells as there are heads.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.size() == 1; }
  /// Every line with `indent` blanks before it and none behind.
  std::string text(int indent = 0) const;

 private:
  std::vector<bool> left_;
  std::vector<std::vector<std::string>> rows_;  // the heads first
};

/// Three significant digits: for people, not for machines.
std::string short_number(double value);
/// `1 body`, `2 bodies`.
std::string counted(std::size_t count, const char* one, const char* many);

}  // namespace carom
