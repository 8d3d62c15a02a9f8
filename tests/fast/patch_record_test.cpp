// Records of patches: they hold what a search has found, and follow their bodies.
#include "fast/patch_record.h"

#include <gtest/gtest.h>

#include <numbers>

#include "collision/pairs.h"
#include "fast/bodies.h"
#include "fast/box_pair.h"

namespace carom {
namespace {

using test::BodyView;
using test::gap_of;
using test::Random;
using test::Record;

/// Rounding of coordinates of a few metres to single precision, some times over.
constexpr Real kRounding = 3e-6;

Manifold search(const BodyView& a, const BodyView& b, Real known) {
  std::vector<Manifold> found;
  collide_all(a.placed(), b.placed(), known, {}, found);
  Manifold m = found.empty() ? Manifold{} : found.front();
  m.a = 0;
  m.b = 1;
  return m;
}

Vec3 point_of(const Record& r, std::size_t i, const BodyView& probe) {
  return probe.center + probe.rotation * test::vector(r.arms[i]);
}

TEST(FastRecord, HoldsTheGapsThatWereFound) {
  Random random(1);
  int count = 0;
  for (int i = 0; i < 3000; ++i) {
    const ShapePtr shapes[] = {Shape::box({1, 0.7, 0.5}),  Shape::sphere(0.4),       Shape::capsule(0.2, 0.8),
                               Shape::cylinder(0.4, 0.6),  Shape::cone(0.4, 0.8),    Shape::ellipsoid({0.5, 0.4, 0.3}),
                               Shape::plane({0, 0, 1}, 0), Shape::box({0.3, 0.3, 2})};
    const BodyView b = test::view_of(shapes[random.integer(0, 5)], random.pose(0.6));
    const BodyView a = test::view_of(shapes[random.integer(0, 7)], random.pose(0.6));
    const Manifold m = search(a, b, 0.1);
    if (m.count == 0) continue;
    ++count;
    const Record r = fast::make_record(m, a, b);
    const BodyView &base = r.base_is_a ? a : b, &probe = r.base_is_a ? b : a;
    ASSERT_EQ(r.base, r.base_is_a ? 0 : 1);
    ASSERT_EQ(r.probe, r.base_is_a ? 1 : 0);
    ASSERT_GE(r.count, 1);
    ASSERT_LE(static_cast<int>(r.count), std::min(m.count, Record::kMaxPoints));
    Real least = 1e300;
    for (int k = 0; k < m.count; ++k) least = std::min(least, m.points[static_cast<std::size_t>(k)].gap);
    ASSERT_NEAR(r.least_gap, least, kRounding);
    // Each point is one of the manifold's, with its gap; the deepest is among them.
    Real found = 1e300;
    for (std::size_t k = 0; k < r.count; ++k) {
      const Real gap = gap_of(r, k, base, probe);
      found = std::min(found, gap);
      const Vec3 normal = (r.base_is_a ? 1 : -1) * m.normal;
      Real nearest = 1e300;
      for (int n = 0; n < m.count; ++n) {
        const ManifoldPoint& p = m.points[static_cast<std::size_t>(n)];
        nearest =
            std::min(nearest, norm(p.point + 0.5 * p.gap * normal - point_of(r, k, probe)) + std::abs(p.gap - gap));
      }
      ASSERT_LE(nearest, kRounding) << i;
    }
    ASSERT_NEAR(found, least, kRounding) << i;
    // What is not there never touches.
    for (std::size_t k = r.count; k < Record::kMaxPoints; ++k) ASSERT_GT(gap_of(r, k, base, probe), 1e9);
  }
  EXPECT_GT(count, 500);
}

TEST(FastRecord, FourOfManyPointsSpanMostOfThePatch) {
  // A cube turned by an eighth on another touches in an octagon of area 2 (√2 − 1). No four of its corners span more
  // than 1/√2 of that; chosen one after the other they span at least half.
  const ShapePtr cube = Shape::box({1, 1, 1});
  const BodyView a = test::view_of(cube, {}), b = test::view_of(cube, {{0, 0, 1.001}, test::turn({0, 0, 1}, 45)});
  Manifold m;
  m.b = 1;
  fast::find_box_points(a.placed(), b.placed(), 0.01, m);
  ASSERT_EQ(m.count, 8);
  const Record r = fast::make_record(m, a, b);
  ASSERT_EQ(static_cast<int>(r.count), 4);
  const BodyView& probe = r.base_is_a ? b : a;
  std::vector<std::pair<Real, Vec3>> around;
  for (std::size_t k = 0; k < 4; ++k) {
    const Vec3 p = point_of(r, k, probe);
    around.emplace_back(std::atan2(p.y, p.x), p);
  }
  std::sort(around.begin(), around.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  Real area = 0;
  for (std::size_t k = 0; k < 4; ++k) area += 0.5 * cross(around[k].second, around[(k + 1) % 4].second).z;
  EXPECT_GE(area, std::sqrt(2.0) - 1);
}

/// The largest difference between the gaps of a record and those of a search anew, after both boxes have moved a
/// little: a small one over the middle of a wide one. `on_wide`: the wide one is the base.
Real lag(Random& random, bool small_first, bool& on_wide) {
  const ShapePtr wide = Shape::box({6, 6, 1}), small = Shape::box({1, 0.8, 0.6});
  const Pose place = random.pose(3);
  const Pose over{{random.uniform(-1, 1), random.uniform(-1, 1), 0.8 + random.uniform(-0.01, 0.02)},
                  test::turn({0, 0, 1}, random.uniform(0, 360))};
  BodyView first = test::view_of(small_first ? small : wide, small_first ? test::compose(place, over) : place);
  BodyView second = test::view_of(small_first ? wide : small, small_first ? place : test::compose(place, over));
  Manifold m, after;
  m.b = 1;
  fast::find_box_points(first.placed(), second.placed(), 0.05, m);
  const Record r = fast::make_record(m, first, second);
  on_wide = r.base == (small_first ? 1 : 0);
  for (BodyView* view : {&first, &second}) {
    const Pose now{view->center, view->orientation};
    const Pose by{random.vector(0.005), test::turn(random.unit(), random.uniform(0, 0.5))};
    test::move(*view, {now.position + by.position, normalized(by.orientation * now.orientation)});
  }
  after.axis = m.axis;
  fast::find_box_points(first.placed(), second.placed(), 0.2, after);
  EXPECT_EQ(m.count, 4);
  EXPECT_EQ(after.count, 4);
  const BodyView &base = r.base_is_a ? first : second, &probe = r.base_is_a ? second : first;
  Real worst = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    // Which of the new points it is shows where it is.
    Real nearest = 1e300, gap = 1e300;
    for (std::size_t n = 0; n < 4; ++n) {
      const Real away = norm(after.points[n].point - point_of(r, k, probe));
      if (away < nearest) nearest = away, gap = after.points[n].gap;
    }
    worst = std::max(worst, std::abs(gap - gap_of(r, k, base, probe)));
  }
  return worst;
}

TEST(FastRecord, CornersOnAFaceAreFollowedExactly) {
  // Whatever small motion either box makes, a search anew finds the same corners at the gaps that the record gives.
  // Where both faces are as good as parallel, the small box may be the base, and its corners move away from the points
  // on the wide one by the bodies' ways; what that does to the gap is these times the angle between the faces.
  constexpr Real kWay = 2 * 0.005 * 1.8, kAngle = 2 * 0.5 * std::numbers::pi / 180;
  Random random(2);
  int exact = 0;
  for (int i = 0; i < 1000; ++i) {
    bool on_wide = false;
    const Real found = lag(random, i % 2 == 1, on_wide);
    ASSERT_LE(found, on_wide ? kRounding : 3 * kWay * kAngle) << i;
    exact += on_wide ? 1 : 0;
  }
  EXPECT_GT(exact, 300);
}

/// N s, on body 1, and its moment about the origin.
struct Wrench {
  Vec3 force, moment;
};
Wrench wrench_on_second(const Record& r, const BodyView& base, const BodyView& probe) {
  const Vec3 n = base.rotation * test::vector(r.normal_local), t = base.rotation * test::vector(r.tangent_local);
  const Real sign = r.probe == 1 ? 1 : -1;
  Wrench sum;
  for (std::size_t i = 0; i < r.count; ++i) {
    const Vec3 j = sign * (Real{r.normal_impulse[i]} * n + Real{r.tangent_impulse[i]} * t +
                           Real{r.across_impulse[i]} * cross(n, t));
    sum.force += j;
    sum.moment += cross(point_of(r, i, probe), j);
  }
  return sum;
}

TEST(FastRecord, ImpulsesMoveToTheNextRecordAsTheyAre) {
  // A record of the same pair a little later, whichever body is its base: the same push on each body.
  Random random(3);
  const ShapePtr cube = Shape::box({1, 1, 1});
  for (int i = 0; i < 200; ++i) {
    const BodyView a = test::view_of(cube, {}),
                   b = test::view_of(cube, {{0.1, 0.2, 1.001}, test::turn({0, 0, 1}, random.uniform(-20, 20))});
    Manifold m;
    m.b = 1;
    fast::find_box_points(a.placed(), b.placed(), 0.01, m);
    ASSERT_GE(m.count, 4);
    Record from = fast::make_record(m, a, b);
    for (std::size_t k = 0; k < from.count; ++k) {
      from.normal_impulse[k] = static_cast<float>(random.uniform(0, 5));
      from.tangent_impulse[k] = static_cast<float>(random.uniform(-1, 1));
      from.across_impulse[k] = static_cast<float>(random.uniform(-1, 1));
    }
    // The other way round.
    Manifold back;
    back.a = 1;
    fast::find_box_points(b.placed(), a.placed(), 0.01, back);
    Record to = fast::make_record(back, b, a);
    const BodyView& from_base = from.base == 0 ? a : b;
    const BodyView& from_probe = from.base == 0 ? b : a;
    const BodyView& to_base = to.base == 0 ? a : b;
    const BodyView& to_probe = to.base == 0 ? b : a;
    fast::take_impulses(from, 0.1, from_base, from_probe, to_base, to_probe, to);
    const Wrench before = wrench_on_second(from, from_base, from_probe),
                 after = wrench_on_second(to, to_base, to_probe);
    if (from.count != to.count) continue;
    ASSERT_LE(norm(before.force - after.force), 1e-5 * norm(before.force)) << i;
    // Points of the two surfaces lie a gap apart.
    ASSERT_LE(norm(before.moment - after.moment), 1e-2 * norm(before.force)) << i;
  }
}

TEST(FastRecord, FarPointsAndTakenOnesGiveNothing) {
  const ShapePtr cube = Shape::box({1, 1, 1});
  const BodyView a = test::view_of(cube, {}), b = test::view_of(cube, {{0, 0, 1}, {}});
  Manifold m;
  m.b = 1;
  fast::find_box_points(a.placed(), b.placed(), 0.01, m);
  Record from = fast::make_record(m, a, b);
  from.normal_impulse = {1, 2, 3, 4};
  // Slid by half a cube: two corners are gone, and two points are new at the edge.
  const BodyView slid = test::view_of(cube, {{0.5, 0, 1}, {}});
  Manifold other;
  other.b = 1;
  fast::find_box_points(a.placed(), slid.placed(), 0.01, other);
  Record to = fast::make_record(other, a, slid);
  fast::take_impulses(from, 0.1, a, b, a, slid, to);
  Real sum = 0;
  for (const float j : to.normal_impulse) sum += j;
  EXPECT_LE(sum, 10);
  // Two records in a row of one point each take what there is once.
  Record one = from;
  one.count = 2;
  one.arms[1] = one.arms[0];
  one.normal_impulse = {};
  fast::take_impulses(from, 0.1, a, b, a, b, one);
  EXPECT_EQ(one.normal_impulse[0] + one.normal_impulse[1], from.normal_impulse[0]);
}

}  // namespace
}  // namespace carom
