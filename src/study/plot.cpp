#include "study/plot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "io/csv_file.h"
#include "study/html_page.h"
#include "study/plot_axis.h"

namespace carom {
namespace {

constexpr double kWidth = 800;
constexpr double kLeft = 78, kRight = 22, kTop = 10, kBottom = 54, kLegendRow = 22;
constexpr int kColours = 10;
constexpr std::size_t kManyPoints = 1500;  // about two for each unit of width: more cannot be seen

int colour_of(const PlotSeries& series, std::size_t index) {
  return (series.colour >= 0 ? series.colour : static_cast<int>(index)) % kColours;
}

bool has_dots(PlotMark mark) {
  return mark == PlotMark::Points || mark == PlotMark::LinePoints || mark == PlotMark::Published;
}

bool has_line(PlotMark mark) { return mark != PlotMark::Points && mark != PlotMark::Published; }

std::string grid(const AxisMap& x, const AxisMap& y) {
  std::string text;
  for (const AxisMap::Tick& tick : x.ticks(9)) {
    const double at = x.at(tick.value);
    text += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>", at,
                        y.from(), y.to());
    text += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", at,
                        y.from() + 18, tick.label);
  }
  // Residuals may span sixteen decades: not every one has room for its label.
  for (const AxisMap::Tick& tick : y.ticks(9)) {
    const double at = y.at(tick.value);
    text += fmt::format("<line class=\"grid\" x1=\"{1:.1f}\" x2=\"{2:.1f}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/>", at,
                        x.from(), x.to());
    text += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", x.from() - 8,
                        at + 4, tick.label);
  }
  return text;
}

struct Place {
  double x = 0, y = 0;
};

/// Of a series with more points than can be told apart: in each column the first, the lowest, the highest and the last.
std::vector<Place> thinned(const std::vector<Place>& places) {
  if (places.size() <= kManyPoints) return places;
  std::vector<Place> kept;
  for (std::size_t begin = 0; begin < places.size();) {
    std::size_t end = begin, low = begin, high = begin;
    for (; end < places.size() && std::floor(places[end].x) == std::floor(places[begin].x); ++end) {
      if (places[end].y < places[low].y) low = end;
      if (places[end].y > places[high].y) high = end;
    }
    std::vector<std::size_t> which{begin, low, high, end - 1};
    std::ranges::sort(which);
    which.erase(std::ranges::unique(which).begin(), which.end());
    for (const std::size_t i : which) kept.push_back(places[i]);
    begin = end;
  }
  return kept;
}

std::string path_of(const PlotSeries& series, const AxisMap& x, const AxisMap& y) {
  std::vector<Place> places;
  places.reserve(series.points.size());
  for (const PlotPoint& point : series.points) places.push_back({x.at(point.x), y.at(point.y)});
  std::string path;
  for (const Place& p : thinned(places)) {
    if (path.empty())
      path = fmt::format("M{:.1f} {:.1f}", p.x, p.y);
    else if (series.mark == PlotMark::Steps)
      path += fmt::format(" H{:.1f} V{:.1f}", p.x, p.y);
    else
      path += fmt::format(" L{:.1f} {:.1f}", p.x, p.y);
  }
  return path;
}

std::string draw(const PlotSeries& series, std::size_t index, const AxisMap& x, const AxisMap& y) {
  std::string text = fmt::format("<g class=\"curve c{}{}{}\">", colour_of(series, index),
                                 series.mark == PlotMark::Theory ? " theory" : "",
                                 series.mark == PlotMark::Published ? " published" : "");
  if (has_line(series.mark)) text += fmt::format("<path d=\"{}\"/>\n", path_of(series, x, y));
  if (has_dots(series.mark))
    for (const PlotPoint& point : series.points)
      text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>{}</title></circle>\n", x.at(point.x),
                          y.at(point.y), html_text(point.title));
  return text + "</g>\n";
}

/// Above the plot, in as many rows as it takes. Adds how high they are.
std::string legend(const std::vector<PlotSeries>& series, double& height) {
  constexpr double kSample = 24, kGap = 20, kLetter = 7.2;
  std::string text;
  double x = kLeft, y = kTop + 8;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const PlotSeries& s = series[i];
    if (s.name.empty()) continue;
    // Bytes of UTF-8 that do not begin a letter take no room.
    const auto letters = std::ranges::count_if(s.name, [](char c) { return (c & 0xC0) != 0x80; });
    const double width = kSample + 8 + kLetter * static_cast<double>(letters);
    if (x > kLeft && x + width > kWidth - kRight) {
      x = kLeft;
      y += kLegendRow;
    }
    text += fmt::format("<g class=\"curve c{}{}{}\">", colour_of(s, i), s.mark == PlotMark::Theory ? " theory" : "",
                        s.mark == PlotMark::Published ? " published" : "");
    if (has_line(s.mark)) text += fmt::format("<path d=\"M{:.1f} {:.1f} h{}\"/>", x, y, kSample);
    if (has_dots(s.mark)) text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>", x + 0.5 * kSample, y);
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text></g>\n", x + kSample + 8, y + 4, html_text(s.name));
    x += width + kGap;
  }
  height = y + kLegendRow - kTop;
  return text;
}

}  // namespace

std::string plot_svg(const Plot& plot) {
  if (std::ranges::all_of(plot.series, [](const PlotSeries& s) { return s.points.empty(); })) return {};
  double legend_height = 0;
  const std::string names = legend(plot.series, legend_height);
  const double top = kTop + legend_height, height = plot.height + legend_height;
  const AxisMap x(plot.x, plot.series, &PlotPoint::x, kLeft, kWidth - kRight);
  const AxisMap y(plot.y, plot.series, &PlotPoint::y, height - kBottom, top);
  std::string text =
      fmt::format("<svg class=\"plot\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{} against {}\">\n",
                  kWidth, height, html_text(plot.y.title), html_text(plot.x.title));
  text += grid(x, y) + names;
  text += fmt::format("<text class=\"label\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                      0.5 * (x.from() + x.to()), height - 12, html_text(plot.x.title));
  text += fmt::format(
      "<text class=\"label\" transform=\"translate(18 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      0.5 * (y.from() + y.to()), html_text(plot.y.title));
  for (std::size_t i = 0; i < plot.series.size(); ++i) text += draw(plot.series[i], i, x, y);
  return text + "</svg>\n";
}

std::string plot_picture(const Plot& plot) {
  std::string text = plot_svg(plot);
  if (text.empty()) return text;
  // Viewers of pictures know neither variables nor the page around it.
  static constexpr const char* kColour[kColours] = {"#1f6fb4", "#c4572b", "#2c8a57", "#8d4fa8", "#a9820a",
                                                    "#b63a6b", "#3a8f9e", "#6b6f7a", "#4b56c9", "#7d5a36"};
  std::string style =
      "<style>text { fill: #22242a; font: 13px system-ui, sans-serif; } .tick { fill: #6c7079; font-size: 12px; } "
      ".grid { stroke: #dcd9d0; } .curve path { fill: none; stroke-width: 2; } "
      ".theory path { stroke-dasharray: 7 5; } .curve.published circle { fill: #fbfaf7; stroke-width: 2; }";
  for (int i = 0; i < kColours; ++i)
    style += fmt::format(" .c{0} path, .c{0} circle {{ stroke: {1}; }} .c{0} circle {{ fill: {1}; }}", i, kColour[i]);
  style += "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fbfaf7\"/>\n";
  text.insert(text.find('\n') + 1, style);
  text.insert(std::string("<svg").size(), " xmlns=\"http://www.w3.org/2000/svg\"");
  return text;
}

std::string plot_style() {
  return R"(
.plot { width: 100%; height: auto; font: 13px system-ui, sans-serif; }
.plot text { fill: var(--text); } .plot .tick { fill: var(--faint); font-size: 12px; }
.plot .grid { stroke: var(--line); stroke-width: 1; }
.curve path { fill: none; stroke: var(--c); stroke-width: 2; stroke-linejoin: round; } .curve circle { fill: var(--c); }
.curve.theory path { stroke-dasharray: 7 5; stroke-width: 1.6; }
.curve.published circle { fill: var(--ground); stroke: var(--c); stroke-width: 2; }
.curve circle:hover { stroke: var(--text); stroke-width: 2; }
.c0 { --c: #1f6fb4; } .c1 { --c: #c4572b; } .c2 { --c: #2c8a57; } .c3 { --c: #8d4fa8; }
.c4 { --c: #a9820a; } .c5 { --c: #b63a6b; } .c6 { --c: #3a8f9e; } .c7 { --c: #6b6f7a; }
.c8 { --c: #4b56c9; } .c9 { --c: #7d5a36; }
@media (prefers-color-scheme: dark) {
  .c0 { --c: #6db3f2; } .c1 { --c: #f09a6a; } .c2 { --c: #6ccf97; } .c3 { --c: #cf9ae6; }
  .c4 { --c: #e3bf57; } .c5 { --c: #f08db1; } .c6 { --c: #79cfdd; } .c7 { --c: #b3b7c2; }
  .c8 { --c: #9ea8ff; } .c9 { --c: #cba57e; }
}
)";
}

std::string plot_csv(const Plot& plot) {
  std::string text = fmt::format("series,{},{}\n", csv_field(plot.x.title), csv_field(plot.y.title));
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    // Those that are not in the legend are told apart by their number.
    const std::string& name = plot.series[i].name;
    const std::string field = name.empty() ? fmt::format("#{}", i + 1) : csv_field(name);
    for (const PlotPoint& point : plot.series[i].points)
      text += fmt::format("{},{:.9g},{:.9g}\n", field, point.x, point.y);
  }
  return text;
}

}  // namespace carom
