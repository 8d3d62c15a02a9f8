// A plot with two logarithmic axes.
#pragma once

#include <string>
#include <vector>

#include "study/plot.h"

namespace carom {

struct PlotCurve {
  std::string name;
  std::vector<PlotPoint> points;
};

/// Values that are zero or smaller are drawn at the lower edge, those not finite at the upper. Empty where there is no
/// point.
std::string log_plot(const std::vector<PlotCurve>& curves, const std::string& x_label, const std::string& y_label);
/// The same as a picture of its own, for a file: light, whatever the reader's system is.
std::string log_plot_picture(const std::vector<PlotCurve>& curves, const std::string& x_label,
                             const std::string& y_label);
/// What the page's style needs for it.
std::string log_plot_style();

}  // namespace carom
