#include "contact/impact_qp.h"

#include <algorithm>
#include <cmath>

#include "math/trig.h"

namespace carom {
namespace {

/// A direction of the cone's surface and its derivative by the angle.
struct Ray {
  Vec3 along, turned;
};

Ray ray_at(Real mu, Real angle) {
  const SinCos d = sin_cos(angle);
  return {{1, mu * d.cosine, mu * d.sine}, {0, -mu * d.sine, mu * d.cosine}};
}

/// The energy ½ jᵀKj + uᵀj at its least over the ray; zero where the ray leads upwards.
Real least_along(const Mat3& k, const Vec3& u, const Vec3& ray) {
  const Real slope = dot(u, ray);
  return slope < 0 ? -0.5 * slope * slope / dot(ray, k * ray) : 0;
}

/// Negative where that falls with the angle.
Real turning(const Mat3& k, const Vec3& u, const Ray& ray) {
  const Vec3 pull = k * ray.along;
  return dot(u, ray.turned) * dot(ray.along, pull) - dot(u, ray.along) * dot(ray.turned, pull);
}

/// The impulse of the cone's surface with the least energy: the best of some angles, then the turning point beside it.
Vec3 least_on_surface(const Mat3& k, const Vec3& u, Real mu) {
  constexpr int kAngles = 32, kHalvings = 60;
  constexpr Real kStep = 6.283185307179586 / kAngles;
  int best = 0;
  Real least = 1;
  for (int i = 0; i < kAngles; ++i) {
    const Real energy = least_along(k, u, ray_at(mu, i * kStep).along);
    if (energy < least) {
      least = energy;
      best = i;
    }
  }
  Real low = (best - 1) * kStep, high = (best + 1) * kStep;
  for (int i = 0; i < kHalvings; ++i) {
    const Real middle = 0.5 * (low + high);
    (turning(k, u, ray_at(mu, middle)) < 0 ? low : high) = middle;
  }
  const Vec3 ray = ray_at(mu, 0.5 * (low + high)).along;
  return std::max(-dot(u, ray) / dot(ray, k * ray), 0.0) * ray;
}

/// The impulse in the cone with the least ½ jᵀKj + uᵀj; components along normal and tangents.
Vec3 least_in_cone(const Mat3& k, const Mat3& k_inverse, const Vec3& u, Real mu) {
  const Real slip = std::sqrt(u.y * u.y + u.z * u.z);
  if (u.x >= mu * slip) return {};
  if (mu == 0) return {-u.x / k(0, 0), 0, 0};
  const Vec3 stick = -(k_inverse * u);
  if (stick.x >= 0 && stick.y * stick.y + stick.z * stick.z <= mu * mu * stick.x * stick.x) return stick;
  return least_on_surface(k, u, mu);
}

/// The multiplier of the bound is sought where it is missed without one: the normal velocity after grows with it.
Vec3 least_with_bound(const Mat3& k, const Vec3& u, Real mu, Real bound) {
  const Mat3 k_inverse = inverse(k);
  const Vec3 normal_pull = k * Vec3{1, 0, 0};
  const auto impulse_of = [&](Real multiplier) {
    return least_in_cone(k, k_inverse, u - multiplier * normal_pull, mu);
  };
  const auto shortfall = [&](const Vec3& j) { return bound - (u.x + dot(normal_pull, j)); };
  Vec3 best = impulse_of(0);
  Real low = 0, low_shortfall = shortfall(best);
  const Real rounding = 1e-15 * (std::abs(u.x) + std::abs(bound));
  if (low_shortfall <= rounding) return best;

  Real high = bound - u.x, high_shortfall = 0;
  for (int i = 0; i < 60; ++i, high *= 2) {
    best = impulse_of(high / k(0, 0));
    high_shortfall = shortfall(best);
    if (high_shortfall <= 0) break;
  }
  high /= k(0, 0);
  // Regula falsi with halving of the end that stays (the Illinois rule).
  for (int i = 0; i < 100 && std::abs(shortfall(best)) > rounding && high > low; ++i) {
    const Real middle = low + (high - low) * low_shortfall / (low_shortfall - high_shortfall);
    best = impulse_of(middle);
    const Real missing = shortfall(best);
    if (missing > 0) {
      low = middle;
      low_shortfall = missing;
      high_shortfall *= 0.5;
    } else {
      high = middle;
      high_shortfall = missing;
      low_shortfall *= 0.5;
    }
  }
  return best;
}

}  // namespace

ImpactOutcome least_energy_impact(const PointImpact& impact) {
  const Vec3 tangent = default_tangent(impact.normal);
  const Mat3 axes = Mat3::columns(impact.normal, tangent, cross(impact.normal, tangent));
  const Mat3 k = transposed(axes) * impact.inverse_mass * axes;
  const Vec3 u = transposed_times(axes, impact.velocity);
  ImpactOutcome outcome;
  outcome.velocity = impact.velocity;
  if (!(u.x < 0)) return outcome;
  const Vec3 j = least_with_bound(k, u, impact.mu, -impact.restitution * u.x);
  const Vec3 middle = u + 0.5 * (k * j);  // the impulse is delivered along a straight line
  outcome.impulse = axes * j;
  outcome.velocity = impact.velocity + impact.inverse_mass * outcome.impulse;
  outcome.work.normal_compression = j.x * middle.x;
  outcome.work.tangential_compression = j.y * middle.y + j.z * middle.z;
  outcome.in_cone = std::sqrt(j.y * j.y + j.z * j.z) <= impact.mu * j.x * (1 + 1e-12);
  return outcome;
}

}  // namespace carom
