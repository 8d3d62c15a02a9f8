// Random single impacts.
#pragma once

#include "carom/contact/impact.h"
#include "support/random.h"

namespace carom::test {

inline Mat3 random_inertia(Random& random, Real mass) {
  // A solid box of random size, turned: every inertia of a real body has this form.
  const Vec3 size{random.uniform(0.1, 1), random.uniform(0.1, 1), random.uniform(0.1, 1)};
  const Mat3 axes = to_matrix(random.rotation());
  const Vec3 moments{size.y * size.y + size.z * size.z, size.x * size.x + size.z * size.z,
                     size.x * size.x + size.y * size.y};
  return axes * Mat3::diagonal((mass / 12) * moments) * transposed(axes);
}

/// Adds the mobility of a body at the contact to K.
inline void add_body(Random& random, PointImpact& impact) {
  const Real mass = random.scale(0.01, 100);
  const Mat3 inverse_inertia = inverse(random_inertia(random, mass));
  const Vec3 r = random.vector(0.6);
  for (int j = 0; j < 3; ++j) {
    Vec3 axis;
    axis[j] = 1;
    const Vec3 v = (1 / mass) * axis + cross(inverse_inertia * cross(r, axis), r);
    for (int i = 0; i < 3; ++i) impact.inverse_mass(i, j) += v[i];
  }
}

/// One or two bodies of any mass, some without slip, some without friction.
inline PointImpact random_impact(Random& random) {
  PointImpact impact;
  add_body(random, impact);
  if (random.coin()) add_body(random, impact);
  impact.normal = random.unit();
  impact.velocity = random.vector(3);
  if (dot(impact.velocity, impact.normal) > 0) impact.velocity *= -1;
  if (random.integer(0, 9) == 0) impact.velocity = dot(impact.velocity, impact.normal) * impact.normal;  // no slip
  impact.mu = random.integer(0, 9) == 0 ? 0 : random.uniform(0, 2);
  impact.mu_static = impact.mu;
  impact.restitution = random.uniform(0, 1);
  return impact;
}

}  // namespace carom::test
