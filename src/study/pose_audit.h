// The judge of a state, from poses alone: finite, nothing too deep in anything else, nothing outside. It knows neither
// the engine's contacts nor its geometry, so the same judge serves Carom's own tests and every engine of the benchmark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "carom/dynamics/body.h"
#include "carom/io/scene.h"
#include "carom/math/types.h"
#include "study/overlap.h"

namespace carom {

struct AuditBody {
  ShapePtr shape;
  BodyType type = BodyType::Dynamic;
};

/// A box of space, world axes, m.
struct Region {
  Vec3 low, high;
};

/// What one state looks like.
struct PoseReport {
  bool finite = true;                    ///< every pose; if not, nothing below was measured
  Real worst_depth = 0;                  ///< m, over all pairs with a dynamic body
  std::size_t worst_a = 0, worst_b = 0;  ///< the bodies of that pair
  Real depth_sum = 0;                    ///< m, over the overlapping pairs
  std::size_t overlaps = 0;              ///< pairs that overlap at all
  std::size_t outside =
      0;  ///< dynamic bodies whose centre is in none of the regions, or has passed through a fixed body
  std::size_t first_outside = 0;  ///< the first of them
};

/// A body is outside when its centre lies in none of the given regions (no regions: anywhere will do), or when the
/// straight way of its centre from the last judged state to this one enters a fixed body: a centre that starts inside
/// closed walls can leave them in no other way. Once outside by way of a wall, a body stays outside.
class PoseAudit {
 public:
  explicit PoseAudit(std::vector<AuditBody> bodies, std::vector<Region> inside = {});

  /// Judges the state with these poses (of the shapes' frames, in body order). Call it state after state: it remembers
  /// centres.
  PoseReport judge(std::span<const Pose> poses);

 private:
  bool place(std::span<const Pose> poses);
  void check_outside(PoseReport& report);
  void check_large(PoseReport& report) const;
  void check_grid(PoseReport& report);
  void check_pair(std::size_t a, std::size_t b, PoseReport& report) const;

  std::vector<AuditBody> bodies_;
  std::vector<Region> inside_;
  std::vector<PlacedShape> placed_;
  std::vector<Vec3> last_centers_;   // empty before the first state
  std::vector<bool> escaped_;        // went through a wall
  std::vector<std::size_t> large_;   // bodies larger than a cell: tried against all others
  std::vector<std::size_t> small_;   // those that the grid holds
  std::vector<std::size_t> walls_;   // the fixed bodies
  Real cell_ = 1;                    // m: no small body is wider
  std::vector<std::int64_t> heads_;  // the grid: first entry of each bucket, then a chain; -1 ends it
  std::vector<std::int64_t> next_;
};

std::vector<AuditBody> audit_bodies(const Scene& scene);

/// The poses of the bodies' shapes, in world (and scene) order.
std::vector<Pose> shape_poses(const World& world);

}  // namespace carom
