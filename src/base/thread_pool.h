// A small pool for loops over independent items. Which thread does an item never changes the result. A worker that
// comes late to a loop, because other programs have its processor, is not waited for: the caller does the loop alone.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

namespace carom {

class ThreadPool {
 public:
  /// Requires threads ≥ 1; the calling thread counts as one.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls body(begin, end) on chunks of at most `grain` items that cover [0, count), and returns when all are done.
  /// The body must not throw, and must not call the pool.
  template <class Body>
  void for_chunks(std::size_t count, std::size_t grain, Body&& body) {
    if (workers_.empty() || count <= grain) {
      if (count > 0) body(std::size_t{0}, count);
      return;
    }
    using Plain = std::remove_reference_t<Body>;
    run({[](void* context, std::size_t begin, std::size_t end) { (*static_cast<Plain*>(context))(begin, end); },
         const_cast<void*>(static_cast<const void*>(&body)), count, grain});
  }

 private:
  struct Job {
    void (*call)(void*, std::size_t, std::size_t) = nullptr;
    void* context = nullptr;
    std::size_t count = 0;
    std::size_t grain = 1;
  };

  void run(const Job& job);
  void work(const Job& job);
  bool enter();
  void leave();
  void worker_loop();

  static constexpr std::uint32_t kClosed = 1U << 31;

  Job job_;                                     // written by the caller while no worker is inside
  std::atomic<std::size_t> next_{0};            // first item nobody has claimed
  std::atomic<std::uint32_t> inside_{kClosed};  // workers that take part in the job; closed: no more may enter
  std::atomic<std::uint32_t> epoch_{0};         // bumped to publish a job
  std::atomic<bool> stop_{false};
  std::vector<std::thread> workers_;
};

/// The same on a pool that may be absent.
template <class Body>
void for_chunks(ThreadPool* pool, std::size_t count, std::size_t grain, Body&& body) {
  if (pool != nullptr) {
    pool->for_chunks(count, grain, body);
  } else if (count > 0) {
    body(std::size_t{0}, count);
  }
}

}  // namespace carom
