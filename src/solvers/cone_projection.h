// The sets that contact impulses lie in, and the derivative of the projection on them.
#pragma once

#include <cmath>

#include "carom/contact/problem.h"
#include "contact/pyramid.h"
#include "math/cone.h"

namespace carom {

inline Vec3 project_on(ImpulseSet set, const Vec3& z, Real mu) {
  return set == ImpulseSet::Pyramid ? project_on_pyramid(z, mu) : project_on_cone(z, mu);
}

/// A projection and its derivative, symmetric with eigenvalues from 0 to 1. On the border between two pieces either
/// one's derivative is a generalized one.
struct Projection {
  Vec3 point;
  Mat3 derivative;
};

Projection differentiate_projection(ImpulseSet set, const Vec3& z, Real mu);

}  // namespace carom
