// Contact points of two boxes for the real-time step: quick, and made for contacts that are looked for well ahead.
#pragma once

#include "collision/manifold.h"
#include "fast/body_view.h"

namespace carom::fast {

/// The points with a gap of at most `known`, as in collision/pairs.h; `manifold.axis` holds the last search's choice.
/// Requires two boxes.
void find_box_points(const Placed& a, const Placed& b, Real known, Manifold& manifold);

}  // namespace carom::fast
