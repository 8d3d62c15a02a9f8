// Impulses drawn as arrows in a replay page: the strongest of each frame, as many as a budget of bytes allows.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/frame.h"

namespace carom::replay {

/// An arrow.
struct Impulse {
  std::int32_t a = 0, b = 0;  ///< into the cast
  Vec3 point;                 ///< m, world
  Vec3 impulse;               ///< N s, on b
  std::uint8_t kind = 0;      ///< what it is coloured by, where that is not its size
};

class ImpulseTrack {
 public:
  /// `step`: of the grid of points relative to their body, m.
  ImpulseTrack(const Cast& cast, Real step) : bodies_(cast.bodies), step_(step) {}

  /// Those that are not zero, at the poses of a frame.
  void add(const Frame& frame, std::span<const Impulse> impulses);
  /// Appends a section with that tag; nothing where no frame had an impulse.
  void finish(std::string_view tag, std::string& out);

  Real step() const { return step_; }                    ///< m
  Real strongest() const { return strongest_; }          ///< N s
  std::uint32_t most_per_frame() const { return cap_; }  ///< after `finish`: how many a frame may hold

 private:
  struct Drawn {
    std::int32_t body;             ///< the one the point is told from, into the cast
    std::array<float, 3> arm;      ///< m, from the body's shape frame to the point, world axes
    std::array<float, 3> impulse;  ///< N s, on the second body
    float size;                    ///< N s
    std::uint8_t kind;
  };

  void cut(std::uint32_t cap);

  const std::vector<CastBody> bodies_;
  const Real step_;
  std::vector<std::vector<Drawn>> frames_;  ///< strongest first
  std::vector<std::uint32_t> totals_;       ///< impulses, drawn or not, per frame
  std::size_t stored_ = 0;
  std::uint32_t cap_ = 4096;
  Real strongest_ = 0;
};

/// The contacts of a frame that carried an impulse, collision and contact stage together.
std::vector<Impulse> contact_impulses(const Frame& frame);

}  // namespace carom::replay
