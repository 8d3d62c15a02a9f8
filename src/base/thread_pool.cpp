#include "base/thread_pool.h"

#include <algorithm>

#include "carom/base/error.h"

namespace carom {
namespace {

/// Spins for a while, since the next loop of a step usually comes within microseconds, then sleeps.
template <class T>
void wait_while_equal(const std::atomic<T>& value, T old) {
  for (int spin = 0; spin < 4000; ++spin) {
    if (value.load(std::memory_order_acquire) != old) return;
    if (spin % 64 == 63) std::this_thread::yield();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

ThreadPool::ThreadPool(int threads) {
  require(threads >= 1, "ThreadPool: needs at least one thread");
  for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { worker_loop(); });
}

ThreadPool::~ThreadPool() {
  stop_.store(true, std::memory_order_relaxed);
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run(const Job& job) {
  job_ = job;
  next_.store(0, std::memory_order_relaxed);
  inside_.store(0, std::memory_order_release);
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  work(job);
  // All items are claimed. Who is inside may still be at work on some; who is not has no more business here.
  for (std::uint32_t left = inside_.fetch_or(kClosed, std::memory_order_acq_rel) | kClosed; left != kClosed;
       left = inside_.load(std::memory_order_acquire)) {
    wait_while_equal(inside_, left);
  }
}

/// False where the job is over.
bool ThreadPool::enter() {
  std::uint32_t seen = inside_.load(std::memory_order_acquire);
  while ((seen & kClosed) == 0)
    if (inside_.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire)) return true;
  return false;
}

void ThreadPool::leave() {
  if (inside_.fetch_sub(1, std::memory_order_acq_rel) == kClosed + 1) inside_.notify_one();
}

void ThreadPool::work(const Job& job) {
  for (;;) {
    const std::size_t begin = next_.fetch_add(job.grain, std::memory_order_relaxed);
    if (begin >= job.count) return;
    job.call(job.context, begin, std::min(begin + job.grain, job.count));
  }
}

void ThreadPool::worker_loop() {
  std::uint32_t seen = 0;
  for (;;) {
    wait_while_equal(epoch_, seen);
    seen = epoch_.load(std::memory_order_acquire);
    if (stop_.load(std::memory_order_relaxed)) return;
    if (!enter()) continue;
    work(job_);
    leave();
  }
}

}  // namespace carom
