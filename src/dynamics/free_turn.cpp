#include "dynamics/free_turn.h"

#include <algorithm>
#include <cmath>

#include "math/symmetric.h"
#include "math/trig.h"

namespace carom {
namespace {

/// A body's principal axes, in shape axes, the third the odd one, and what they do to its angular momentum.
struct FreeTurn {
  Vec3 axis[3];
  Real even = 0;   // a, 1/(kg m²)
  Real odd = 0;    // n_3 − a
  Real other = 0;  // d
  Vec3 spin;       // L, world axes

  FreeTurn(const Body& body, const Vec3& angular_momentum) : spin(angular_momentum) {
    const PrincipalAxes principal = principal_axes(body.inverse_inertia_local);
    const Vec3& n = principal.moments;  // ascending
    const int third = n.y - n.x > n.z - n.y ? 0 : 2, first = third == 0 ? 1 : 0;
    axis[0] = principal.axes.column(first);
    axis[1] = principal.axes.column(first + 1);
    axis[2] = principal.axes.column(third);
    even = 0.5 * (n[first] + n[first + 1]);
    odd = n[third] - even;
    other = 0.5 * (n[first] - n[first + 1]);
  }

  Real along(int k, const Quat& q) const { return dot(spin, rotate(q, axis[k])); }

  Quat as_top(const Quat& q, Real dt) const {
    return rotation((dt * even) * spin) * q * rotation((dt * odd * along(2, q)) * axis[2]);
  }

  /// By what the first or the second axis has over their mean.
  Quat about(int k, const Quat& q, Real dt) const {
    return q * rotation(((k == 0 ? dt : -dt) * other * along(k, q)) * axis[k]);
  }

  Quat second_order(Quat q, Real dt) const {
    q = as_top(q, 0.5 * dt);
    q = about(0, q, 0.5 * dt);
    q = about(1, q, dt);
    q = about(0, q, 0.5 * dt);
    return as_top(q, 0.5 * dt);
  }
};

}  // namespace

Quat orientation_in_flight(const Body& body, Real dt) {
  constexpr Real kOuter = 1.3512071919596578, kInner = 1 - 2 * kOuter;  // 1 / (2 − 2^(1/3))
  constexpr Real kSame = 1e-14;                                         // of two inverse moments
  constexpr Real kMostTurn = 0.02;                                      // rad: of a part of the step
  constexpr int kMostParts = 8;
  const FreeTurn turn(body, body.inertia() * body.angular_velocity);
  if (std::abs(turn.other) <= kSame * turn.even) return turn.as_top(body.orientation, dt);
  const Real angle = dt * norm(body.angular_velocity);
  // A damaged state may turn by any number of radians, or by none that is a number.
  const bool fits = angle < kMostParts * kMostTurn;
  const int parts = fits ? std::max(static_cast<int>(std::ceil(angle / kMostTurn)), 1) : kMostParts;
  Quat orientation = body.orientation;
  for (int part = 0; part < parts; ++part)
    for (const Real share : {kOuter, kInner, kOuter}) orientation = turn.second_order(orientation, share * dt / parts);
  return orientation;
}

}  // namespace carom
