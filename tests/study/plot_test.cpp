#include "study/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "study/plot_axis.h"

namespace carom {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

Plot plot_with(std::vector<PlotSeries> series) { return {"p", "caption", {"x, s"}, {"y, m"}, std::move(series)}; }

TEST(Plot, TellsMeasuredFromTheoryAndFromPublished) {
  const std::string svg = plot_svg(plot_with({{"measured", {{0, 1, {}}, {1, 2, {}}}, PlotMark::Line},
                                              {"theory", {{0, 1, {}}, {1, 2, {}}}, PlotMark::Theory, 0},
                                              {"paper", {{0.5, 1.4, {}}}, PlotMark::Published}}));
  // In the plot and in the legend.
  EXPECT_EQ(count(svg, "class=\"curve c0\""), 2U);
  EXPECT_EQ(count(svg, "class=\"curve c0 theory\""), 2U);
  EXPECT_EQ(count(svg, "class=\"curve c2 published\""), 2U);
  EXPECT_EQ(count(svg, "<circle"), 2U);
}

TEST(Plot, StepsHoldTheirValueUntilTheNext) {
  const std::string svg = plot_svg(plot_with({{"s", {{0, 0, {}}, {1, 1, {}}}, PlotMark::Steps}}));
  EXPECT_TRUE(contains(svg, " H") && contains(svg, " V"));
}

TEST(Plot, NothingToDrawIsNoPlot) { EXPECT_EQ(plot_svg(plot_with({{"empty", {}}})), ""); }

/// A spike one step wide is what a plot of times is looked at for.
TEST(Plot, LongSeriesKeepTheirSpikes) {
  std::vector<PlotPoint> points;
  points.reserve(50'000);
  for (int i = 0; i < 50'000; ++i) points.push_back({static_cast<double>(i), i == 31'234 ? 100.0 : 1.0, {}});
  const Plot plot = plot_with({{"s", points}});
  const std::string svg = plot_svg(plot);
  EXPECT_LT(svg.size(), 100'000U) << "thinned";
  // The upper end of the axis is the spike's own value, 100, so that it is drawn at the top of the plot.
  EXPECT_TRUE(contains(svg, " 40.0 L") || contains(svg, " 40.0\"")) << "the spike reaches the top";
}

TEST(Plot, SeriesWithoutANameAreDrawnAndNumberedInTheTable) {
  const Plot plot = plot_with({{"first", {{0, 0, {}}, {1, 1, {}}}}, {"", {{0, 1, {}}, {1, 0, {}}}}});
  const std::string svg = plot_svg(plot);
  EXPECT_NE(svg.find(">first<"), std::string::npos);
  EXPECT_NE(svg.find("curve c1"), std::string::npos);
  EXPECT_NE(plot_csv(plot).find("#2,"), std::string::npos);
}

TEST(Plot, CsvHoldsEveryPointAndQuotesNames) {
  const std::string csv = plot_csv(plot_with({{"a, b", {{1, 2, {}}, {3, 4.5, {}}}}}));
  EXPECT_EQ(csv, "series,\"x, s\",\"y, m\"\n\"a, b\",1,2\n\"a, b\",3,4.5\n");
}

TEST(PlotAxis, LinearAxesEndAtRoundNumbersAndShowZeroWhereItIsNear) {
  const AxisMap axis({"y"}, {{"s", {{0, 3, {}}, {0, 97, {}}}}}, &PlotPoint::y, 0, 1);
  EXPECT_DOUBLE_EQ(axis.at(0), 0);
  EXPECT_DOUBLE_EQ(axis.at(100), 1);
  for (const AxisMap::Tick& tick : axis.ticks(9)) EXPECT_EQ(std::fmod(tick.value, 10), 0) << tick.value;
}

TEST(PlotAxis, LogAxesCoverWholeDecadesAndPutZeroAtTheEdge) {
  const AxisMap axis({"y", PlotScale::Log}, {{"s", {{0, 0, {}}, {0, 0.02, {}}, {0, 3, {}}}}}, &PlotPoint::y, 0, 3);
  EXPECT_DOUBLE_EQ(axis.at(0.01), 0);
  EXPECT_NEAR(axis.at(1), 2, 1e-12);
  EXPECT_DOUBLE_EQ(axis.at(10), 3);
  EXPECT_DOUBLE_EQ(axis.at(0), 0);
  EXPECT_DOUBLE_EQ(axis.at(std::numeric_limits<double>::infinity()), 3);
}

TEST(PlotAxis, GivenLimitsAreKept) {
  const AxisMap axis({"y", PlotScale::Linear, -1, 5}, {{"s", {{0, 100, {}}}}}, &PlotPoint::y, 0, 6);
  EXPECT_DOUBLE_EQ(axis.at(-1), 0);
  EXPECT_DOUBLE_EQ(axis.at(100), 6) << "what lies outside is drawn at the edge";
}

}  // namespace
}  // namespace carom
