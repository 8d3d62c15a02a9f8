// A contact manifold: the points where two bodies touch or may soon touch, with names that last from step to step.
#pragma once

#include <array>
#include <cstdint>

#include "carom/math/types.h"

namespace carom {

struct ManifoldPoint {
  Vec3 point;                  ///< m, world, half way between the surfaces
  Real gap = 0;                ///< m, along the normal; negative: penetration
  std::uint16_t feature = 0;   ///< which features meet: stable while the bodies keep touching in the same way
  std::int32_t previous = -1;  ///< the same point's index in the last step's flat list of points, or −1
};

struct Manifold {
  /// Two clipped faces share at most eight points, and four vertices more can lie beside the incident face.
  static constexpr int kMaxPoints = 12;

  std::int32_t a = 0, b = 0;  ///< body indices
  /// Which parts of compounds meet: that of a in the upper 16 bits, that of b in the lower. A pair of bodies has a
  /// manifold for every pair of parts that touch; features are unique within one.
  std::uint32_t part = 0;
  Vec3 normal;  ///< unit, from a to b
  std::array<ManifoldPoint, kMaxPoints> points;
  std::int32_t count = 0;
  std::int32_t first_point = 0;  ///< index of points[0] in the flat list of all points of this step
  bool swapped = false;          ///< b, not a, is the body that the broad phase names first
  std::uint8_t axis = 0;         ///< separating axis that was chosen, plus one: preferred in the next step; 0 is none

  /// A name of 16 bits for a point among all points of the two bodies: the feature itself where no compound is in play.
  std::uint16_t name(int point) const {
    const std::uint32_t mixed = part * 0x9E3779B1U;
    return static_cast<std::uint16_t>(points[static_cast<std::size_t>(point)].feature ^ mixed ^ mixed >> 16);
  }

  /// Requires fewer than kMaxPoints points so far.
  void add(const Vec3& point, Real gap, std::uint16_t feature) {
    points.at(static_cast<std::size_t>(count++)) = {point, gap, feature, -1};
  }
};

}  // namespace carom
