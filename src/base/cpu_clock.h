// Processor time, for benchmarks and for tests that print times: other jobs of the machine do not count.
#pragma once

#include <ctime>

namespace carom {

/// Seconds that this thread has computed.
inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace carom
