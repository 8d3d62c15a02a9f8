// Two marbles that roll past each other, as polyhedra of any number of faces: what coherence is measured on.
#pragma once

#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

#include "geometry/closest_features.h"
#include "geometry/hull.h"
#include "math/trig.h"

namespace carom::test {

/// The hull of points spread over a unit sphere: an octahedron whose edges are cut in `cuts`, blown up. About 8·cuts²
/// faces.
inline std::shared_ptr<const Polyhedron> marble(int cuts) {
  std::vector<Vec3> points;
  for (int x = -cuts; x <= cuts; ++x)
    for (int y = std::abs(x) - cuts; y <= cuts - std::abs(x); ++y) {
      const int z = cuts - std::abs(x) - std::abs(y);
      for (const int side : {z, -z}) {
        points.push_back(normalized(Vec3{static_cast<Real>(x), static_cast<Real>(y), static_cast<Real>(side)}));
        if (z == 0) break;
      }
    }
  return make_hull(points).value();
}

/// One marble (radius 1) rolls past another that spins on its place, at a gap of a twentieth of the radius or more,
/// both by `turn` radians a query. Half a degree, the default, is what a marble of 16 mm that rolls at 0.1 m/s turns in
/// 0.7 ms, a step on the way to a time of impact; faces of the finest marbles are six times as wide.
class MarbleRun {
 public:
  static constexpr Real kTurn = 0.5 * 3.14159265358979 / 180;

  /// Poses for a number of queries, made beforehand so that queries alone are timed.
  MarbleRun(int cuts, int queries, Real turn = kTurn) : polyhedron_(marble(cuts)) {
    for (int i = 0; i < queries; ++i) {
      const Real angle = turn * i;
      // To and fro, so that any number of queries finds them near each other.
      const Real there = std::sin(0.05 * angle);
      still_.push_back({polyhedron_.get(), {}, to_matrix(rotation(angle * Vec3{0.36, 0.48, 0.8}))});
      rolling_.push_back(
          {polyhedron_.get(), {2 * there, 0.3 * there, 2.05}, to_matrix(rotation(angle * Vec3{0, 1, 0}))});
    }
  }

  int queries() const { return static_cast<int>(still_.size()); }
  const PlacedPolyhedron& still(int i) const { return still_[static_cast<std::size_t>(i)]; }
  const PlacedPolyhedron& rolling(int i) const { return rolling_[static_cast<std::size_t>(i)]; }
  const std::shared_ptr<const Polyhedron>& polyhedron() const { return polyhedron_; }

 private:
  std::shared_ptr<const Polyhedron> polyhedron_;
  std::vector<PlacedPolyhedron> still_, rolling_;
};

}  // namespace carom::test
