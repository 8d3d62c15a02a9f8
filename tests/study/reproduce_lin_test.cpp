#include "study/reproduce_lin.h"

#include <gtest/gtest.h>

namespace carom {
namespace {

ReportSection made_by(void (*make)(const SectionWork&, ReportSection&)) {
  ReportSection section;
  make(SectionWork(Effort::Tiny, [](double) {}), section);
  return section;
}

/// Newton's law adds energy and Stronge's does not, as the slides say; Poisson's does not either.
TEST(ReproduceLin, LawsOfImpactAgreeInPart) {
  EXPECT_EQ(made_by(make_lin_laws).finding, Finding::Partly);
  EXPECT_EQ(made_by(make_lin_energies).finding, Finding::Partly);
}

TEST(ReproduceLin, TheBlockCreepsUnderTheLawAloneAndHoldsOtherwise) {
  EXPECT_EQ(made_by(make_lin_ramp).finding, Finding::Agrees);
}

TEST(ReproduceLin, APileOfBooksHasAnImpactRateThatGrowsFasterThanItself) {
  const ReportSection section = made_by(make_lin_books);
  EXPECT_NE(section.finding, Finding::Differs);
  EXPECT_NE(section.verdict.find("to the power"), std::string::npos);
  const auto* table = std::get_if<ReportTable>(&section.parts.back());
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->rows.size(), 8U) << "four ways, two piles";
}

}  // namespace
}  // namespace carom
