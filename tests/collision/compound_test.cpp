// Compounds: a manifold for every pair of parts that touch, with names that tell them apart.
#include <gtest/gtest.h>

#include <set>

#include "carom/base/error.h"
#include "collision/placing.h"

namespace carom {
namespace {

using test::Random;
using test::Thing;

/// A top of 2 × 1 on four legs 1 high; its frame's origin is on the floor.
ShapePtr table() {
  std::vector<CompoundPart> parts = {{Shape::box({2, 1, 0.1}), {{0, 0, 1.05}, {}}, {}}};
  for (const Real x : {-0.9, 0.9})
    for (const Real y : {-0.4, 0.4}) parts.push_back({Shape::cylinder(0.1, 1), {{x, y, 0.5}, {}}, {}});
  return Shape::compound(std::move(parts));
}

std::vector<Manifold> all_contacts(const Thing& a, const Thing& b, Real margin,
                                   const std::vector<Manifold>& previous = {}) {
  std::vector<Manifold> all;
  collide_all(a.placed(), b.placed(), margin, previous, all);
  return all;
}

Thing part(const Thing& whole, std::size_t index) {
  const CompoundPart& p = (*std::get<Compound>(whole.shape->geometry()).parts)[index];
  return {p.shape, test::compose(whole.pose, p.pose)};
}

TEST(Compounds, TableStandsOnItsFourLegs) {
  const std::vector<Thing> floors = {{Shape::plane({0, 0, 1}, 0), {}}, {Shape::box({9, 9, 2}), {{0, 0, -1}, {}}}};
  for (const Thing& floor : floors) {
    const std::vector<Manifold> all = all_contacts(floor, {table(), {}}, 0.01);
    ASSERT_EQ(all.size(), 4U);
    std::set<std::uint16_t> names;
    for (std::size_t leg = 0; leg < 4; ++leg) {
      EXPECT_EQ(all[leg].part, leg + 1);
      EXPECT_EQ(all[leg].count, 4);
      EXPECT_LE(norm(all[leg].normal - Vec3{0, 0, 1}), 1e-12);
      for (int i = 0; i < all[leg].count; ++i) {
        EXPECT_NEAR(all[leg].points[static_cast<std::size_t>(i)].gap, 0, 1e-12);
        names.insert(all[leg].name(i));
      }
    }
    EXPECT_EQ(names.size(), 16U);
  }
}

TEST(Compounds, PartsHaveNormalsOfTheirOwn) {
  // A corner of two boards, and a cube in it.
  const Thing corner{Shape::compound({{Shape::box({2, 2, 0.1}), {{0, 0, -0.05}, {}}, {}},
                                      {Shape::box({0.1, 2, 2}), {{-0.55, 0, 1}, {}}, {}}}),
                     {}};
  const std::vector<Manifold> all = all_contacts(corner, {Shape::box({1, 1, 1}), {{0, 0, 0.5}, {}}}, 0.01);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].part, 0U << 16);
  EXPECT_LE(norm(all[0].normal - Vec3{0, 0, 1}), 1e-12);
  EXPECT_EQ(all[1].part, 1U << 16);
  EXPECT_LE(norm(all[1].normal - Vec3{1, 0, 0}), 1e-12);
}

/// Many small parts of all kinds, more than are remembered at once.
Thing cloud(Random& random, int count) {
  std::vector<CompoundPart> parts;
  for (int i = 0; i < count; ++i) {
    int kind = random.integer(0, 6);
    if (kind >= 3) ++kind;  // no planes
    parts.push_back({test::random_shape(random, kind), random.pose(3), {}});
  }
  return {Shape::compound(std::move(parts)), random.pose(1)};
}

TEST(Compounds, HaveTheContactsOfAllPairsOfTheirParts) {
  Random random(5);
  for (const int count : {1, 3, 20, 70}) {
    for (int i = 0; i < 20; ++i) {
      const Thing a = cloud(random, count), b = cloud(random, count);
      const std::vector<Manifold> all = all_contacts(a, b, 0.1);
      std::size_t next = 0;
      for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
        for (std::size_t l = 0; l < static_cast<std::size_t>(count); ++l) {
          const Manifold expected = test::contacts(part(a, k), part(b, l), 0.1);
          if (expected.count == 0) continue;
          ASSERT_LT(next, all.size());
          EXPECT_EQ(all[next].part, k << 16 | l);
          ASSERT_EQ(all[next].count, expected.count);
          EXPECT_NEAR(test::least_gap(all[next]), test::least_gap(expected), 1e-9);
          ++next;
        }
      }
      EXPECT_EQ(next, all.size());
    }
  }
}

TEST(Compounds, HintsComeFromTheManifoldOfTheSameParts) {
  // Cubes at rest on each other have an axis to prefer; each pair of parts finds its own among those of the last step.
  const auto pair_of_cubes = [] {
    return Shape::compound(
        {{Shape::box({1, 1, 1}), {{-1, 0, 0}, {}}, {}}, {Shape::box({1, 1, 1}), {{1, 0, 0}, {}}, {}}});
  };
  const Thing below{pair_of_cubes(), {}}, above{pair_of_cubes(), {{0, 0, 1}, {}}};
  std::vector<Manifold> before = all_contacts(below, above, 0.01);
  ASSERT_EQ(before.size(), 2U);
  for (Manifold& m : before) EXPECT_NE(m.axis, 0);
  const std::vector<Manifold> after = all_contacts(below, above, 0.01, before);
  ASSERT_EQ(after.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(after[i].axis, before[i].axis);
    for (int k = 0; k < after[i].count; ++k)
      EXPECT_EQ(after[i].points[static_cast<std::size_t>(k)].feature,
                before[i].points[static_cast<std::size_t>(k)].feature);
  }
}

TEST(Compounds, NeedTheFunctionThatGivesSeveralManifolds) {
  Manifold m;
  const Thing whole{table(), {}}, floor{Shape::plane({0, 0, 1}, 0), {}};
  EXPECT_THROW(collide(floor.placed(), whole.placed(), 0.01, m), Error);
}

TEST(Compounds, OneShapeAloneIsAPairOfItsOwn) {
  const Thing a{Shape::box({1, 1, 1}), {}}, b{Shape::cylinder(0.5, 1), {{0, 0, 1}, {}}};
  const std::vector<Manifold> all = all_contacts(a, b, 0.01);
  const Manifold one = test::contacts(a, b, 0.01);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].part, 0U);
  ASSERT_EQ(all[0].count, one.count);
  for (int i = 0; i < one.count; ++i) EXPECT_EQ(all[0].name(i), one.points[static_cast<std::size_t>(i)].feature);
}

}  // namespace
}  // namespace carom
