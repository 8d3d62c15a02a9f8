#include "study/plot_axis.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace carom {
namespace {

constexpr double kLowest = 1e-18;  // below any residual in double precision: no decade worth an axis

/// The least of 1, 2, 5 times a power of ten that is no smaller than a given length.
double round_step(double length) {
  const double decade = std::pow(10.0, std::floor(std::log10(length)));
  const double rest = length / decade * (1 - 1e-9);
  return decade * (rest > 5 ? 10 : rest > 2 ? 5 : rest > 1 ? 2 : 1);
}

}  // namespace

AxisMap::AxisMap(const PlotAxis& axis, const std::vector<PlotSeries>& series, double PlotPoint::* coordinate,
                 double from, double to)
    : log_(axis.scale == PlotScale::Log), from_(from), to_(to) {
  std::vector<double> values;
  for (const PlotSeries& s : series)
    for (const PlotPoint& point : s.points)
      if (std::isfinite(point.*coordinate)) values.push_back(point.*coordinate);
  log_ ? cover_log(axis, values) : cover_linear(axis, values);
}

void AxisMap::cover_log(const PlotAxis& axis, const std::vector<double>& values) {
  double low = 1e300, high = -1e300;
  for (const double v : values) {
    if (!(v > kLowest)) continue;
    low = std::min(low, std::log10(v));
    high = std::max(high, std::log10(v));
  }
  if (low > high) low = high = 0;
  low_ = axis.low ? std::log10(*axis.low) : std::floor(low);
  high_ = axis.high ? std::log10(*axis.high) : std::ceil(high);
  if (!(high_ > low_)) high_ = low_ + 1;
}

void AxisMap::cover_linear(const PlotAxis& axis, const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax_element(values);
  double low = values.empty() ? 0 : *least, high = values.empty() ? 1 : *most;
  // An axis that nearly reaches zero had better show it.
  if (low > 0 && low < 0.3 * high) low = 0;
  if (high < 0 && high > 0.3 * low) high = 0;
  if (!(high > low)) {
    const double room = high == 0 ? 1 : 0.1 * std::abs(high);
    low -= room;
    high += room;
  }
  const double step = round_step((high - low) / 10);
  low_ = axis.low.value_or(step * std::floor(low / step + 1e-9));
  high_ = axis.high.value_or(step * std::ceil(high / step - 1e-9));
  if (!(high_ > low_)) high_ = low_ + 1;
}

double AxisMap::at(double value) const {
  const double place = log_ ? std::log10(std::max(value, std::pow(10.0, low_))) : value;
  const double share = std::isfinite(place) ? (place - low_) / (high_ - low_) : (value < 0 ? 0 : 1);
  return from_ + std::clamp(share, 0.0, 1.0) * (to_ - from_);
}

std::vector<AxisMap::Tick> AxisMap::ticks(int most) const {
  std::vector<Tick> ticks;
  if (!log_) {
    const double step = round_step((high_ - low_) / std::max(most, 1));
    for (double i = std::ceil(low_ / step - 1e-9); i * step <= high_ + 1e-9 * step; ++i) {
      const double value = i == 0 ? 0 : i * step;  // not -0
      ticks.push_back({value, fmt::format("{:.6g}", value)});
    }
    return ticks;
  }
  const int decades = static_cast<int>(std::floor(high_ + 1e-9) - std::ceil(low_ - 1e-9));
  const int every = decades / std::max(most, 1) + 1;
  for (int decade = static_cast<int>(std::floor(low_)), count = 0; decade <= high_ + 1e-9; ++decade) {
    for (const int digit : {1, 2, 5}) {
      const double value = digit * std::pow(10.0, decade), place = std::log10(value);
      if (place < low_ - 1e-9 || place > high_ + 1e-9) continue;
      if (digit == 1)
        ticks.push_back({value, count++ % every == 0 ? fmt::format("{:g}", value) : ""});
      else if (decades <= 2)
        ticks.push_back({value, fmt::format("{:g}", value)});
    }
  }
  return ticks;
}

}  // namespace carom
