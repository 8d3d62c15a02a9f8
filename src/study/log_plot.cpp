#include "study/log_plot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "study/html_page.h"

namespace carom {
namespace {

constexpr double kWidth = 960, kHeight = 540;
constexpr double kLeft = 78, kRight = 150, kTop = 14, kBottom = 54;
constexpr int kColours = 8;
constexpr double kLowest = 1e-18;  // below any residual in double precision

/// One axis in decades.
struct Axis {
  int low = 0, high = 1;    // powers of ten
  double from = 0, to = 1;  // where they are drawn
  double at(double value) const {
    const double decade = std::log10(std::max(value, std::pow(10.0, low)));
    const double share = std::isfinite(decade) ? (decade - low) / (high - low) : 1;
    return from + std::clamp(share, 0.0, 1.0) * (to - from);
  }
};

/// Whole decades around all values that have one.
Axis make_axis(const std::vector<PlotCurve>& curves, double PlotPoint::* value, double from, double to) {
  double low = 1e300, high = -1e300;
  for (const PlotCurve& curve : curves)
    for (const PlotPoint& point : curve.points) {
      const double v = point.*value;
      if (!(v > kLowest) || !std::isfinite(v)) continue;
      low = std::min(low, std::log10(v));
      high = std::max(high, std::log10(v));
    }
  if (low > high) low = high = 0;
  Axis axis{static_cast<int>(std::floor(low)), static_cast<int>(std::ceil(high)), from, to};
  if (axis.high == axis.low) ++axis.high;
  return axis;
}

std::string grid(const Axis& x, const Axis& y) {
  std::string text;
  for (int decade = x.low; decade <= x.high; ++decade) {
    const double at = x.at(std::pow(10.0, decade));
    text += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>", at,
                        y.from, y.to);
    text += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:g}</text>\n", at,
                        y.from + 18, std::pow(10.0, decade));
  }
  // Residuals may span sixteen decades: not every one has room for its label.
  const int every = (y.high - y.low) / 9 + 1;
  for (int decade = y.low; decade <= y.high; decade += every) {
    const double at = y.at(std::pow(10.0, decade));
    text += fmt::format("<line class=\"grid\" x1=\"{1:.1f}\" x2=\"{2:.1f}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/>", at,
                        x.from, x.to);
    text += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:g}</text>\n", x.from - 8,
                        at + 4, std::pow(10.0, decade));
  }
  return text;
}

std::string draw(const PlotCurve& curve, std::size_t index, const Axis& x, const Axis& y) {
  std::string path, dots;
  for (const PlotPoint& point : curve.points) {
    const double px = x.at(point.x), py = y.at(point.y);
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", px, py);
    dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>{}</title></circle>\n", px, py,
                        html_text(point.title));
  }
  const double legend = kTop + 14 + 22 * static_cast<double>(index);
  return fmt::format(
      "<g class=\"curve c{0}\"><path d=\"{1}\"/>\n{2}<path d=\"M{3:.1f} {4:.1f} h22\"/>"
      "<text x=\"{5:.1f}\" y=\"{6:.1f}\">{7}</text></g>\n",
      index % kColours, path, dots, kWidth - kRight + 16, legend, kWidth - kRight + 44, legend + 4,
      html_text(curve.name));
}

}  // namespace

std::string log_plot(const std::vector<PlotCurve>& curves, const std::string& x_label, const std::string& y_label) {
  if (std::ranges::all_of(curves, [](const PlotCurve& curve) { return curve.points.empty(); })) return {};
  const Axis x = make_axis(curves, &PlotPoint::x, kLeft, kWidth - kRight);
  const Axis y = make_axis(curves, &PlotPoint::y, kHeight - kBottom, kTop);
  std::string text =
      fmt::format("<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{} against {}\">\n", kWidth,
                  kHeight, html_text(y_label), html_text(x_label));
  text += grid(x, y);
  text += fmt::format("<text class=\"label\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                      0.5 * (x.from + x.to), kHeight - 12, html_text(x_label));
  text += fmt::format(
      "<text class=\"label\" transform=\"translate(18 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      0.5 * (y.from + y.to), html_text(y_label));
  for (std::size_t i = 0; i < curves.size(); ++i) text += draw(curves[i], i, x, y);
  return text + "</svg>\n";
}

std::string log_plot_picture(const std::vector<PlotCurve>& curves, const std::string& x_label,
                             const std::string& y_label) {
  std::string text = log_plot(curves, x_label, y_label);
  if (text.empty()) return text;
  // Viewers of pictures know neither variables nor the page around it.
  static constexpr const char* kColour[kColours] = {"#1f6fb4", "#c4572b", "#2c8a57", "#8d4fa8",
                                                    "#a9820a", "#b63a6b", "#3a8f9e", "#6b6f7a"};
  std::string style =
      "<style>text { fill: #22242a; font: 13px system-ui, sans-serif; } .tick { fill: #6c7079; font-size: 12px; } "
      ".grid { stroke: #dcd9d0; } .curve path { fill: none; stroke-width: 2; }";
  for (int i = 0; i < kColours; ++i)
    style += fmt::format(" .c{0} path {{ stroke: {1}; }} .c{0} circle {{ fill: {1}; }}", i, kColour[i]);
  style += fmt::format("</style>\n<rect width=\"{}\" height=\"{}\" fill=\"#fbfaf7\"/>\n", kWidth, kHeight);
  text.insert(text.find('\n') + 1, style);
  text.insert(std::string("<svg").size(), " xmlns=\"http://www.w3.org/2000/svg\"");
  return text;
}

std::string log_plot_style() {
  return R"(
.plot { width: 100%; height: auto; font: 13px system-ui, sans-serif; }
.plot text { fill: var(--text); } .plot .tick { fill: var(--faint); font-size: 12px; }
.plot .grid { stroke: var(--line); stroke-width: 1; }
.curve path { fill: none; stroke: var(--c); stroke-width: 2; } .curve circle { fill: var(--c); }
.curve circle:hover { stroke: var(--text); stroke-width: 2; }
.c0 { --c: #1f6fb4; } .c1 { --c: #c4572b; } .c2 { --c: #2c8a57; } .c3 { --c: #8d4fa8; }
.c4 { --c: #a9820a; } .c5 { --c: #b63a6b; } .c6 { --c: #3a8f9e; } .c7 { --c: #6b6f7a; }
@media (prefers-color-scheme: dark) {
  .c0 { --c: #6db3f2; } .c1 { --c: #f09a6a; } .c2 { --c: #6ccf97; } .c3 { --c: #cf9ae6; }
  .c4 { --c: #e3bf57; } .c5 { --c: #f08db1; } .c6 { --c: #79cfdd; } .c7 { --c: #b3b7c2; }
}
)";
}

}  // namespace carom
