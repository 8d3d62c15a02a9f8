#include "study/reproduce_mirtich.h"

#include <gtest/gtest.h>

namespace carom {
namespace {

Finding finding_of(void (*make)(const SectionWork&, ReportSection&)) {
  ReportSection section;
  make(SectionWork(Effort::Tiny, [](double) {}), section);
  return section.finding;
}

TEST(ReproduceMirtich, FiguresOfAnImpactAreAsInThePaper) {
  EXPECT_EQ(finding_of(make_mirtich_phases), Finding::Agrees);
  EXPECT_EQ(finding_of(make_mirtich_slips), Finding::Agrees);
  EXPECT_EQ(finding_of(make_mirtich_rod), Finding::Agrees);
  EXPECT_EQ(finding_of(make_mirtich_paths), Finding::Agrees);
}

TEST(ReproduceMirtich, TheBallOnTerrainMeetsItsFormulas) {
  EXPECT_EQ(finding_of(make_mirtich_terrain), Finding::Agrees);
}

TEST(ReproduceMirtich, ImpactsPassThroughTheRowOfMarbles) {
  EXPECT_EQ(finding_of(make_mirtich_marbles), Finding::Agrees);
}

/// In circles beside the axis, but they do not grow.
TEST(ReproduceMirtich, CirclesOnThePlatterAgreeInPart) { EXPECT_EQ(finding_of(make_mirtich_platter), Finding::Partly); }

}  // namespace
}  // namespace carom
