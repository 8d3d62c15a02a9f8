// Closest features of two convex polyhedra, walked to from those of the last query.
//
// M. C. Lin, J. F. Canny, "A fast algorithm for incremental distance calculation", 1991; B. Mirtich, "V-Clip: fast and
// robust polyhedral collision detection", 1998. A pair of features (corner, edge or face of each) is the nearest one if
// neither of its two nearest points can move over its polyhedron towards the other. If one can, the feature that it
// moves on to replaces the one it leaves, and with the features of the last query as a start few such steps are needed,
// however many faces there are.
//
// Every step makes the distance between the two features strictly smaller, as a number of the machine: so no pair of
// features comes back, and the walk ends. Where a corner lies below the face that it is nearest to, the way through the
// inside leads to a face that is nearer, or the corner is inside: the local minima that Lin and Canny's planes have.
#pragma once

#include <cstdint>

#include "geometry/distance.h"
#include "geometry/polyhedron.h"

namespace carom {

struct PolyhedronFeature {
  enum class Kind : std::uint8_t { Vertex, Edge, Face };
  Kind kind = Kind::Vertex;
  std::int32_t index = 0;

  bool operator==(const PolyhedronFeature&) const = default;
};

struct FeaturePair {
  PolyhedronFeature a, b;

  bool operator==(const FeaturePair&) const = default;
};

struct PlacedPolyhedron {
  const Polyhedron* polyhedron = nullptr;
  Vec3 position;  ///< m, of its frame
  Mat3 rotation;
};

struct ClosestFeatures {
  SurfacePair nearest;       ///< meaningless where they penetrate
  int steps = 0;             ///< how often the pair of features changed
  bool penetrating = false;  ///< or touch so closely that corners and edges give no direction: ask signed_distance
  bool gave_up = false;      ///< more steps than any walk should take: the answer is that of signed_distance
};

/// `features` is where the walk starts (any valid pair; the default is one) and what it found.
ClosestFeatures closest_features(const PlacedPolyhedron& a, const PlacedPolyhedron& b, FeaturePair& features);

}  // namespace carom
