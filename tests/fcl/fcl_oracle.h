// FCL's distances between Carom's shapes.
#pragma once

#include <optional>

#include "support/convex_pairs.h"

namespace carom::test {

struct FclAnswer {
  Real distance = 0;  ///< m, negative: penetration
  Vec3 on_a, on_b;    ///< m, world
};

/// Nothing where FCL throws, or has no answer for such a pair.
std::optional<FclAnswer> fcl_distance(const ConvexPair& pair);

}  // namespace carom::test
