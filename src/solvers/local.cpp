#include "solvers/local.h"

#include "math/trig.h"

namespace carom {
namespace {

/// The impulse that keeps the normal velocity at zero while friction acts against the direction `d` of slip, and how
/// far the slip that comes out turns away from `d`.
struct Slide {
  Vec3 impulse;
  Real turn = 0;      // cross product of d and the slip
  bool fits = false;  // a positive impulse, and slip along d, not against it
};

Slide slide_along(const PackedContact& c, const Vec3& v, const SinCos& d) {
  const Mat3& w = c.w;
  Slide slide;
  const Real stiffness = w(0, 0) - c.mu * (w(0, 1) * d.cosine + w(0, 2) * d.sine);
  if (!(stiffness > 0)) return slide;
  const Real normal = -v.x / stiffness;
  slide.impulse = {normal, -c.mu * normal * d.cosine, -c.mu * normal * d.sine};
  const Vec3 u = v + w * slide.impulse;
  slide.turn = d.cosine * u.z - d.sine * u.y;
  slide.fits = d.cosine * u.y + d.sine * u.z > 0;
  return slide;
}

}  // namespace

Vec3 search_sliding_impulse(const PackedContact& c, const Vec3& v) {
  constexpr int kDirections = 24, kHalvings = 50;
  constexpr Real kStep = 6.283185307179586 / kDirections;
  for (int i = 0; i < kDirections; ++i) {
    Real low = i * kStep, high = (i + 1) * kStep;
    const Slide at_low = slide_along(c, v, sin_cos(low)), at_high = slide_along(c, v, sin_cos(high));
    if (!at_low.fits || !at_high.fits || at_low.turn * at_high.turn > 0) continue;
    for (int k = 0; k < kHalvings; ++k) {
      const Real middle = 0.5 * (low + high);
      (slide_along(c, v, sin_cos(middle)).turn * at_low.turn > 0 ? low : high) = middle;
    }
    return slide_along(c, v, sin_cos(low)).impulse;
  }
  return {};
}

}  // namespace carom
