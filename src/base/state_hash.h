// A 64-bit hash over the bits of numbers: equal hashes mean equal states.
#pragma once

#include <bit>
#include <cstdint>

namespace carom {

class StateHash {
 public:
  void add(std::uint64_t word) {
    // Two rounds of xor-shift and multiply (the finaliser of SplitMix64), chained.
    std::uint64_t z = hash_ ^ word;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    hash_ = (z ^ (z >> 31)) + 0x9e3779b97f4a7c15ULL;
  }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }

  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0x243f6a8885a308d3ULL;
};

}  // namespace carom
