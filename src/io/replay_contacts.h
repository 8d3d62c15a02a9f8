// The contacts of a replay page: the strongest of each frame, as many as a budget of bytes allows.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "io/frame.h"

namespace carom::replay {

class ContactTrack {
 public:
  /// `step`: of the grid of points relative to their body, m.
  ContactTrack(const Cast& cast, Real step) : bodies_(cast.bodies), step_(step) {}

  /// Contacts with an impulse, collision and contact stage together.
  void add(const Frame& frame);
  /// Appends a section `CONT`; nothing where no frame had a contact with an impulse.
  void finish(std::string& out);

  Real strongest() const { return strongest_; }          ///< N s
  std::uint32_t most_per_frame() const { return cap_; }  ///< after `finish`: how many a frame may hold

 private:
  struct Drawn {
    std::int32_t body;             ///< the one the point is told from, into the cast
    std::array<float, 3> arm;      ///< m, from the body's shape frame to the point, world axes
    std::array<float, 3> impulse;  ///< N s, on the second body
    float size;                    ///< N s
  };

  void cut(std::uint32_t cap);

  const std::vector<CastBody> bodies_;
  const Real step_;
  std::vector<std::vector<Drawn>> frames_;  ///< strongest first
  std::vector<std::uint32_t> totals_;       ///< contacts with an impulse, per frame
  std::size_t stored_ = 0;
  std::uint32_t cap_ = 4096;
  Real strongest_ = 0;
};

}  // namespace carom::replay
