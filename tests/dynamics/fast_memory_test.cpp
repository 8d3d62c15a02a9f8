// What memory the suite `fast` takes: nothing new in a step like the last ones, and little for each body and contact.
#include <atomic>
#include <cstdlib>
#include <new>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "dynamics/suites_scenery.h"
#include "support/slow_build.h"

// Sanitizers have operators of their own; elsewhere the size of a block is not known.
#if !CAROM_SLOW_BUILD && defined(__GLIBC__)
#define CAROM_COUNTS_MEMORY 1
#else
#define CAROM_COUNTS_MEMORY 0
#endif

namespace {
std::atomic<long> allocations{0};
std::atomic<long> bytes{0};  // in use
}  // namespace

#if CAROM_COUNTS_MEMORY
namespace {
void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  allocations.fetch_add(1, std::memory_order_relaxed);
  bytes.fetch_add(static_cast<long>(malloc_usable_size(memory)), std::memory_order_relaxed);
  return memory;
}
void release(void* memory) noexcept {
  if (memory != nullptr) bytes.fetch_sub(static_cast<long>(malloc_usable_size(memory)), std::memory_order_relaxed);
  std::free(memory);
}
}  // namespace

void* operator new(std::size_t size) { return counted(std::malloc(size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto align = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(align, (size + align - 1) / align * align));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
#endif

namespace carom::test {
namespace {

constexpr Real kDt = 1.0 / 60;

/// Layers of boxes like bricks in a wall, each on four others, on a floor: `side` × `side` in a layer.
World bricks(int side, int layers, int threads = 1, const Settings& settings = {}) {
  World world = world_with("fast", settings, threads);
  world.set_default_material(surface(0.5));
  add_floor(world);
  const ShapePtr brick = Shape::box({1, 1, 0.5});
  for (int z = 0; z < layers; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const Real shift = 0.5 * (z % 2);
        world.add_body(body(brick, {1.02 * x + shift, 1.02 * y + shift, 0.25 + 0.5 * z}));
      }
  return world;
}

TEST(FastMemory, AStepLikeTheLastOnesAsksForNone) {
#if !CAROM_COUNTS_MEMORY
  GTEST_SKIP() << "memory is not counted in this build";
#endif
  for (const int threads : {1, 2}) {
    World world = bricks(8, 6, threads);
    // Room for what comes and goes is taken while the bricks settle.
    for (int i = 0; i < 120; ++i) world.step(kDt);
    const long before = allocations.load();
    for (int i = 0; i < 60; ++i) world.step(kDt);
    EXPECT_EQ(allocations.load() - before, 0) << threads;
  }
}

TEST(FastMemory, NeitherDoesAHeapOfRoundShapesThatHasSettled) {
#if !CAROM_COUNTS_MEMORY
  GTEST_SKIP() << "memory is not counted in this build";
#endif
  World world = world_with("fast");
  world.set_default_material(surface(0.5));
  add_floor(world);
  const ShapePtr shapes[] = {
      Shape::cylinder(0.3, 0.5), Shape::capsule(0.2, 0.5), Shape::cone(0.3, 0.6), Shape::ellipsoid({0.4, 0.3, 0.2}),
      Shape::compound({{Shape::box({0.6, 0.2, 0.2}), {}, {}}, {Shape::sphere(0.2), {{0.3, 0, 0}, {}}, {}}})};
  Random random(1);
  for (int i = 0; i < 60; ++i) {
    BodyDef def = body(shapes[i % 5], {random.uniform(-1, 1), random.uniform(-1, 1), 0.5 + 0.3 * i});
    def.pose.orientation = random.rotation();
    world.add_body(def);
  }
  for (int i = 0; i < 600; ++i) world.step(kDt);
  const long before = allocations.load();
  for (int i = 0; i < 60; ++i) world.step(kDt);
  // What still rolls may meet something new: a few lists grow, none in every step.
  EXPECT_LE(allocations.load() - before, 20);
}

TEST(FastMemory, TwentyThousandBodiesTakeAKilobyteEachAndTheirContactsLittle) {
#if !CAROM_COUNTS_MEMORY
  GTEST_SKIP() << "memory is not counted in this build";
#endif
  // Freezing off and on: frozen bodies keep their share.
  World world = bricks(50, 8);
  const long bodies = static_cast<long>(world.body_count());
  ASSERT_GT(bodies, 20000);
  const long before = bytes.load();
  std::int64_t contacts = 0;
  for (int i = 0; i < 30; ++i) contacts = world.step(kDt).contacts;
  const long taken = bytes.load() - before;
  RecordProperty("bytes", std::to_string(taken));
  RecordProperty("contacts", std::to_string(contacts));
  EXPECT_GT(contacts, 3 * bodies);
  EXPECT_LE(taken, 1024 * bodies + 400 * contacts);
  std::printf(
      "[ FIGURE   ] memory of %ld bodies with %ld contacts: %.0f bytes a body, or %.0f with 400 a contact off\n",
      bodies, static_cast<long>(contacts), static_cast<double>(taken) / static_cast<double>(bodies),
      static_cast<double>(taken - 400 * contacts) / static_cast<double>(bodies));
}

TEST(FastMemory, WhatComesAndGoesTakesNoMoreAndMore) {
#if !CAROM_COUNTS_MEMORY
  GTEST_SKIP() << "memory is not counted in this build";
#endif
  // Bodies are dropped and removed again, a thousand in all and never more than forty at a time.
  World world = world_with("fast");
  add_floor(world);
  const ShapePtr shapes[] = {Shape::box({0.5, 0.4, 0.3}), Shape::sphere(0.2), Shape::cone(0.2, 0.4)};
  Random random(2);
  std::vector<BodyHandle> alive;
  long after_some = 0;
  for (int i = 0; i < 1000; ++i) {
    alive.push_back(world.add_body(body(shapes[i % 3], {random.uniform(-1, 1), random.uniform(-1, 1), 2})));
    if (alive.size() > 40) {
      world.remove_body(alive.front());
      alive.erase(alive.begin());
    }
    for (int k = 0; k < 3; ++k) ASSERT_TRUE(world.step(kDt).finite);
    if (i == 200) after_some = bytes.load();
  }
  EXPECT_LE(bytes.load() - after_some, 100'000);
}

}  // namespace
}  // namespace carom::test
