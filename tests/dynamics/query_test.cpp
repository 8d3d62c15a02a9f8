// Queries on a world against asking every body in turn.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "carom/base/error.h"
#include "dynamics/scenery.h"
#include "geometry/distance.h"
#include "geometry/ray.h"

namespace carom {
namespace {

using test::Random;

ShapePtr random_shape(Random& random) {
  const auto size = [&] { return random.uniform(0.2, 0.8); };
  switch (random.integer(0, 7)) {
    case 0:
      return Shape::sphere(size());
    case 1:
      return Shape::box({size(), size(), size()});
    case 2:
      return Shape::capsule(0.5 * size(), size());
    case 3:
      return Shape::cylinder(size(), size());
    case 4:
      return Shape::cone(size(), size());
    case 5:
      return Shape::ellipsoid({size(), size(), size()});
    case 6: {
      std::vector<Vec3> points;
      for (int i = 0; i < 12; ++i) points.push_back(size() * random.unit());
      return Shape::hull(points);
    }
    default:
      return Shape::compound({{Shape::box({0.3, 0.3, 1}), {{-0.5, 0, 0}, {}}, {}},
                              {Shape::sphere(0.3), {{0.5, 0, 0}, random.rotation()}, {}}});
  }
}

World crowd(Random& random, int bodies, bool plane = true) {
  World world(test::without_gravity());
  if (plane) {
    BodyDef floor = test::body(Shape::plane({0, 0, 1}, -6), {});
    floor.type = BodyType::Fixed;
    world.add_body(floor);
  }
  for (int i = 0; i < bodies; ++i) {
    BodyDef def = test::body(random_shape(random), random.vector(5));
    def.pose.orientation = random.rotation();
    def.type = random.integer(0, 3) == 0 ? BodyType::Fixed : BodyType::Dynamic;
    def.category = std::uint64_t{1} << random.integer(0, 3);
    world.add_body(def);
  }
  return world;
}

Placed placed(const World& world, BodyHandle body) {
  const Pose pose = world.shape_pose(body);
  return {&world.shape(body)->geometry(), pose.position, to_matrix(pose.orientation)};
}

/// Parts of compounds one by one.
std::vector<Placed> parts(const Placed& whole) {
  const auto* compound = std::get_if<Compound>(whole.geometry);
  if (compound == nullptr) return {whole};
  std::vector<Placed> all;
  for (const CompoundPart& part : *compound->parts)
    all.push_back({&part.shape->geometry(), whole.position + whole.rotation * part.pose.position,
                   whole.rotation * to_matrix(part.pose.orientation)});
  return all;
}

Real distance(const Placed& a, const Placed& b) {
  Real least = 1e300;
  for (const Placed& pa : parts(a))
    for (const Placed& pb : parts(b)) least = std::min(least, signed_distance(pa, pb).distance);
  return least;
}

bool sees(const World& world, BodyHandle body, const QueryFilter& filter) {
  return (world.category(body) & filter.mask) != 0 && body != filter.ignored;
}

/// All hits, by asking every body.
std::vector<std::pair<Real, BodyHandle>> all_hits(const World& world, const Ray& ray, const QueryFilter& filter) {
  std::vector<std::pair<Real, BodyHandle>> hits;
  for (const BodyHandle body : world.bodies()) {
    const Placed at = placed(world, body);
    const Vec3 direction = normalized(ray.direction);
    const auto hit = cross_ray(*at.geometry, transposed_times(at.rotation, ray.origin - at.position),
                               transposed_times(at.rotation, direction), ray.length);
    if (hit && sees(world, body, filter)) hits.emplace_back(hit->distance, body);
  }
  std::sort(hits.begin(), hits.end());
  return hits;
}

TEST(Query, RaysFindWhatAskingEveryBodyFinds) {
  Random random(1);
  World world = crowd(random, 300);
  for (int i = 0; i < 400; ++i) {
    if (i == 200) test::run(world, 0.05, 0.01);  // bodies have moved since
    const Ray ray{random.vector(8), random.vector(2), random.coin() ? random.uniform(0.5, 10) : 1e300};
    const QueryFilter filter{static_cast<std::uint64_t>(random.integer(1, 15)),
                             random.coin() ? world.bodies()[5] : BodyHandle{}};
    const auto expected = all_hits(world, ray, filter);
    const auto all = world.cast_ray_all(ray, filter);
    ASSERT_EQ(all.size(), expected.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
      ASSERT_EQ(all[k].distance, expected[k].first);
      ASSERT_EQ(all[k].body, expected[k].second);
      ASSERT_LT(norm(all[k].point - (ray.origin + all[k].distance * normalized(ray.direction))), 1e-12);
    }
    const auto first = world.cast_ray(ray, filter);
    ASSERT_EQ(first.has_value(), !expected.empty());
    ASSERT_EQ(world.is_ray_blocked(ray, filter), !expected.empty());
    if (first) {
      ASSERT_EQ(first->distance, expected[0].first);
      ASSERT_EQ(first->body, expected[0].second);
      ASSERT_EQ(first->normal, all[0].normal);
    }
  }
}

TEST(Query, OverlapsAndNearestBodiesAreThoseOfAskingEveryBody) {
  Random random(2);
  World world = crowd(random, 150);
  for (int i = 0; i < 60; ++i) {
    const ShapePtr shape = random_shape(random);
    const Pose pose = random.pose(6);
    const Placed query{&shape->geometry(), pose.position, to_matrix(pose.orientation)};
    std::set<BodyHandle> touching;
    Real least = 1e300;
    for (const BodyHandle body : world.bodies()) {
      const Real d = distance(query, placed(world, body));
      least = std::min(least, d);
      if (d <= 0) touching.insert(body);
    }
    const auto found = world.overlaps(*shape, pose);
    ASSERT_EQ(std::set<BodyHandle>(found.begin(), found.end()), touching);
    const auto nearest = world.closest_body(*shape, pose);
    ASSERT_TRUE(nearest);
    ASSERT_NEAR(nearest->distance, least, 1e-12);  // the query normalises its orientation
    ASSERT_LT(norm(nearest->on_query - nearest->on_body - nearest->distance * nearest->normal), 1e-9);
    ASSERT_EQ(world.closest_body(*shape, pose, 0.01).has_value(), least <= 0.01);
    // A point is a ball without size.
    const auto to_point = world.closest_body(pose.position, 1e300);
    ASSERT_TRUE(to_point);
    const Shape::Geometry dot_shape = Sphere{0};
    Real to_point_least = 1e300;
    for (const BodyHandle body : world.bodies())
      to_point_least =
          std::min(to_point_least, distance({&dot_shape, pose.position, Mat3::identity()}, placed(world, body)));
    ASSERT_NEAR(to_point->distance, to_point_least, 1e-12);
  }
}

TEST(Query, CastShapesStopWhereTheyTouch) {
  Random random(3);
  World world = crowd(random, 60);
  int hits = 0;
  for (int i = 0; i < 60; ++i) {
    const ShapePtr shape = random_shape(random);
    const Pose start = random.pose(6);
    const Vec3 translation = random.vector(6);
    const auto hit = world.cast_shape(*shape, start, translation);
    const auto gap_at = [&](Real fraction) {
      const Placed query{&shape->geometry(), start.position + fraction * translation, to_matrix(start.orientation)};
      Real least = 1e300;
      for (const BodyHandle body : world.bodies()) least = std::min(least, distance(query, placed(world, body)));
      return least;
    };
    const Real end = hit ? hit->fraction : 1;
    // Nothing is touched on the way, and at the end something is.
    if (end > 0) {
      for (int k = 0; k < 40; ++k) ASSERT_GT(gap_at(end * k / 40), -1e-8);
    }
    if (!hit) continue;
    ++hits;
    ASSERT_LT(gap_at(end), 1e-7);
    ASSERT_NEAR(norm(hit->normal), 1, 1e-12);
    if (end > 0) {
      ASSERT_LE(dot(hit->normal, translation), 1e-9);
      const Shape::Geometry dot_shape = Sphere{0};
      ASSERT_NEAR(distance({&dot_shape, hit->point, Mat3::identity()}, placed(world, hit->body)), 0, 1e-7);
    }
  }
  EXPECT_GT(hits, 20);
}

TEST(Query, ACastBallStopsAtItsRadius) {
  World world(test::without_gravity());
  const BodyHandle wall = test::add_fixed_box(world, {1, 10, 10}, {5, 0, 0});
  const auto hit = world.cast_shape(*Shape::sphere(0.5), {}, {10, 0, 0});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->body, wall);
  EXPECT_NEAR(hit->fraction, 0.4, 1e-10);
  EXPECT_NEAR(hit->normal.x, -1, 1e-12);
  EXPECT_NEAR(hit->point.x, 4.5, 1e-12);
  EXPECT_FALSE(world.cast_shape(*Shape::sphere(0.5), {}, {3.9, 0, 0}));
  EXPECT_FALSE(world.cast_shape(*Shape::sphere(0.5), {}, {-10, 0, 0}));
  EXPECT_FALSE(world.cast_shape(*Shape::sphere(0.5), {{0, 5.6, 0}, {}}, {10, 0, 0}));
}

TEST(Query, SeesBodiesAsTheyAreNow) {
  World world(test::without_gravity());
  const Ray ray{{0, 0, 10}, {0, 0, -1}};
  EXPECT_FALSE(world.cast_ray(ray));
  const BodyHandle cube = world.add_body(test::cube({0, 0, 0}, {0, 0, 1}));
  EXPECT_NEAR(world.cast_ray(ray)->distance, 9.5, 1e-14);
  ASSERT_TRUE(world.step(0.5).finite);
  EXPECT_NEAR(world.cast_ray(ray)->distance, 9, 1e-12);
  const std::string saved = world.save();
  world.set_state(cube, {{3, 0, 0}, {}, {}, {}});
  EXPECT_FALSE(world.cast_ray(ray));
  ASSERT_EQ(world.restore(saved), "");
  EXPECT_NEAR(world.cast_ray(ray)->distance, 9, 1e-12);
  world.remove_body(cube);
  EXPECT_FALSE(world.cast_ray(ray));
}

TEST(Query, EmptyQuestionsAreRefused) {
  World world;
  EXPECT_THROW((void)world.cast_ray({{}, {0, 0, 0}, 1}), Error);
  EXPECT_THROW((void)world.cast_ray({{}, {0, 0, 1}, 0}), Error);
  EXPECT_THROW((void)world.cast_ray({{}, {0, 0, 1}, -1}), Error);
  EXPECT_THROW((void)world.cast_ray({{NAN, 0, 0}, {0, 0, 1}, 1}), Error);
  EXPECT_THROW((void)world.cast_shape(*Shape::sphere(1), {}, {}), Error);
  EXPECT_THROW((void)world.overlaps(*Shape::plane({0, 0, 1}, 0), {}), Error);
  EXPECT_THROW((void)world.closest_body(Vec3{}, -1), Error);
}

TEST(Query, SeveralThreadsMayAskAtOnce) {
  Random random(4);
  World world = crowd(random, 200);
  const Ray ray{{-9, 0.3, 0.2}, {1, 0, 0}};
  const auto expected = all_hits(world, ray, {});
  std::vector<std::thread> threads;
  std::vector<std::size_t> found(4);
  for (std::size_t t = 0; t < found.size(); ++t)
    threads.emplace_back([&, t] { found[t] = world.cast_ray_all(ray).size(); });
  for (std::thread& thread : threads) thread.join();
  for (const std::size_t hits : found) EXPECT_EQ(hits, expected.size());
}

TEST(Query, AskingDoesNotChangeTheRun) {
  Random random(5);
  World asked = crowd(random, 60);
  Random again(5);
  World left_alone = crowd(again, 60);
  for (int i = 0; i < 10; ++i) {
    (void)asked.cast_ray_all({{-9, 0, 0}, {1, 0, 0}});
    asked.step(0.01);
    left_alone.step(0.01);
    ASSERT_EQ(asked.state_hash(), left_alone.state_hash());
  }
}

TEST(Filter, BodiesCollideOnlyWhereBothMasksAccept) {
  const auto rests = [](std::uint64_t category, std::uint64_t mask, std::uint64_t floor_category,
                        std::uint64_t floor_mask) {
    World world;
    BodyDef floor = test::body(Shape::plane({0, 0, 1}, 0), {});
    floor.type = BodyType::Fixed;
    floor.category = floor_category;
    floor.mask = floor_mask;
    world.add_body(floor);
    BodyDef def = test::cube({0, 0, 0.5});
    def.category = category;
    def.mask = mask;
    const BodyHandle cube = world.add_body(def);
    test::run(world, 0.5, 0.01);
    return world.state(cube).position.z > 0.4;
  };
  EXPECT_TRUE(rests(1, ~0ULL, 1, ~0ULL));
  EXPECT_TRUE(rests(2, 4, 4, 2));
  EXPECT_FALSE(rests(2, 4, 4, 1));
  EXPECT_FALSE(rests(2, 1, 4, 2));
  EXPECT_FALSE(rests(1, 0, 1, ~0ULL));
  EXPECT_TRUE(rests(1ULL << 63, 1ULL << 62, 1ULL << 62, 1ULL << 63));
}

TEST(Filter, CanBeChangedWhileBodiesTouch) {
  World world;
  const BodyHandle floor = test::add_floor(world);
  const BodyHandle cube = world.add_body(test::cube({0, 0, 0.5}));
  test::run(world, 0.2, 0.01);
  EXPECT_EQ(world.category(floor), 1U);
  world.set_filter(floor, 2, 2);
  test::run(world, 0.5, 0.01);
  EXPECT_LT(world.state(cube).position.z, 0);
  world.set_filter(cube, 2, ~0ULL);
  world.set_state(cube, {{0, 0, 0.5}, {}, {}, {}});
  test::run(world, 0.5, 0.01);
  EXPECT_NEAR(world.state(cube).position.z, 0.5, 1e-3);
}

}  // namespace
}  // namespace carom
