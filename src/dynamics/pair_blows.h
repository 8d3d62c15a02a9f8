// All blows of two bodies that meet, at one instant.
//
// Impacts act at one point (dynamics/blow.h). Where two bodies touch at several, faces on each other or an edge on a
// face, all points of a patch that come together are struck at their common centre, again and again until none does.
#pragma once

#include <span>
#include <vector>

#include "collision/manifold.h"
#include "collision/time_of_impact.h"
#include "dynamics/blow.h"

namespace carom {

struct Blow {
  ImpactEvent event;  ///< without bodies and time
  BlowPoint at;
};

class PairBlows {
 public:
  /// Changes the velocities of two bodies that have met as `at` says. Returns what was done, in order; valid until the
  /// next call.
  std::span<const Blow> strike_all(const BlowRules& rules, const Material& material, const Pull& pull, const Impact& at,
                                   Body& a, Body& b);

 private:
  void find_points(const BlowRules& rules, const Impact& at, const Body& a, const Body& b);
  bool find_next(const BlowRules& rules, const Pull& pull, const Body& a, const Body& b, BlowPoint& next) const;
  void strike_whole(const BlowRules& rules, const Material& material, const Pull& pull, Body& a, Body& b);

  std::vector<Manifold> manifolds_;
  std::vector<BlowPoint> points_;  // those of one patch next to each other
  std::vector<Blow> blows_;
  DenseLu lu_;
};

}  // namespace carom
