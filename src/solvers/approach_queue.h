// Contacts by approach speed, the fastest first: a binary heap that can find each contact again, so that a change costs
// the logarithm of its size. Of equal speeds the contact that comes first in the problem goes first.
#pragma once

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "carom/math/types.h"

namespace carom {

class ApproachQueue {
 public:
  /// Empty, for contacts 0 … count − 1.
  void start(std::size_t count) {
    heap_.clear();
    place_.assign(count, kAbsent);
    speed_.assign(count, 0);
  }

  bool empty() const { return heap_.empty(); }
  /// Requires that it is not empty.
  std::size_t fastest() const { return heap_.front(); }
  Real speed(std::size_t contact) const { return speed_[contact]; }

  /// Puts the contact in, or moves it.
  void set(std::size_t contact, Real speed) {
    speed_[contact] = speed;
    if (place_[contact] == kAbsent) {
      place_[contact] = heap_.size();
      heap_.push_back(contact);
    }
    sift(place_[contact]);
  }

  /// Does nothing if the contact is not there.
  void remove(std::size_t contact) {
    const std::size_t place = place_[contact];
    if (place == kAbsent) return;
    swap(place, heap_.size() - 1);
    heap_.pop_back();
    place_[contact] = kAbsent;
    if (place < heap_.size()) sift(place);
  }

 private:
  static constexpr std::size_t kAbsent = std::numeric_limits<std::size_t>::max();

  bool before(std::size_t a, std::size_t b) const { return speed_[a] != speed_[b] ? speed_[a] > speed_[b] : a < b; }

  void swap(std::size_t i, std::size_t k) {
    std::swap(heap_[i], heap_[k]);
    place_[heap_[i]] = i;
    place_[heap_[k]] = k;
  }

  /// Up or down to where it belongs.
  void sift(std::size_t i) {
    for (; i > 0 && before(heap_[i], heap_[(i - 1) / 2]); i = (i - 1) / 2) swap(i, (i - 1) / 2);
    for (;;) {
      std::size_t first = i;
      for (const std::size_t child : {2 * i + 1, 2 * i + 2})
        if (child < heap_.size() && before(heap_[child], heap_[first])) first = child;
      if (first == i) return;
      swap(i, first);
      i = first;
    }
  }

  std::vector<std::size_t> heap_;   // contacts
  std::vector<std::size_t> place_;  // per contact: where in the heap
  std::vector<Real> speed_;         // per contact
};

}  // namespace carom
