// Work in chunks of a fixed size: the order of what comes out must not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/thread_pool.h"

namespace carom {

inline std::size_t chunk_count(std::size_t items, std::size_t chunk) { return (items + chunk - 1) / chunk; }

/// Calls work(results[c], begin, end) for every chunk c of items; results are kept from call to call, for their memory.
template <class Result, class Work>
void for_fixed_chunks(ThreadPool* threads, std::size_t items, std::size_t chunk, std::vector<Result>& results,
                      Work&& work) {
  const std::size_t chunks = chunk_count(items, chunk);
  if (results.size() < chunks) results.resize(chunks);
  for_chunks(threads, chunks, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t c = first; c < last; ++c) work(results[c], c * chunk, std::min((c + 1) * chunk, items));
  });
}

}  // namespace carom
