// Every pair of kinds, in random positions that are hard: apart, touching, deep, faces, edges and corners on each
// other, sizes from 1e-3 to 1e3 m, near the origin and ten kilometres away.
//
// The truth comes from the shapes themselves, written down once more in support/convex_shapes.h: how far a plane square
// to the normal separates the two, and whether a point lies outside a shape. CAROM_FUZZ_COUNT sets the number of
// positions for each pair.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "collision/pairs.h"
#include "support/convex_pairs.h"
#include "support/slow_build.h"

namespace carom {
namespace {

using test::ConvexPair;
using test::Kind;
using test::Random;

/// Clipping leaves corners alone that stick out by a hundred-thousandth of the figure; over a slope their height is off
/// by a few times that.
constexpr Real kClipping = 2e-4;

int fuzz_count() {
  const char* count = std::getenv("CAROM_FUZZ_COUNT");
  if (count != nullptr) return std::atoi(count);
  return CAROM_SLOW_BUILD ? 500 : 20000;
}

Manifold contacts(const Placed& a, const Placed& b, Real margin) {
  Manifold m;
  collide(a, b, margin, m);
  return m;
}

class Matrix : public testing::TestWithParam<std::pair<Kind, Kind>> {
 protected:
  /// Two boxes answer with the side that they may come to lie on, which is not always the direction of least distance
  /// (random_boxes_test.cpp says by how much it may differ).
  bool by_least_distance() const { return GetParam() != std::pair{Kind::Box, Kind::Box}; }
};

Real least_gap(const Manifold& m) {
  Real least = 1e300;
  for (int i = 0; i < m.count; ++i) least = std::min(least, m.points[static_cast<std::size_t>(i)].gap);
  return least;
}

/// How far the two ends of a point's gap lie outside their shapes.
std::pair<Real, Real> outside(const ConvexPair& pair, const Manifold& m, const ManifoldPoint& p) {
  const Vec3 on_a = p.point - 0.5 * p.gap * m.normal, on_b = p.point + 0.5 * p.gap * m.normal;
  return {test::outside(pair.a, rotate(conjugate(pair.pose_a.orientation), on_a - pair.pose_a.position)),
          test::outside(pair.b, rotate(conjugate(pair.pose_b.orientation), on_b - pair.pose_b.position))};
}

/// What every manifold owes: unit normal, gaps within the margin and never less than what the shapes' extents allow,
/// names that differ, and points that lie on the shapes within the tolerance of clipping.
void check_points(const ConvexPair& pair, const Manifold& m, Real margin, Real tolerance) {
  std::set<std::uint16_t> names;
  const Real separation = test::separation(pair, m.normal);
  ASSERT_NEAR(norm(m.normal), 1, 1e-9);  // of nearly parallel edges 1e-10
  for (int i = 0; i < m.count; ++i) {
    const ManifoldPoint& p = m.points[static_cast<std::size_t>(i)];
    ASSERT_LE(p.gap, margin);
    ASSERT_GE(p.gap, separation - tolerance - kClipping * pair.larger());
    ASSERT_TRUE(names.insert(p.feature).second);
    const auto [a, b] = outside(pair, m, p);
    ASSERT_LE(std::max(a, b), tolerance + kClipping * pair.larger());
  }
}

/// What the deepest point owes beyond that: its gap is how far the normal separates the shapes, which is as far as any
/// direction does, and its ends are on both surfaces.
void check_deepest(const ConvexPair& pair, const Manifold& m, Real distance, Real tolerance) {
  ASSERT_NEAR(least_gap(m), test::separation(pair, m.normal), tolerance);
  ASSERT_GE(test::separation(pair, m.normal), distance - tolerance);
  for (int i = 0; i < m.count; ++i) {
    const ManifoldPoint& p = m.points[static_cast<std::size_t>(i)];
    if (p.gap > least_gap(m) + tolerance) continue;
    const auto [a, b] = outside(pair, m, p);
    // `outside` is a lower bound of the distance, so that a point may seem to be inside by the square of what it is
    // off.
    ASSERT_GE(std::min(a, b), -tolerance - kClipping * pair.smaller());
  }
}

TEST_P(Matrix, ContactsAreWhereTheShapesAre) {
  const auto [kind_a, kind_b] = GetParam();
  Random random(1000 + 10 * static_cast<std::uint64_t>(kind_a) + static_cast<std::uint64_t>(kind_b));
  const int count = fuzz_count();
  int touching = 0, apart = 0;
  for (int i = 0; i < count; ++i) {
    const ConvexPair pair = test::random_pair(kind_a, kind_b, i, random);
    SCOPED_TRACE(testing::Message() << "case " << i << ", " << pair.what);
    const Real margin = (i % 2 == 0 ? 0.01 : 0.3) * pair.smaller();
    const Real tolerance = 1e-9 * pair.larger() + 100 * pair.rounding();
    const Placed a = pair.placed_a(), b = pair.placed_b();
    const Real distance = signed_distance(a, b).distance;
    const Manifold m = contacts(a, b, margin);
    if (m.count == 0) {
      // Never a miss. (Two boxes are looked at along a face, across which they are closer than they are.)
      ASSERT_GE(distance, margin - tolerance);
      ++apart;
      continue;
    }
    ++touching;
    check_points(pair, m, margin, tolerance);
    if (by_least_distance()) check_deepest(pair, m, distance, tolerance);
    if (by_least_distance() && i % 4 == 0) {
      const Manifold back = contacts(b, a, margin);
      ASSERT_NEAR(least_gap(back), least_gap(m), tolerance);
      ASSERT_NEAR(test::separation(pair, -back.normal), test::separation(pair, m.normal), tolerance);
    }
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(touching, count / 10);
  EXPECT_GT(apart, count / 20);
}

std::string pair_name(const testing::TestParamInfo<std::pair<Kind, Kind>>& info) {
  return std::string(test::name_of(info.param.first)) + "_" + test::name_of(info.param.second);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Matrix, testing::ValuesIn(test::all_kind_pairs()), pair_name);

/// The cells of a row of a table in Markdown, without blanks.
std::vector<std::string> cells(const std::string& row) {
  std::vector<std::string> list;
  std::istringstream in(row);
  std::string cell;
  std::getline(in, cell, '|');  // before the first bar
  while (std::getline(in, cell, '|')) {
    const auto from = cell.find_first_not_of(' '), to = cell.find_last_not_of(' ');
    list.push_back(from == std::string::npos ? "" : cell.substr(from, to - from + 1));
  }
  return list;
}

TEST(MatrixInTheManual, SaysWhatTheCodeDoes) {
  std::ifstream manual(CAROM_SCENES_DIR "/../docs/collision.md");
  ASSERT_TRUE(manual) << "docs/collision.md";
  std::vector<std::vector<std::string>> rows;
  std::string section;
  for (std::string line; std::getline(manual, line);) {
    if (line.starts_with("## ")) section = line;
    if (section != "## Which algorithm for which pair") continue;
    const std::vector<std::string> row = cells(line);
    if (row.size() == kKindNames.size() + 1 && row[1].find_first_not_of('-') != std::string::npos) rows.push_back(row);
  }
  ASSERT_EQ(rows.size(), kKindNames.size() + 1);
  for (std::size_t a = 0; a < kKindNames.size(); ++a) {
    EXPECT_EQ(rows[0][a + 1], kKindNames[a]);
    EXPECT_EQ(rows[a + 1][0], kKindNames[a]);
    for (std::size_t b = 0; b < kKindNames.size(); ++b)
      EXPECT_EQ(rows[a + 1][b + 1], pair_algorithm(a, b)) << kKindNames[a] << " and " << kKindNames[b];
  }
}

}  // namespace
}  // namespace carom
