// What is due comes in order, whenever it was put down.
#include "dynamics/due_queue.h"

#include <gtest/gtest.h>

#include "support/random.h"

namespace carom {
namespace {

using test::Random;

TEST(DueQueue, GivesTheEarliestAlsoOfWhatComesLater) {
  Random random(1);
  DueQueue queue;
  for (int round = 0; round < 20; ++round) {
    const Real start = random.uniform(-10, 10), end = start + random.scale(1e-6, 1);
    queue.begin(start, end);
    std::vector<Due> waiting;  // a heap, and nothing else
    Real now = start;
    for (int i = 0; i < 3000; ++i) {
      if (random.integer(0, 2) != 0 || waiting.empty()) {
        // Times that are equal, and bodies that decide; some after the end, which is nobody's business but the
        // caller's.
        const Real time = now + (end - now) * (random.integer(0, 20) / 16.0) * random.integer(0, 1) +
                          (end - now) * random.uniform(0, 1) * 0.5;
        const Due due{time, random.integer(0, 5), random.integer(0, 5), i, 0, random.integer(0, 1) == 1};
        queue.push(due);
        waiting.push_back(due);
        std::push_heap(waiting.begin(), waiting.end());
        continue;
      }
      Due due;
      ASSERT_TRUE(queue.pop(due));
      std::pop_heap(waiting.begin(), waiting.end());
      const Due expected = waiting.back();
      waiting.pop_back();
      ASSERT_TRUE(!(due < expected) && !(expected < due));
      now = due.time;
    }
    std::size_t left = 0;
    for (Due due; queue.pop(due);) ++left;
    EXPECT_EQ(left, waiting.size());
  }
}

}  // namespace
}  // namespace carom
