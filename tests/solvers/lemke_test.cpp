// Lemke's method on complementarity problems by themselves.
#include "solvers/lemke.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/random.h"

namespace carom {
namespace {

struct Outcome {
  Lemke::End end;
  std::vector<Real> z;
  Real error = 0;  // largest of −z, −w and |min(z, w)|
};

Outcome run(const std::vector<std::vector<Real>>& m, const std::vector<Real>& q, Real perturbation = 0) {
  const std::size_t n = q.size();
  Lemke lemke;
  lemke.prepare(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::copy(m[i].begin(), m[i].end(), lemke.matrix().begin() + static_cast<std::ptrdiff_t>(i * n));
    lemke.constant()[i] = q[i];
  }
  Outcome outcome{lemke.solve(1000, perturbation), {lemke.z().begin(), lemke.z().end()}};
  for (std::size_t i = 0; i < n; ++i) {
    Real w = q[i];
    for (std::size_t k = 0; k < n; ++k) w += m[i][k] * outcome.z[k];
    outcome.error = std::max({outcome.error, -outcome.z[i], -w, std::abs(std::min(outcome.z[i], w))});
  }
  return outcome;
}

TEST(Lemke, SolvesByHandWhatCanBeSolvedByHand) {
  const Outcome outcome = run({{2, 1}, {1, 2}}, {-5, -6});  // both act: 2x + y = 5, x + 2y = 6
  EXPECT_EQ(outcome.end, Lemke::End::Solved);
  EXPECT_NEAR(outcome.z[0], 4.0 / 3, 1e-14);
  EXPECT_NEAR(outcome.z[1], 7.0 / 3, 1e-14);
  const Outcome one = run({{2, 1}, {1, 2}}, {-5, 6});  // the second does not
  EXPECT_EQ(one.z, (std::vector<Real>{2.5, 0}));
  const Outcome none = run({{2, 1}, {1, 2}}, {5, 0});
  EXPECT_EQ(none.end, Lemke::End::Solved);
  EXPECT_EQ(none.z, (std::vector<Real>{0, 0}));
}

TEST(Lemke, EndsOnARayWhereThereIsNoAnswer) {
  EXPECT_EQ(run({{0}}, {-1}).end, Lemke::End::Ray);                   // w = −1, whatever z
  EXPECT_EQ(run({{1, -1}, {-1, 1}}, {-1, -1}).end, Lemke::End::Ray);  // one up, the other down
}

TEST(Lemke, SolvesEveryProblemWithAPositiveDefiniteMatrix) {
  test::Random random(1);
  for (int i = 0; i < 300; ++i) {
    const auto n = static_cast<std::size_t>(random.integer(1, 30));
    std::vector<std::vector<Real>> a(n, std::vector<Real>(n)), m = a;
    std::vector<Real> q(n);
    for (std::size_t r = 0; r < n; ++r) {
      q[r] = random.uniform(-1, 1);
      for (Real& x : a[r]) x = random.uniform(-1, 1);
    }
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t c = 0; c < n; ++c) {
        for (std::size_t k = 0; k < n; ++k) m[r][c] += a[r][k] * a[c][k];
        m[r][c] += (r == c ? 0.1 : 0) + (r < c ? 0.3 : (r > c ? -0.3 : 0));  // and not symmetric
      }
    const Outcome outcome = run(m, q);
    EXPECT_EQ(outcome.end, Lemke::End::Solved) << i;
    EXPECT_LE(outcome.error, 1e-10) << i;  // some thirty pivots round
  }
}

TEST(Lemke, EqualRatiosDoNotMakeItGoRound) {
  // Eight times the same row and column: every pivot is tied.
  const std::size_t n = 8;
  const std::vector<std::vector<Real>> m(n, std::vector<Real>(n, 1));
  const Outcome outcome = run(m, std::vector<Real>(n, -1));
  EXPECT_EQ(outcome.end, Lemke::End::Solved);
  EXPECT_LE(outcome.error, 1e-15);
  const Outcome perturbed = run(m, std::vector<Real>(n, -1), 1e-9);
  EXPECT_EQ(perturbed.end, Lemke::End::Solved);
  EXPECT_LE(perturbed.error, 1e-9) << "by no more than the perturbation";
}

}  // namespace
}  // namespace carom
