// Sine and cosine that give the same bits on every platform (the C library's do not), and rotations made with them.
#pragma once

#include "carom/math/types.h"

namespace carom {

struct SinCos {
  Real sine = 0, cosine = 1;
};

/// Accurate to about 2e-16 for |x| ≤ 1e5, built from +, −, × alone.
SinCos sin_cos(Real x);

/// The rotation by |phi| radians about phi.
Quat rotation(const Vec3& phi);

/// The rotation vector that leads from one orientation to another, by the shorter way.
Vec3 turn_between(const Quat& from, const Quat& to);

}  // namespace carom
