// A picture of a world as SVG: a few moments over each other, the earlier ones faint, drawn from the farthest body to
// the nearest (the painter's algorithm). Walls that would hide what moves are of glass.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/frame.h"

namespace carom {

/// From where, and how large. The projection is parallel: lengths can be compared.
struct PictureView {
  Real azimuth = -60;                               ///< degrees, of the eye: 0 is +x, 90 is +y
  Real elevation = 18;                              ///< degrees above the horizon
  Real width = 800, height = 460;                   ///< units of the picture
  std::optional<std::pair<Vec3, Vec3>> shown = {};  ///< m: corners of a box that is in view; else all that moves
  bool frozen_blue = false;                         ///< bodies that are frozen get one colour of their own
};

class Picture {
 public:
  /// Requires a world in which no body is removed until the last frame is added.
  explicit Picture(const World& world);

  /// The moment that the world is at; `strength` from 0 (not seen) to 1. Later moments are drawn over earlier ones.
  void add_moment(const World& world, Real strength = 1);
  /// A line through the world, drawn under the bodies in the colour of one of them (its place in `World::bodies`).
  void add_path(std::vector<Vec3> points, std::size_t body);

  /// Requires at least one moment.
  std::string svg(const PictureView& view = {}) const;

 private:
  struct Moment {
    Frame frame;
    Real strength = 1;
  };
  struct Path {
    std::vector<Vec3> points;
    std::size_t body = 0;
  };

  Cast cast_;
  std::vector<Moment> moments_;
  std::vector<Path> paths_;
};

}  // namespace carom
