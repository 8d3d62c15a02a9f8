#include "io/walls.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "io/export_run.h"

namespace carom {
namespace {

/// A ball that flies from one point to another past one fixed body.
bool is_wall(const ShapePtr& shape, const Pose& pose, const Vec3& from, const Vec3& to,
             const Vec3& gravity = {0, 0, -9.81}) {
  Cast cast;
  cast.gravity = gravity;
  test::add_body(cast, "fixed", BodyType::Fixed, shape);
  test::add_body(cast, "ball", BodyType::Dynamic, Shape::sphere(0.1));
  PoseTracks tracks(cast);
  for (int i = 0; i <= 10; ++i) {
    Frame frame;
    frame.time = i;
    frame.bodies = {{pose.position, pose.orientation, {}, {}}, {from + i / 10.0 * (to - from), {}, {}, {}}};
    tracks.add(frame);
  }
  const std::vector<bool> walls = find_walls(cast, tracks);
  EXPECT_FALSE(walls[1]) << "a body that moves is none";
  return walls[0];
}

TEST(Walls, FloorsAndRampsAreNone) {
  EXPECT_FALSE(is_wall(Shape::box({10, 10, 1}), {{0, 0, -0.5}, {}}, {0, 0, 5}, {4.9, 4.9, 0.1}));
  EXPECT_FALSE(is_wall(Shape::plane({0, 0, 1}, 0), {}, {0, 0, 5}, {400, 0, 0.1}));
  const Quat slope = test::turn({0, 1, 0}, 30);
  const Vec3 along = rotate(slope, {1, 0, 0}), normal = rotate(slope, {0, 0, 1});
  EXPECT_FALSE(is_wall(Shape::box({10, 10, 1}), {{}, slope}, 4 * along + 0.6 * normal, -4 * along + 0.6 * normal));
}

TEST(Walls, WhatStandsBesideOrAboveTheActionIsOne) {
  EXPECT_TRUE(is_wall(Shape::box({1, 10, 10}), {{3, 0, 5}, {}}, {0, 0, 5}, {0, 0, 0.1}));
  EXPECT_TRUE(is_wall(Shape::box({10, 10, 1}), {{0, 0, 6}, {}}, {0, 0, 5}, {0, 0, 0.1}));
  EXPECT_TRUE(is_wall(Shape::plane({1, 0, 0}, -2), {}, {0, 0, 5}, {0, 0, 0.1}));
  // Below at the start, but passed by on the way down.
  EXPECT_TRUE(is_wall(Shape::sphere(1), {{0, 0, 2}, {}}, {0.1, 0, 5}, {3, 0, 0}));
  EXPECT_TRUE(is_wall(Shape::capsule(0.5, 2), {{0, 0, 2}, {}}, {0.1, 0, 5}, {3, 0, 0}));
}

TEST(Walls, EveryShapeCanBeAFloorOrAWall) {
  const std::vector<Vec3> block{{-5, -5, -1}, {5, -5, -1}, {-5, 5, -1}, {5, 5, -1},
                                {-5, -5, 0},  {5, -5, 0},  {-5, 5, 0},  {5, 5, 0}};
  const Pose below{{0, 0, -0.5}, {}};
  const ShapePtr slab = Shape::box({10, 10, 1});
  const std::pair<ShapePtr, Pose> floors[] = {{Shape::cylinder(5, 1), below},
                                              {Shape::cone(9, 4), {{0, 0, -2}, {}}},
                                              {Shape::ellipsoid({50, 50, 5}), {{0, 0, -5}, {}}},
                                              {Shape::hull(block), {}},
                                              {Shape::compound({{slab, below, {}}}), {}}};
  for (const auto& [shape, pose] : floors) {
    EXPECT_FALSE(is_wall(shape, pose, {0, 0, 5}, {1, 1, 0.2})) << shape->geometry().index();
    EXPECT_TRUE(is_wall(shape, pose, {0, 0, -15}, {1, 1, -12})) << shape->geometry().index() << ": seen from below";
  }
  const ShapePtr tray = Shape::compound({{slab, below, {}}, {Shape::box({1, 10, 4}), {{5.5, 0, 2}, {}}, {}}});
  EXPECT_FALSE(is_wall(tray, {}, {0, 0, 3}, {0, 0, 0.5})) << "the floor is nearer";
  EXPECT_TRUE(is_wall(tray, {}, {0, 0, 3}, {4.8, 0, 2})) << "its rim stands beside";
}

TEST(Walls, UpIsWhereGravityComesFrom) {
  const ShapePtr slab = Shape::box({1, 10, 10});
  EXPECT_FALSE(is_wall(slab, {{-3, 0, 0}, {}}, {0, 0, 0}, {-2, 0, 0}, {-9.81, 0, 0}));
  EXPECT_TRUE(is_wall(slab, {{3, 0, 0}, {}}, {0, 0, 0}, {-2, 0, 0}, {-9.81, 0, 0}));
  EXPECT_TRUE(is_wall(slab, {{-3, 0, 0}, {}}, {0, 0, 0}, {-2, 0, 0}, {0, 0, 0})) << "without gravity z is up";
}

}  // namespace
}  // namespace carom
