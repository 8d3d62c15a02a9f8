// A marble that rolls over a plate and towards another marble, looked at when an impulse-based simulation would: at the
// times before which no collision is possible (Mirtich and Canny 1995, section 3.1).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "support/marbles.h"

namespace carom::test {

/// A marble of radius 8 mm rolls at 0.1 m/s; lengths are in radii. It rests on the plate by collisions: whenever it is
/// nearer than the envelope (3e-4 of its diameter, as in the paper) it is sent up again, as slowly as lets it just
/// leave the envelope. The next look is when the bound on its motion, that of its centre and of its farthest corner
/// about it, has used up the distance. What it turns between two looks is therefore at most the distance over the
/// radius, however fast it is.
class RollingMarble {
 public:
  static constexpr Real kEnvelope = 6e-4, kTurnRate = 12.5 /* rad/s */, kGravity = 9.81 / 0.008 /* radii/s² */;

  RollingMarble(int cuts, int queries)
      : marble_(marble(cuts)), plate_(std::make_shared<Polyhedron>(Polyhedron::box({40, 4, 1}))) {
    Real height = 1 + kEnvelope, rise = 0, x = -10, angle = 0, marble_wait = 0;
    const PlacedPolyhedron plate{plate_.get(), {0, 0, -1}, Mat3::identity()};
    std::array<FeaturePair, 2> features;
    while (static_cast<int>(looks_.size()) < queries) {
      const Mat3 turned = to_matrix(rotation(angle * Vec3{0, 1, 0}) * rotation(Vec3{0.3, 0.2, 0.1}));
      const PlacedPolyhedron rolling{marble_.get(), {x, 0, height}, turned};
      const ClosestFeatures ground = look(plate, rolling, 0, features);
      const Vec3 arm = ground.nearest.on_b - rolling.position;
      // Its surface comes down by turning too; what counts is how fast the point that is nearest does.
      const Real point_rise = rise + cross(Vec3{0, kTurnRate, 0}, arm).z;
      if (ground.nearest.distance < kEnvelope && point_rise < 0)
        rise += std::sqrt(2 * kGravity * kEnvelope) - point_rise;
      Real wait = time_to_use_up(std::max(ground.nearest.distance, 0.1 * kEnvelope), rise);
      if (marble_wait <= 0) {
        const PlacedPolyhedron other{marble_.get(), {0, 0, 1 + kEnvelope}, Mat3::identity()};
        const ClosestFeatures beside = look(other, rolling, 1, features);
        // Centre and surface approach at the rolling speed each. Arrived: it starts again from afar.
        if (beside.penetrating || beside.nearest.distance < kEnvelope) {
          x = -10;
          continue;
        }
        marble_wait = beside.nearest.distance / (2 * kTurnRate);
      }
      wait = std::min(wait, marble_wait);
      marble_wait -= wait;
      turned_ += kTurnRate * wait;
      angle += kTurnRate * wait;
      x += kTurnRate * wait;
      height += wait * (rise - 0.5 * kGravity * wait);
      rise -= kGravity * wait;
    }
  }

  int queries() const { return static_cast<int>(looks_.size()); }
  /// One query; features are kept for each pair of bodies.
  ClosestFeatures ask(int i, std::array<FeaturePair, 2>& features) const {
    const Look& l = looks_[static_cast<std::size_t>(i)];
    return closest_features(l.a, l.b, features[l.pair]);
  }
  Real turn_a_query() const { return turned_ / queries(); }  ///< rad, mean
  Real share_of_marbles() const {
    return static_cast<Real>(std::count_if(looks_.begin(), looks_.end(), [](const Look& l) { return l.pair == 1; })) /
           queries();
  }

 private:
  struct Look {
    PlacedPolyhedron a, b;
    std::size_t pair = 0;  // 0: plate and marble, 1: two marbles
  };

  ClosestFeatures look(const PlacedPolyhedron& a, const PlacedPolyhedron& b, std::size_t pair,
                       std::array<FeaturePair, 2>& features) {
    looks_.push_back({a, b, pair});
    return closest_features(a, b, features[pair]);
  }
  /// The first time at which distance + (rise − turning) t − ½ g t² can be zero; corners are at the radius.
  static Real time_to_use_up(Real distance, Real rise) {
    const Real b = kTurnRate - rise;
    return 2 * distance / (b + std::sqrt(b * b + 2 * kGravity * distance));
  }

  std::shared_ptr<const Polyhedron> marble_, plate_;
  std::vector<Look> looks_;
  Real turned_ = 0;
};

}  // namespace carom::test
