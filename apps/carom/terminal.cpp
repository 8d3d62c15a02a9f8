#include "terminal.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "study/text_table.h"

namespace carom::program {
namespace {

constexpr double kRedrawSeconds = 0.1;
constexpr double kPlainSeconds = 5;

/// `1:02:03` or `2:03`
std::string clock_text(double seconds) {
  const auto total = static_cast<long>(std::min(seconds + 0.5, 359999.0));
  if (total >= 3600) return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
  return fmt::format("{}:{:02}", total / 60, total % 60);
}

std::string bar(double done, int width) {
  const int full = static_cast<int>(done * width);
  return "[" + std::string(static_cast<std::size_t>(full), '=') +
         std::string(static_cast<std::size_t>(width - full), ' ') + "]";
}

/// A line of the summary.
struct Row {
  std::string quantity, value, unit, meaning;
};

void add_event_rows(const EventSummary& events, std::vector<Row>& rows) {
  const auto count = [](std::int64_t value) { return fmt::format("{}", value); };
  rows.push_back({"impacts", count(events.count - events.micro), "", "collisions, one at a time"});
  rows.push_back({"microcollisions", count(events.micro), "", "small impacts that make up contact"});
  rows.push_back({"frames over the limit", count(events.limited_steps), "",
                  "more impacts than most_events allows: the rest of the frame was left to a contact solver"});
  rows.push_back({"frames with a solver", count(events.solved_steps), "",
                  fmt::format("a contact solver moved bodies, at most {} at once", events.most_solved)});
}

/// The pairs of bodies that struck hardest, all impacts together.
std::string pairs_table(const EventSummary& events) {
  constexpr std::size_t kShown = 10;
  if (events.pairs.empty()) return {};
  TextTable table({"<pair", "impacts", "micro", "impulse N s", "largest N s", "mean force N", "energy lost J"});
  const std::size_t shown = std::min(events.pairs.size(), kShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const PairSummary& pair = events.pairs[i];
    table.add({pair.a + ", " + pair.b, fmt::format("{}", pair.events - pair.micro), fmt::format("{}", pair.micro),
               short_number(pair.impulse), short_number(pair.largest_impulse), short_number(pair.mean_force),
               short_number(pair.energy_loss)});
  }
  std::string text = "\n" + table.text(2);
  if (shown < events.pair_count)
    text += fmt::format("  the {} of {} pairs of bodies with the largest normal impulse\n", shown, events.pair_count);
  return text;
}

}  // namespace

bool is_terminal(std::FILE* stream) {
  const char* term = std::getenv("TERM");
  return isatty(fileno(stream)) != 0 && !(term != nullptr && std::strcmp(term, "dumb") == 0);
}

int terminal_width(std::FILE* stream) {
  winsize size{};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::string progress_text(const std::string& name, const RunProgress& p, int width) {
  constexpr int kWidestBar = 40, kNarrowestBar = 5, kFrame = 4;  // the frame: two brackets, two blanks
  const double whole = p.duration - p.start, part = p.time - p.start;
  const double done = whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 1;
  const double factor = p.wall_seconds > 0 ? part / p.wall_seconds : 0;
  const double left = done > 0 ? p.wall_seconds * (1 - done) / done : 0;
  const std::string work = p.events ? fmt::format("{} events", *p.events) : fmt::format("{} frozen", p.report->frozen);
  std::string figures = fmt::format("{:.2f}/{:g} s  {:.2f}x  {} contacts  {}  ETA {}", p.time, p.duration, factor,
                                    p.report->contacts, work, clock_text(left));
  const int room = width - static_cast<int>(name.size() + figures.size()) - kFrame;
  std::string text = name + " ";
  if (room >= kNarrowestBar) text += bar(done, std::min(room, kWidestBar)) + " ";
  text += figures;
  if (static_cast<int>(text.size()) > width) text.resize(static_cast<std::size_t>(std::max(width, 0)));
  return text;
}

ProgressLine::ProgressLine(std::string name) : name_(std::move(name)), redraws_(is_terminal(stderr)) {}

template <class Text>
void ProgressLine::print_if_due(Text&& text) {
  const Clock::time_point now = Clock::now();
  if (std::chrono::duration<double>(now - last_).count() < (redraws_ ? kRedrawSeconds : kPlainSeconds)) return;
  last_ = now;
  if (redraws_) {
    // One column is left free: a full last column makes some terminals wrap.
    fmt::print(stderr, "\r\x1b[K{}", text(terminal_width(stderr) - 1));
    is_shown_ = true;
  } else {
    fmt::print(stderr, "{}\n", text(200));
  }
  std::fflush(stderr);
}

void ProgressLine::show(const RunProgress& progress) {
  print_if_due([&](int width) { return progress_text(name_, progress, width); });
}

void ProgressLine::show_share(double done, const char* what) {
  print_if_due([&](int width) {
    const double share = std::clamp(done, 0.0, 1.0);
    return fmt::format("{} {} {} {:.0f} %", name_, what, bar(share, std::clamp(width - 40, 0, 40)), 100 * share);
  });
}

void ProgressLine::clear() {
  if (is_shown_) fmt::print(stderr, "\r\x1b[K");
  is_shown_ = false;
}

std::string summary_table(const RunSummary& s, bool bold) {
  const auto number = [](double value) { return fmt::format("{:.4g}", value); };
  std::vector<Row> rows = {
      {"simulated time", number(s.sim_seconds), "s", fmt::format("{} steps", s.steps)},
      {"wall time", number(s.wall_seconds), "s",
       fmt::format("{:.3g} times real time, {} thread{}", s.real_time_factor(), s.threads, s.threads == 1 ? "" : "s")},
      {"step, mean", number(s.mean_step_ms), "ms", "wall time of a step"},
      {"step, p99", number(s.p99_step_ms), "ms", "99 % of the steps took no longer"},
      {"contacts, mean", number(s.mean_contacts), "", "contact points found in a step"},
      {"contacts, peak", fmt::format("{}", s.peak_contacts), "", "most in one step"},
      {"penetration, worst", number(1e3 * s.worst_penetration), "mm", "deepest overlap of two bodies"},
      {"residual, model", number(s.worst_residual_model), "",
       "worst step: how far the solver was from its own solution *"},
      {"residual, Coulomb", number(s.worst_residual_coulomb), "",
       "worst step: how far the answer was from Coulomb's law *"},
      {"residual, Coulomb mean", number(s.mean_residual_coulomb), "", "the same, mean over steps *"},
      {"steps not converged", fmt::format("{}", s.unconverged_steps), "",
       "a solver did not reach its tolerance: the run went on with its best answer"},
      {"energy, start", number(s.energy_start), "J", "kinetic and potential"},
      {"energy, end", number(s.energy_end), "J", ""},
      {"energy rise, largest", number(s.largest_energy_rise), "J", "above its lowest so far, work of forces taken off"},
      {"momentum error", number(s.momentum_error), "",
       "worst step: change of momentum not explained by impulses and forces"},
      {"frozen at the end", fmt::format("{}", s.frozen_end), "", "bodies left out because they are at rest"},
  };
  if (s.events) add_event_rows(*s.events, rows);
  rows.push_back({"state hash", fmt::format("{:016x}", s.state_hash), "", "equal hashes mean equal states"});
  std::size_t quantity = 0, value = 0;
  for (const Row& row : rows) {
    quantity = std::max(quantity, row.quantity.size());
    value = std::max(value, row.value.size());
  }
  const char *on = bold ? "\x1b[1m" : "", *off = bold ? "\x1b[0m" : "";
  std::string text = fmt::format("{}{}, suite {}{}{}\n", on, s.scene, suite_text(s.suite, s.suite_reason),
                                 s.interrupted ? ", interrupted" : "", off);
  for (const Row& row : rows) {
    std::string line =
        fmt::format("  {:<{}}  {:>{}} {:<2}  {}", row.quantity, quantity, row.value, value, row.unit, row.meaning);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  text += "  * velocity error at the contacts, in units of what gravity adds in a step\n";
  return s.events ? text + pairs_table(*s.events) : text;
}

}  // namespace carom::program
