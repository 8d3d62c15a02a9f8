// The pool covers every item once, whatever the sizes, and lasts. Run under the thread sanitizer too.
#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "carom/base/error.h"

namespace carom {
namespace {

/// How often each of `count` items is visited, and whether no chunk is larger than `grain`.
std::vector<int> visits(ThreadPool& pool, std::size_t count, std::size_t grain) {
  std::vector<int> seen(count, 0);
  std::atomic<bool> small_chunks{true};
  pool.for_chunks(count, grain, [&](std::size_t begin, std::size_t end) {
    if (begin >= end || end > count) small_chunks = false;
    if (pool.size() > 1 && count > grain && end - begin > grain) small_chunks = false;
    for (std::size_t i = begin; i < end; ++i) ++seen[i];
  });
  EXPECT_TRUE(small_chunks) << "threads " << pool.size() << " count " << count << " grain " << grain;
  return seen;
}

TEST(ThreadPool, CoversEveryItemOnce) {
  for (const int threads : {1, 2, 3, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (const std::size_t count : {0U, 1U, 2U, 7U, 63U, 64U, 65U, 1000U, 1001U}) {
      for (const std::size_t grain : {1U, 2U, 7U, 64U, 1000U, 5000U}) {
        const std::vector<int> seen = visits(pool, count, grain);
        EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }))
            << "threads " << threads << " count " << count << " grain " << grain;
      }
    }
  }
}

TEST(ThreadPool, EmptyLoopDoesNotCallTheBody) {
  ThreadPool pool(2);
  bool called = false;
  pool.for_chunks(0, 1, [&](std::size_t, std::size_t) { called = true; });
  for_chunks(nullptr, 0, 1, [&](std::size_t, std::size_t) { called = true; });
  EXPECT_FALSE(called);
}

TEST(ThreadPool, WritesOfOneLoopAreSeenByTheNext) {
  // Thousands of short loops, each of which reads what the one before has written, in another split of the items: a
  // lost wake-up would hang here, and a missing fence would show in the sums or under the thread sanitizer.
  ThreadPool pool(3);
  constexpr std::size_t kCount = 97;
  std::vector<long> value(kCount, 0), next(kCount, 0);
  for (std::size_t round = 0; round < 5000; ++round) {
    pool.for_chunks(kCount, 1 + round % 13, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) next[i] = value[(i + 1) % kCount] + 1;
    });
    value.swap(next);
  }
  EXPECT_EQ(std::accumulate(value.begin(), value.end(), 0L), 5000L * static_cast<long>(kCount));
}

TEST(ThreadPool, WakesUpAfterItsWorkersHaveGoneToSleep) {
  ThreadPool pool(2);
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // longer than workers spin
    const std::vector<int> seen = visits(pool, 100, 1);
    EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), 0), 100);
  }
}

TEST(ThreadPool, MostWorkersMayComeTooLate) {
  // Many more threads than processors and loops of nothing: most workers find the loop over, or another one under way.
  ThreadPool pool(64);
  std::vector<int> seen(2, 0);
  for (int round = 0; round < 20000; ++round)
    pool.for_chunks(2, 1, [&](std::size_t begin, std::size_t) { ++seen[begin]; });
  EXPECT_EQ(seen, (std::vector<int>{20000, 20000}));
}

TEST(ThreadPool, CanBeMadeAndDestroyedManyTimes) {
  for (int round = 0; round < 200; ++round) {
    ThreadPool pool(3);
    if (round % 2 == 0) continue;  // destroyed before its workers have had anything to do
    const std::vector<int> seen = visits(pool, 50, 3);
    ASSERT_EQ(std::accumulate(seen.begin(), seen.end(), 0), 50);
  }
}

TEST(ThreadPool, NeedsAtLeastOneThread) {
  EXPECT_THROW(ThreadPool(0), Error);
  EXPECT_THROW(ThreadPool(-1), Error);
}

TEST(ThreadPool, AbsentPoolRunsTheWholeLoopInOneCall) {
  int calls = 0;
  for_chunks(nullptr, 10, 3, [&](std::size_t begin, std::size_t end) {
    ++calls;
    EXPECT_EQ(begin, 0U);
    EXPECT_EQ(end, 10U);
  });
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace carom
