// Pairs against trying all, through motion of every kind; and what an update costs, in boxes looked at.
#include "collision/broad_phase.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <set>

#include "support/random.h"

namespace carom {
namespace {

using test::Random;
using Pair = BroadPhase::Pair;

constexpr PairRole kFixed{false, false};
constexpr PairRole kDynamic{true, true};
constexpr PairRole kKinematic{true, false};

Aabb cube_at(const Vec3& center, Real half) {
  const Vec3 h{half, half, half};
  return {center - h, center + h};
}

/// A broad phase with a plain list beside it.
struct Checked {
  struct Body {
    Aabb box;
    std::optional<HalfSpace> plane;
    PairRole role;
  };
  BroadPhase broad;
  std::vector<std::optional<Body>> bodies;

  void place(std::size_t i, const Aabb& box, const PairRole& role, const Vec3& sweep = {}) {
    if (i >= bodies.size()) bodies.resize(i + 1);
    const Aabb swept = box.swept(sweep, 0);
    bodies[i] = Body{swept, {}, role};
    broad.place(static_cast<std::int32_t>(i), swept, sweep, role);
  }
  void place_plane(std::size_t i, const HalfSpace& plane) {
    if (i >= bodies.size()) bodies.resize(i + 1);
    bodies[i] = Body{{}, plane, kFixed};
    broad.place_half_space(static_cast<std::int32_t>(i), plane, kFixed);
  }
  void remove(std::size_t i) {
    bodies[i].reset();
    broad.remove(static_cast<std::int32_t>(i));
  }

  std::vector<Pair> all_pairs() const {
    std::set<Pair> pairs;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      for (std::size_t k = i + 1; k < bodies.size(); ++k) {
        if (!bodies[i] || !bodies[k]) continue;
        const Body &a = *bodies[i], &b = *bodies[k];
        if (!may_pair(a.role, b.role)) continue;
        const bool touch = a.plane   ? !b.plane && a.plane->touches(b.box)
                           : b.plane ? b.plane->touches(a.box)
                                     : a.box.overlaps(b.box);
        const auto first = static_cast<std::int32_t>(i), second = static_cast<std::int32_t>(k);
        if (touch) pairs.insert(a.role.moves ? Pair{first, second} : Pair{second, first});
      }
    }
    return {pairs.begin(), pairs.end()};
  }
  void expect_same(ThreadPool* threads = nullptr) {
    std::vector<Pair> found;
    broad.update(threads);
    broad.candidates(threads, found);
    ASSERT_EQ(found, all_pairs());
  }
};

PairRole random_role(Random& random) {
  const int kind = random.integer(0, 9);
  PairRole role = kind == 0 ? kFixed : (kind == 1 ? kKinematic : kDynamic);
  role.frozen = kind > 6;
  if (random.integer(0, 3) == 0) {
    role.category = 1U << random.integer(0, 2);
    role.mask = static_cast<std::uint64_t>(random.integer(0, 7));
  }
  return role;
}

TEST(BroadPhase, PairsAreThoseOfTryingAllThroughEveryKindOfChange) {
  Random random(1);
  Checked checked;
  ThreadPool pool(2);
  constexpr std::size_t kBodies = 200;
  std::vector<Vec3> at(kBodies);
  for (std::size_t i = 0; i < kBodies; ++i)
    checked.place(i, cube_at(at[i] = random.vector(4), random.uniform(0.1, 0.6)), random_role(random));
  checked.expect_same();
  for (int round = 0; round < 150; ++round) {
    // A few or (every tenth time) all: both ways of updating.
    const int changes = round % 10 == 9 ? 400 : random.integer(0, 20);
    std::set<int> touched;  // at most one change a body and update
    for (int c = 0; c < changes; ++c) {
      const int body = random.integer(0, kBodies - 1);
      if (!touched.insert(body).second) continue;
      const auto i = static_cast<std::size_t>(body);
      const PairRole role = checked.bodies[i] ? checked.bodies[i]->role : random_role(random);
      switch (random.integer(0, 7)) {
        case 0:
          checked.remove(i);
          break;
        case 1:  // elsewhere
          checked.place(i, cube_at(at[i] = random.vector(4), 0.3), role);
          break;
        case 2:  // another body in its place
          checked.place(i, cube_at(at[i], random.scale(0.01, 8)), random_role(random));
          break;
        case 3:
          checked.place_plane(i, {random.unit(), random.uniform(-4, 2)});
          break;
        case 4:  // fast
          checked.place(i, cube_at(at[i], 0.2), role, random.vector(20));
          break;
        case 5: {  // frozen or revived where it is
          PairRole other = role;
          other.frozen = !role.frozen;
          checked.place(i, cube_at(at[i], 0.3), other);
          break;
        }
        default:  // a little
          checked.place(i, cube_at(at[i] += random.vector(0.05), 0.3), role);
      }
    }
    checked.expect_same(round % 2 == 0 ? nullptr : &pool);
  }
}

TEST(BroadPhase, PairsDoNotDependOnWhatWasBefore) {
  Random random(2);
  Checked moved;
  for (int step = 0; step < 20; ++step) {
    for (std::size_t i = 0; i < 300; ++i) {
      if (step > 0 && i % 7 != 0) continue;
      moved.place(i, cube_at(random.vector(4), 0.4), kDynamic, random.vector(step % 3 == 0 ? 5 : 0.1));
    }
    moved.broad.update(nullptr);
  }
  Checked fresh;
  for (std::size_t i = 0; i < 300; ++i) fresh.place(i, moved.bodies[i]->box, kDynamic);
  fresh.broad.update(nullptr);
  std::vector<Pair> a, b;
  moved.broad.candidates(nullptr, a);
  fresh.broad.candidates(nullptr, b);
  EXPECT_EQ(a, b);
}

TEST(BroadPhase, FrozenBodiesPairWithWhatIsAwakeAndCostNothing) {
  Checked checked;
  PairRole frozen = kDynamic;
  frozen.frozen = true;
  for (std::size_t i = 0; i < 1000; ++i) checked.place(i, cube_at({static_cast<Real>(i), 0, 0}, 0.5), frozen);
  checked.place(1000, {{-1, -1, -2}, {1000, 1, -0.5}}, kFixed);
  checked.expect_same();
  EXPECT_TRUE(checked.broad.awake().empty());
  checked.place(500, cube_at({500, 0, 0}, 0.5), kDynamic);
  checked.expect_same();
  // Named as if all were awake: the smaller index first, bodies that never move last.
  std::vector<Pair> found;
  checked.broad.candidates(nullptr, found);
  EXPECT_EQ(found, (std::vector<Pair>{{499, 500}, {500, 501}, {500, 1000}}));
  checked.place(500, cube_at({500, 0, 0}, 0.5), frozen);
  checked.expect_same();
}

TEST(BroadPhase, FiltersActBothWays) {
  Checked checked;
  const Aabb box = cube_at({}, 1);
  checked.place(0, box, {true, true, 0b01, 0b10});
  checked.place(1, box, {true, true, 0b10, 0b01});
  checked.place(2, box, {true, true, 0b10, 0b10});  // 0 accepts it, it does not accept 0
  checked.expect_same();
  std::vector<Pair> found;
  checked.broad.candidates(nullptr, found);
  EXPECT_EQ(found, (std::vector<Pair>{{0, 1}}));
}

/// A floor of n × n cubes that touch their neighbours, on one wide slab and over one plane.
void add_floor(Checked& checked, std::size_t n) {
  for (std::size_t i = 0; i < n * n; ++i) {
    const std::size_t row = i / n;
    checked.place(i, cube_at({static_cast<Real>(i % n), static_cast<Real>(row), 0.5}, 0.5), kDynamic);
  }
  const auto side = static_cast<Real>(n);
  checked.place(n * n, {{-1, -1, -1}, {side, side, 0}}, kFixed);
  checked.place_plane(n * n + 1, {{0, 0, 1}, -1});
  checked.broad.update(nullptr);
}

/// The most boxes looked at in an update in which 100 bodies fly over n² resting ones.
std::int64_t work_of_movers(std::size_t n, std::int64_t& moved) {
  Checked checked;
  add_floor(checked, n);
  Random random(3);
  const std::size_t first = n * n + 2;
  std::vector<Vec3> at(100);
  for (Vec3& p : at) p = {random.uniform(0, static_cast<Real>(n)), random.uniform(0, static_cast<Real>(n)), 1.2};
  std::int64_t most = 0;
  for (int step = 0; step < 20; ++step) {
    for (std::size_t i = 0; i < at.size(); ++i) {
      const Vec3 sweep{i % 2 == 0 ? 0.3 : -0.3, 0.2, 0};
      checked.place(first + i, cube_at(at[i] += sweep, 0.5), kDynamic, sweep);
    }
    checked.broad.update(nullptr);
    if (step == 0) continue;  // the bodies are new
    const BroadPhase::Work& work = checked.broad.work();
    EXPECT_FALSE(work.rebuilt);
    most = std::max(most, work.box_tests + work.tree_steps + work.pair_changes);
    moved += work.moved;
  }
  return most;
}

TEST(BroadPhase, AnUpdateCostsWhatMovesAndNotWhatRests) {
  std::int64_t moved_small = 0, moved_large = 0;
  const std::int64_t small = work_of_movers(32, moved_small);   // a thousand at rest
  const std::int64_t large = work_of_movers(320, moved_large);  // a hundred thousand
  EXPECT_GT(moved_large, 100);
  // A tree a hundred times as large has log2(100) = 7 levels more than the small one's 10.
  EXPECT_LT(large, 2 * small);
  EXPECT_LT(large, 100 * 500);  // of 200 000 nodes
}

TEST(BroadPhase, WhatRestsCostsNothing) {
  Checked checked;
  add_floor(checked, 50);
  Random random(4);
  for (int step = 0; step < 5; ++step) {
    for (std::size_t i = 0; i < 2500; ++i) {
      const std::size_t row = i / 50;
      const Vec3 at{static_cast<Real>(i % 50), static_cast<Real>(row), 0.5};
      checked.place(i, cube_at(at + random.vector(1e-3), 0.5), kDynamic);
    }
    checked.broad.update(nullptr);
    EXPECT_EQ(checked.broad.work().moved, 0);
    EXPECT_EQ(checked.broad.work().box_tests, 0);
  }
}

TEST(BroadPhase, AFastBodyDoesNotMakeTheOthersDear) {
  // The cost of a hundred slow movers with ten bodies beside them that cross the whole scene in a step, less what those
  // ten have to look at themselves.
  const auto work_with = [](int fast) {
    Checked checked;
    add_floor(checked, 100);
    std::int64_t work = 0;
    for (int step = 0; step < 5; ++step) {
      for (std::size_t i = 0; i < 100; ++i)
        checked.place(20000 + i, cube_at({static_cast<Real>(i), 50.0 + step, 3}, 0.5), kDynamic);
      for (int i = 0; i < fast; ++i)
        checked.place(30000 + static_cast<std::size_t>(i), cube_at({0, 1.0 * i, 1.1 + 0.1 * step}, 0.05), kDynamic,
                      {100, 80, 5});
      checked.broad.update(nullptr);
      if (step > 0) work = checked.broad.work().box_tests;
    }
    return work;
  };
  const std::int64_t without = work_with(0), with = work_with(10);
  constexpr std::int64_t kOwn = 2 * 10 * 2 * 10000;  // before and after, ten boxes over all leaves and their ancestors
  // Each of the ten is found by every slow mover, twice, with at most twice the tree's height of ancestors.
  EXPECT_LT(with, without + kOwn + 2 * 100 * 10 * 2 * 30);
}

TEST(BroadPhase, ABodyThatSlowsDownGivesItsRoomBack) {
  Checked checked;
  add_floor(checked, 30);
  checked.place(5000, cube_at({0, 0, 5}, 0.5), kDynamic, {25, 25, 0});
  checked.broad.update(nullptr);
  checked.place(5000, cube_at({25, 25, 5}, 0.5), kDynamic);
  checked.broad.update(nullptr);
  EXPECT_EQ(checked.broad.work().moved, 1);
  checked.expect_same();
}

TEST(BroadPhase, PlanesPairWithWhatIsNearAlone) {
  Checked checked;
  checked.place_plane(0, {{0, 0, 1}, 0});
  for (std::size_t i = 1; i <= 1000; ++i) checked.place(i, cube_at({0, 0, static_cast<Real>(i)}, 0.4), kDynamic);
  checked.expect_same();
  checked.place(1000, cube_at({0, 0, 0.3}, 0.4), kDynamic);
  checked.expect_same();
  EXPECT_LT(checked.broad.work().box_tests, 200);
}

TEST(BroadPhase, OneBoxOverAllCostsItsPairs) {
  Checked checked;
  add_floor(checked, 30);
  checked.place(5000, {{-1, -1, -1}, {40, 40, 40}}, kDynamic);
  checked.expect_same();
  // Small ones under it move as before.
  checked.place(7, cube_at({7, 0, 3}, 0.5), kDynamic);
  checked.broad.update(nullptr);
  EXPECT_LT(checked.broad.work().box_tests, 400);
}

}  // namespace
}  // namespace carom
