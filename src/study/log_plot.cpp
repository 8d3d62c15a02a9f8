#include "study/log_plot.h"

namespace carom {
namespace {

Plot plot_of(const std::vector<PlotCurve>& curves, const std::string& x_label, const std::string& y_label) {
  Plot plot;
  plot.x = {x_label, PlotScale::Log};
  plot.y = {y_label, PlotScale::Log};
  plot.height = 450;
  for (const PlotCurve& curve : curves) plot.series.push_back({curve.name, curve.points, PlotMark::LinePoints});
  return plot;
}

}  // namespace

std::string log_plot(const std::vector<PlotCurve>& curves, const std::string& x_label, const std::string& y_label) {
  return plot_svg(plot_of(curves, x_label, y_label));
}

std::string log_plot_picture(const std::vector<PlotCurve>& curves, const std::string& x_label,
                             const std::string& y_label) {
  return plot_picture(plot_of(curves, x_label, y_label));
}

std::string log_plot_style() { return plot_style(); }

}  // namespace carom
