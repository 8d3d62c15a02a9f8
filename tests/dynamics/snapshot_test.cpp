// A world that is given its saved bytes back goes on as if nothing had happened.
#include <cstdint>
#include <string>
#include <vector>

#include "dynamics/scenery.h"

namespace carom::test {
namespace {

constexpr Real kDt = 1.0 / 60;

/// Cubes, balls and capsules that fall on each other: contacts of every kind, warm starts, bodies held back.
World make_heap() {
  World world;
  world.set_default_material(surface(0.5, 0.3));
  add_floor(world);
  add_fixed_box(world, {1, 6, 1}, {-2, 0, 0.5});
  Random random(7);
  for (int i = 0; i < 30; ++i) {
    const Vec3 at{random.uniform(-1, 1), random.uniform(-1, 1), 0.8 + 0.9 * i};
    const ShapePtr shape =
        i % 3 == 0 ? Shape::sphere(0.5) : (i % 3 == 1 ? Shape::box({1, 0.8, 0.6}) : Shape::capsule(0.3, 0.6));
    world.add_body(body(shape, at, {0, 0, -5}));
  }
  return world;
}

std::vector<std::uint64_t> hashes(World& world, int steps) {
  std::vector<std::uint64_t> out;
  for (int i = 0; i < steps; ++i) {
    world.step(kDt);
    out.push_back(world.state_hash());
  }
  return out;
}

TEST(Snapshot, AnotherWorldGoesOnBitForBit) {
  World first = make_heap();
  hashes(first, 90);
  const std::string saved = first.save();
  World second = make_heap();
  ASSERT_EQ(second.restore(saved), "");
  EXPECT_EQ(second.state_hash(), first.state_hash());
  EXPECT_EQ(hashes(second, 200), hashes(first, 200));
}

TEST(Snapshot, TheSameWorldRollsBack) {
  World world = make_heap();
  hashes(world, 60);
  const std::string saved = world.save();
  const std::vector<std::uint64_t> once = hashes(world, 100);
  ASSERT_EQ(world.restore(saved), "");
  EXPECT_EQ(hashes(world, 100), once);
}

TEST(Snapshot, SavingChangesNothing) {
  World watched = make_heap(), left_alone = make_heap();
  for (int i = 0; i < 100; ++i) {
    watched.save();
    watched.step(kDt);
    left_alone.step(kDt);
  }
  EXPECT_EQ(watched.state_hash(), left_alone.state_hash());
}

TEST(Snapshot, KeepsForcesContactsAndTime) {
  World world = make_heap();
  const BodyHandle ball = world.bodies()[2];
  world.set_force(ball, {3, 0, 0}, {0, 1, 0});
  hashes(world, 60);
  World other = make_heap();
  ASSERT_EQ(other.restore(world.save()), "");
  EXPECT_EQ(other.time(), world.time());
  ASSERT_EQ(other.contacts().size(), world.contacts().size());
  ASSERT_FALSE(world.contacts().empty());
  EXPECT_EQ(other.contacts()[0].impulse, world.contacts()[0].impulse);
  EXPECT_EQ(hashes(other, 30), hashes(world, 30)) << "the force was not kept";
}

TEST(Snapshot, RefusesAWorldWithOtherBodies) {
  World world = make_heap(), other = make_heap();
  other.add_body(cube({0, 0, 50}));
  EXPECT_NE(other.restore(world.save()), "");
  World removed = make_heap();
  removed.remove_body(removed.bodies().back());
  EXPECT_NE(removed.restore(world.save()), "");
}

TEST(Snapshot, DamagedBytesAreRefusedAndChangeNothing) {
  World world = make_heap();
  hashes(world, 80);
  const std::string saved = world.save();
  hashes(world, 1);
  const std::uint64_t before = world.state_hash();
  for (std::size_t size = 0; size < saved.size(); size += 1 + saved.size() / 500) {
    EXPECT_NE(world.restore(std::string_view(saved).substr(0, size)), "") << "cut to " << size << " bytes";
    ASSERT_EQ(world.state_hash(), before) << "cut to " << size << " bytes";
  }
  EXPECT_NE(world.restore(saved + "x"), "");
  EXPECT_EQ(world.state_hash(), before);
}

TEST(Snapshot, FlippedBitsNeverCrash) {
  // A recording's checksum keeps such bytes away; a caller of the library has none. Numbers may come out wrong, but
  // every index is checked.
  World world = make_heap();
  hashes(world, 80);
  const std::string saved = world.save();
  Random random(3);
  int accepted = 0;
  for (int i = 0; i < 300; ++i) {
    std::string damaged = saved;
    const auto at = static_cast<std::size_t>(random.uniform(0, static_cast<Real>(saved.size())));
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (i % 8)));
    if (world.restore(damaged).empty()) ++accepted;
    world.step(kDt);
    ASSERT_EQ(world.restore(saved), "");
  }
  EXPECT_GT(accepted, 0);
}

}  // namespace
}  // namespace carom::test
