// Threads that go through a list of short stages together, each stage done before the next one begins.
//
// A loop of its own for every stage would cost more than the stage. Every part of a stage is claimed by one thread, by
// preference the same in every stage, whose caches then hold its data. A thread that comes late, because other programs
// have its processor, is not waited for: the others do its parts. Which thread does a part never changes the result.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "base/thread_pool.h"

namespace carom {

class Crew {
 public:
  /// Calls work(stage, part, parts) for all parts of all stages. Parts of a stage may run at once, stages never. The
  /// work must not throw, and must not call the pool.
  template <class Work>
  void run(ThreadPool* pool, std::size_t stages, Work&& work) {
    const std::size_t parts = pool == nullptr ? 1 : static_cast<std::size_t>(pool->size() < 32 ? pool->size() : 32);
    if (parts == 1) {
      for (std::size_t s = 0; s < stages; ++s) work(s, std::size_t{0}, std::size_t{1});
      return;
    }
    if (states_.size() < stages) states_ = std::vector<State>(stages);
    for (std::size_t s = 0; s < stages; ++s) {
      states_[s].claimed.store(0, std::memory_order_relaxed);
      states_[s].done.store(0, std::memory_order_relaxed);
    }
    pool->for_chunks(parts, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t member = first; member < last; ++member) go_through(stages, parts, member, work);
    });
  }

 private:
  struct alignas(64) State {
    std::atomic<std::uint32_t> claimed{0};  // a bit for each part
    std::atomic<std::uint32_t> done{0};
  };

  template <class Work>
  void go_through(std::size_t stages, std::size_t parts, std::size_t member, Work& work) {
    for (std::size_t s = 0; s < stages; ++s) {
      State& state = states_[s];
      for (std::size_t k = 0; k < parts; ++k) {
        const std::size_t part = (member + k) % parts;
        const std::uint32_t bit = std::uint32_t{1} << part;
        if ((state.claimed.load(std::memory_order_relaxed) & bit) != 0) continue;
        if ((state.claimed.fetch_or(bit, std::memory_order_acquire) & bit) != 0) continue;
        work(s, part, parts);
        state.done.fetch_add(1, std::memory_order_release);
      }
      wait_for(state, static_cast<std::uint32_t>(parts));
    }
  }

  static void wait_for(const State& state, std::uint32_t parts) {
    constexpr int kPatience = 2000;  // looks, some microseconds; then others may have the processor
    for (int looks = 0; state.done.load(std::memory_order_acquire) < parts; ++looks)
      if (looks > kPatience) std::this_thread::yield();
  }

  std::vector<State> states_;
};

}  // namespace carom
