#include "geometry/shape_cast.h"

#include <algorithm>

#include "geometry/bounds.h"

namespace carom {

std::optional<ShapeTouch> cast_shape(const Placed& a, const Vec3& translation, const Placed& b, Real most) {
  constexpr Real kTouch = 1e-9;
  constexpr int kMostSteps = 500;  // a dozen is usual; only a grazing touch of round shapes needs many
  const Real tolerance = kTouch * std::max(bounding_radius(*a.geometry), bounding_radius(*b.geometry));
  Placed moved = a;
  DistanceHint hint;
  Real fraction = 0;
  SurfacePair nearest = signed_distance(moved, b, hint);
  for (int step = 0; nearest.distance > tolerance; ++step) {
    const Real approach = dot(translation, nearest.normal);
    if (approach <= 0) return std::nullopt;
    const Real next = fraction + nearest.distance / approach;
    if (!(next <= most)) return std::nullopt;
    // No more digits to gain, or a touch that comes ever so slowly nearer: early, and by less than is left.
    if (next == fraction || step == kMostSteps) break;
    fraction = next;
    moved.position = a.position + fraction * translation;
    nearest = signed_distance(moved, b, hint);
  }
  return ShapeTouch{fraction, nearest.on_b, nearest.normal};
}

}  // namespace carom
