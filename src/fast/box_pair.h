// Contact points of two boxes for the real-time step: quick, and made for contacts that are looked for well ahead.
#pragma once

#include "collision/manifold.h"
#include "fast/body_view.h"

namespace carom::fast {

/// The points with a gap of at most `known`, as in collision/pairs.h; `manifold.axis` holds the last search's choice.
/// Returns a gap below which there are no other points: `known`, or more where the boxes are farther apart. Requires
/// two boxes.
Real find_box_points(const Placed& a, const Placed& b, Real known, Manifold& manifold);

}  // namespace carom::fast
