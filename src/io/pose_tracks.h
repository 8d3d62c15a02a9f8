// The poses of a run's bodies over its frames, small enough to be kept whole: formats that store a body's motion in one
// piece can be written only at the end.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "io/frame.h"

namespace carom {

class PoseTracks {
 public:
  /// Of the shape's frame, world. Orientations are unit quaternions, w first, and each is the nearer one of ±q to the
  /// frame before: programs that blend from key to key then turn the short way.
  struct Key {
    std::array<float, 3> position{};
    std::array<float, 4> orientation{1, 0, 0, 0};
    bool operator==(const Key&) const = default;
  };

  explicit PoseTracks(const Cast& cast);

  /// A frame no later than the one before, or by less than a microsecond or a float's precision, is left out.
  void add(const Frame& frame);
  /// Forgets all frames.
  void clear();

  const std::vector<Real>& times() const { return times_; }  ///< s, increasing, also when rounded to floats
  /// Requires a frame of `times()` and a body of the cast.
  const Key& key(std::size_t frame, std::size_t body) const;
  /// Whether any frame so far differs from the first.
  bool translates(std::size_t body) const { return moved_[body].position; }
  bool rotates(std::size_t body) const { return moved_[body].orientation; }
  std::size_t translating_count() const { return translating_count_; }
  std::size_t rotating_count() const { return rotating_count_; }
  /// m: the largest distance of a body from the world's origin, in any frame.
  Real reach() const;

 private:
  struct Moved {
    bool position = false, orientation = false;
  };
  static constexpr std::size_t kNoSlot = static_cast<std::size_t>(-1);

  std::vector<CastBody> bodies_;
  std::vector<std::size_t> slots_;       ///< per body: its place in a later frame; none for fixed bodies
  std::vector<Real> times_;              ///< per frame
  std::vector<Key> first_;               ///< per body
  std::vector<std::vector<Key>> later_;  ///< per frame after the first, per slot
  std::vector<Moved> moved_;             ///< per body
  std::size_t slot_count_ = 0, translating_count_ = 0, rotating_count_ = 0;
};

}  // namespace carom
