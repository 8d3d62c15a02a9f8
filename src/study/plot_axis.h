// An axis of a plot: from values to places, and where its ticks are.
#pragma once

#include <string>
#include <vector>

#include "study/plot.h"

namespace carom {

class AxisMap {
 public:
  struct Tick {
    double value = 0;
    std::string label;  ///< empty: a line of the grid only
  };

  /// Covers the given coordinate of all points, and zero on a linear axis that starts near it. `from` and `to` are
  /// where its ends are drawn.
  AxisMap(const PlotAxis& axis, const std::vector<PlotSeries>& series, double PlotPoint::* coordinate, double from,
          double to);

  /// Always a place on the axis: what lies outside is drawn at the nearer end.
  double at(double value) const;
  double from() const { return from_; }
  double to() const { return to_; }
  /// At most about `most` labels.
  std::vector<Tick> ticks(int most) const;

 private:
  void cover_log(const PlotAxis& axis, const std::vector<double>& values);
  void cover_linear(const PlotAxis& axis, const std::vector<double>& values);

  bool log_ = false;
  double low_ = 0, high_ = 1;  // powers of ten where logarithmic
  double from_, to_;
};

}  // namespace carom
