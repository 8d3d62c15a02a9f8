// The part of a simplex that lies nearest to the origin.
#pragma once

#include <array>

#include "geometry/core_pair.h"

namespace carom {

/// Up to four points of a difference of cores, and the weights that make the nearest point of them.
struct Simplex {
  std::array<DifferencePoint, 4> points;
  std::array<Real, 4> weights{};
  int count = 0;

  void add(const DifferencePoint& p) { points.at(static_cast<std::size_t>(count++)) = p; }
  Vec3 nearest() const;
  Witness witness() const;
};

/// Only those of the points that carry the one nearest to the origin. Four are left where the origin lies inside.
Simplex reduced(const Simplex& simplex);

}  // namespace carom
