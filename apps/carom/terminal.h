// What the program shows while it works and when it is done.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#include "study/run.h"

namespace carom::program {

/// A terminal that can redraw a line and show bold text: not a file, not TERM=dumb.
bool is_terminal(std::FILE* stream);
/// Columns; 80 where the terminal does not say.
int terminal_width(std::FILE* stream);

/// Shows how far a run is, on standard error: one line redrawn on a terminal, a plain line every few seconds elsewhere.
class ProgressLine {
 public:
  explicit ProgressLine(std::string name);
  void show(const RunProgress& progress);
  /// For work that is not a run: how much of it is done, from 0 to 1.
  void show_share(double done, const char* what);
  /// Takes the line away again.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  /// Prints what text(width) returns, where it is time to.
  template <class Text>
  void print_if_due(Text&& text);

  std::string name_;
  bool redraws_;
  bool is_shown_ = false;
  Clock::time_point last_ = Clock::now();
};

/// The text of the line, at most `width` columns: the bar shrinks first, then the line is cut.
std::string progress_text(const std::string& name, const RunProgress& progress, int width);

/// The summary as an aligned table: quantity, value, unit, meaning.
std::string summary_table(const RunSummary& summary, bool bold);

}  // namespace carom::program
