// Two marbles that roll past each other, as polyhedra of any number of faces: what coherence is measured on.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "geometry/closest_features.h"
#include "math/trig.h"

namespace carom::test {

/// A unit sphere of 8·4^k faces: an octahedron whose triangles are split in four, again and again.
inline std::shared_ptr<const Polyhedron> marble(int faces) {
  std::vector<Vec3> points{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  std::vector<std::vector<std::int32_t>> triangles{{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                                   {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  while (static_cast<int>(triangles.size()) < faces) {
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> middles;
    const auto middle = [&](std::int32_t p, std::int32_t q) {
      const auto key = std::minmax(p, q);
      const auto [at, is_new] = middles.try_emplace({key.first, key.second}, static_cast<std::int32_t>(points.size()));
      if (is_new)
        points.push_back(normalized(points[static_cast<std::size_t>(p)] + points[static_cast<std::size_t>(q)]));
      return at->second;
    };
    std::vector<std::vector<std::int32_t>> split;
    for (const auto& t : triangles) {
      const std::int32_t x = middle(t[0], t[1]), y = middle(t[1], t[2]), z = middle(t[2], t[0]);
      split.insert(split.end(), {{t[0], x, z}, {x, t[1], y}, {z, y, t[2]}, {x, y, z}});
    }
    triangles = std::move(split);
  }
  return std::make_shared<const Polyhedron>(std::move(points), triangles);
}

/// One marble (radius 1) rolls past another that spins on its place, at a gap of a twentieth of the radius or more,
/// both by `turn` radians a query. Half a degree, the default, is what a marble of 16 mm that rolls at 0.1 m/s turns in
/// 0.7 ms, a step on the way to a time of impact; faces of the finest marbles are six times as wide.
class MarbleRun {
 public:
  static constexpr Real kTurn = 0.5 * 3.14159265358979 / 180;

  /// Poses for a number of queries, made beforehand so that queries alone are timed.
  MarbleRun(int faces, int queries, Real turn = kTurn) : polyhedron_(marble(faces)) {
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
