// The depth of an overlap of any two convex sets from their support functions.
#pragma once

#include <functional>

#include "carom/math/types.h"

namespace carom {

/// The point of a set A − B that lies farthest along a direction: that of A along it less that of B against it.
using DifferenceSupport = std::function<Vec3(const Vec3&)>;

/// The distance of the origin from the boundary of a convex set with a volume, to 1e-12 of the set's size (1e-9 where
/// it is round), and never less than it is. Zero or less where the origin is not inside: then the value only says so.
Real depth_in(const DifferenceSupport& support);

}  // namespace carom
