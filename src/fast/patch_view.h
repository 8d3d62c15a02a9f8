// A patch of contact after the substeps, in double precision: what reports, velocities and the residual are made from.
#pragma once

#include <array>

#include "carom/math/types.h"
#include "fast/batches.h"

namespace carom::fast {

struct PatchView {
  Vec3 normal, tangent, across;                    ///< n, t1, t2: world; n from the base to the probe
  Vec3 center;                                     ///< m, world
  std::array<Real, Record::kMaxPoints> x{}, y{};   ///< m, along t1 and t2 from the centre
  std::array<Real, Record::kMaxPoints> gap{};      ///< m, at the start of the step
  std::array<Vec3, Record::kMaxPoints> impulse{};  ///< N s, of the whole step, along n, t1, t2, on the probe

  Vec3 point(std::size_t i) const { return center + x[i] * tangent + y[i] * across; }
  Vec3 world(const Vec3& components) const {
    return components.x * normal + components.y * tangent + components.z * across;
  }
};

/// Without the bounces.
PatchView view_patch(const Batches& batches, std::size_t place, const Vec3& probe_center);

}  // namespace carom::fast
