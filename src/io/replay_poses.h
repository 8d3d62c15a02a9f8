// The motion of a replay page: poses on a grid, each stored as what a prediction from the two frames before it missed.
//
// Position: whole multiples of a step, predicted on a straight line. Orientation: the three smaller components of the
// unit quaternion as multiples of a step, predicted by the same turn once more. The prediction of the turn is computed
// in doubles from the stored integers with + − × ÷ and the square root alone, in an order that web/src/data/poses.js
// repeats: IEEE arithmetic gives both the same bits, so nothing drifts, and a body at rest costs nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "io/frame.h"

namespace carom::replay {

/// Components of a unit quaternion are stored to 1/kTurnSteps.
inline constexpr Real kTurnSteps = 16384;
/// Speeds below this are not told apart: the codes are logarithms of 1 + v/kSlowest.
inline constexpr Real kSlowest = 1e-3;  // m/s
/// Codes an octave of speed; half as many an octave of energy, which goes with the square.
inline constexpr Real kSpeedCodes = 12;

/// A power of two, near 1/4000 of what the smaller dynamic bodies measure: never seen, and exact in a double.
Real position_step(const Cast& cast);

/// Three smaller components of a unit quaternion in steps, in the order w, x, y, z; the one left out is not negative.
struct Turn {
  int largest = 0;
  std::array<std::int32_t, 3> steps{};
};
Turn to_turn(const Quat& q);
Quat to_quat(const Turn& turn);

class PoseTrack {
 public:
  PoseTrack(const Cast& cast, Real step);

  /// Requires a frame of the cast. Packs a section `POSE` into `out` whenever enough frames have come together.
  void add(const Frame& frame, std::string& out);
  /// Packs what is left.
  void flush(std::string& out);

  std::size_t moving() const { return moving_.size(); }

 private:
  struct Past {
    std::array<std::uint32_t, 3> position{}, before{};  ///< last frame and the one before it, in steps
    Turn turn, turn_before;
    std::uint8_t speed = 0, energy = 0, frozen = 0;
  };
  /// What one body did in one frame, as differences.
  struct Sample {
    std::array<std::uint32_t, 6> differences{};
    std::uint8_t largest = 0, speed = 0, energy = 0, frozen = 0;
  };

  Sample make_sample(const CastBody& body, const BodyState& state, std::uint8_t frozen, Past& past) const;

  const std::vector<CastBody> bodies_;
  const Real step_;
  std::vector<std::int32_t> moving_;  ///< bodies that are not fixed, into the cast
  std::vector<Past> past_;            ///< per moving body
  std::vector<Sample> samples_;       ///< frame after frame, a sample a moving body
  std::uint32_t frames_ = 0;          ///< taken so far
};

}  // namespace carom::replay
