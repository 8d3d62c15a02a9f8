// What an impact costs. Times are printed to be quoted, not asserted: they depend on the machine and on what else it
// does.
#include <algorithm>
#include <ctime>
#include <vector>

#include "acceptance.h"
#include "carom/contact/impact.h"
#include "support/impacts.h"

namespace carom::acceptance {
namespace {

TEST(ImpactCost, MeanTimeOfTenThousandRandomImpacts) {
  constexpr int kCount = 10'000, kRounds = 5;
  test::Random random(11);
  std::vector<PointImpact> impacts;
  impacts.reserve(kCount);
  for (int i = 0; i < kCount; ++i) impacts.push_back(test::random_impact(random));
  for (const ImpactLaw law : impact_laws()) {
    double best = 1e300;  // s: the round that was disturbed least
    Real sum = 0;
    for (int round = 0; round < kRounds; ++round) {
      const std::clock_t start = std::clock();  // of the processor, so that other programs count less
      for (const PointImpact& impact : impacts) sum += norm(resolve_impact(law, impact).impulse);
      best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    EXPECT_GT(sum, 0) << "and so the work was done";
    figure(std::string("impact by ") + impact_law_name(law) + ", mean of 10 000", 1e6 * best / kCount, "us");
  }
}

}  // namespace
}  // namespace carom::acceptance
