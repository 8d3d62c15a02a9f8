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

  Vec3 angular_velocity(const Quat& q) const {
    const Real inverse_moments[] = {even + other, even - other, even + odd};
    Vec3 sum;
    for (int k = 0; k < 3; ++k) sum += inverse_moments[k] * along(k, q) * rotate(q, axis[k]);
    return sum;
  }

  /// Turns to the orientation close by at which the energy, ½ ω·L, is `energy`. False where looks do not lead there.
  bool take_energy(Quat& q, Real energy) const {
    // Rounding must not be taken for something to be off by: near a principal axis there is next to no slope.
    constexpr Real kEnough = 1e-14, kFarthest = 0.2;  // of the energy; rad: of a look
    constexpr int kLooks = 20;
    for (int look = 0;; ++look) {
      const Vec3 velocity = angular_velocity(q), slope = cross(velocity, spin);
      const Real off = 0.5 * dot(velocity, spin) - energy, steepness = norm(slope);
      if (!(std::abs(off) > kEnough * energy)) return true;
      if (look == kLooks || !(steepness > 0)) return false;
      q = rotation(-std::clamp(off / steepness, -kFarthest, kFarthest) / steepness * slope) * q;
    }
  }
};

}  // namespace

Quat orientation_in_flight(const Body& body, Real dt) {
  constexpr Real kOuter = 1.3512071919596578, kInner = 1 - 2 * kOuter;  // 1 / (2 − 2^(1/3))
  constexpr Real kSame = 1e-14;                                         // of two inverse moments
  constexpr Real kFine = 0.02, kCoarse = 0.2;                           // rad: of a part of the step
  constexpr int kFineParts = 8, kMostParts = 64;
  const FreeTurn turn(body, body.inertia() * body.angular_velocity);
  if (std::abs(turn.other) <= kSame * turn.even) return turn.as_top(body.orientation, dt);
  const Real angle = dt * norm(body.angular_velocity);
  // Parts are fine as long as there are few of them. A damaged state may turn by any number of radians, or by none that
  // is a number.
  const Real wanted = std::max(std::min(angle / kFine, 1.0 * kFineParts), angle / kCoarse);
  const int parts = wanted < kMostParts ? std::max(static_cast<int>(std::ceil(wanted)), 1) : kMostParts;
  Quat orientation = body.orientation;
  for (int part = 0; part < parts; ++part)
    for (const Real share : {kOuter, kInner, kOuter}) orientation = turn.second_order(orientation, share * dt / parts);
  if (turn.take_energy(orientation, 0.5 * dot(body.angular_velocity, turn.spin))) return orientation;
  // Far beyond a radian a part, anything that keeps both will do.
  return rotation((dt * turn.even) * turn.spin) * body.orientation;
}

}  // namespace carom
