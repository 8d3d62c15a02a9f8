// The order in which sweeps visit contacts: grouped by pair of bodies and contact frame, groups coloured so that no two
// of a colour share a body that moves. Colours make sweeps parallel, and their order is the same on any number of
// threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "base/thread_pool.h"
#include "carom/contact/problem.h"

namespace carom {

/// Contacts first … last − 1 of the scheduled order, all between the same two bodies and with the same frame.
struct ContactGroup {
  std::int32_t a = 0, b = 0;
  std::int32_t first = 0, last = 0;
  bool a_moves = false, b_moves = false;  // takes impulses
};

class Schedule {
 public:
  void build(const ContactProblem& problem);

  const std::vector<ContactGroup>& groups() const { return groups_; }
  /// Per scheduled contact: its index in the problem.
  const std::vector<std::int32_t>& source() const { return source_; }

  /// Calls visit(index) for every group, colour by colour; groups of a colour may run at the same time. `visit` returns
  /// a number that is not negative; the largest is returned.
  template <class Visit>
  Real sweep(ThreadPool* threads, Visit&& visit) const {
    std::atomic<Real> largest{0};
    for (const Colour& colour : colours_) {
      // A colour that holds leftovers has groups that share bodies: it goes in order.
      ThreadPool* pool = colour.parallel ? threads : nullptr;
      for_chunks(pool, colour.last - colour.first, kGroupsPerChunk, [&](std::size_t begin, std::size_t end) {
        Real chunk_largest = 0;
        for (std::size_t g = begin; g < end; ++g) chunk_largest = std::max(chunk_largest, visit(colour.first + g));
        Real seen = largest.load(std::memory_order_relaxed);
        while (chunk_largest > seen && !largest.compare_exchange_weak(seen, chunk_largest, std::memory_order_relaxed)) {
        }
      });
    }
    return largest.load(std::memory_order_relaxed);
  }

  /// The same without colours' order: for work on each group alone.
  template <class Visit>
  void for_each_group(ThreadPool* threads, Visit&& visit) const {
    for_chunks(threads, groups_.size(), kGroupsPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t g = begin; g < end; ++g) visit(g);
    });
  }

 private:
  static constexpr std::size_t kGroupsPerChunk = 48;
  static constexpr std::size_t kColours = 64;  // and one more for groups that find none free

  struct Colour {
    std::size_t first = 0, last = 0;  // groups
    bool parallel = true;
  };

  void find_groups(const ContactProblem& problem);
  void colour_groups(std::size_t bodies);

  std::vector<ContactGroup> groups_;
  std::vector<std::int32_t> source_;
  std::vector<Colour> colours_;
  std::vector<ContactGroup> found_;      // in problem order, `first` and `last` into the problem's contacts
  std::vector<std::uint64_t> used_;      // per body: colours taken
  std::vector<std::uint8_t> colour_of_;  // per found group
};

}  // namespace carom
