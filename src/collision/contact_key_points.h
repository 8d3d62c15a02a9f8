// The points of a shape's surface that can be the first to touch a plane: corners, ends of lines, points of rims.
//
// A rim has infinitely many. Four stand for it: the one that lies farthest towards the plane, and three more a quarter
// turn apart, named by their role and not by where on the rim they are. A coin that rolls thus touches in its true
// lowest point all the time, under one name. Where the disc is parallel to the plane no point is the lowest, and the
// four are fixed to the body, so that one that stands has nothing that turns with rounding errors.
#pragma once

#include <array>

#include "geometry/placed.h"

namespace carom {

/// Sine of the angle to a plane below which a disc counts as parallel to it. At that angle the lowest of the points
/// fixed to the body misses the lowest point of the rim by 3e-10 of the radius.
inline constexpr Real kParallel = 1e-9;

struct KeyPoint {
  Vec3 point;  // world; of a sphere or a capsule the centre, and the surface is a radius away
  Real radius = 0;
  std::uint16_t name = 0;
};

class KeyPoints {
 public:
  static constexpr int kCapacity = 64;

  /// Key points towards `direction` (unit). Of a hull the farthest corner, and of the others those where
  /// dot(direction, corner) is at least `least`; if they are more than `kCapacity`, the ones that few edges connect to
  /// the farthest.
  KeyPoints(const Placed& shape, const Vec3& direction, Real least);

  const KeyPoint* begin() const { return list_.data(); }
  const KeyPoint* end() const { return list_.data() + count_; }
  int count() const { return count_; }

 private:
  void add(const Vec3& point, unsigned name, Real radius = 0) {
    list_[static_cast<std::size_t>(count_++)] = {point, radius, static_cast<std::uint16_t>(name)};
  }
  void add_rim(const Placed& shape, Real radius, Real height, const Vec3& local, unsigned name);
  void add_corners(const Placed& shape, const Hull& hull, const Vec3& local, Real least);

  std::array<KeyPoint, kCapacity> list_;
  int count_ = 0;
};

/// Names of the points of a rim: that of the rim plus the role; plus four where they are fixed to the body.
inline constexpr unsigned kRimPoints = 4, kFixedRim = 4, kUpperRim = 8, kApex = 16;

/// The roles' directions in the plane of a disc: along x and in quarter turns from it.
struct RimDirections {
  Real x = 1, y = 0;
  unsigned name = kFixedRim;

  /// `slope` points to where the rim is to be lowest; (1, 0) where it is shorter than `kParallel`.
  RimDirections(Real slope_x, Real slope_y);
  /// The direction of a role as (cosine, sine).
  std::array<Real, 2> operator[](unsigned role) const;
};

}  // namespace carom
