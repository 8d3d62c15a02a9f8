// Plots as SVG inside a page or as a picture of their own: lines, steps and points on linear or logarithmic axes. What
// a paper printed is drawn with hollow markers, what a formula says with a dashed line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carom {

struct PlotPoint {
  double x = 0, y = 0;
  std::string title;  ///< shown when the pointer rests on it
};

enum class PlotScale : std::uint8_t { Linear, Log };

/// How a series is drawn.
enum class PlotMark : std::uint8_t {
  Line,
  Points,
  LinePoints,
  Steps,     ///< a value holds until the next point
  Theory,    ///< a dashed line
  Published  ///< hollow markers
};

struct PlotSeries {
  std::string name;  ///< empty: not in the legend, and by its number in the table
  std::vector<PlotPoint> points;
  PlotMark mark = PlotMark::Line;
  int colour = -1;  ///< 0 to 9; negative: by its place, so that a theory can share the colour of what it is about
};

/// Without limits an axis covers its values: whole decades where it is logarithmic, else round numbers.
struct PlotAxis {
  std::string title;  ///< with the unit
  PlotScale scale = PlotScale::Linear;
  std::optional<double> low = {}, high = {};
};

struct Plot {
  std::string name;     ///< of its table of values, as a file name without ending
  std::string caption;  ///< what it shows
  PlotAxis x, y;
  std::vector<PlotSeries> series;
  double height = 400;  ///< in units of which the width has 800
};

/// On a logarithmic axis values that are zero or smaller are drawn at the lower edge; those not finite are drawn at the
/// upper one. Empty where there is no point.
std::string plot_svg(const Plot& plot);
/// The same as a picture of its own, for a file: light, whatever the reader's system is.
std::string plot_picture(const Plot& plot);
/// What a page's style needs for `plot_svg`.
std::string plot_style();

/// Every point of the plot, `series,x,y`, with the axes' titles as heads.
std::string plot_csv(const Plot& plot);

}  // namespace carom
