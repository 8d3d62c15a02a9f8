// One run of a scene in Bullet's world with one solver, judged from poses alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "carom/bullet.h"
#include "carom/io/scene.h"

namespace carom {

/// Bullet's own solver, or Carom's with these settings.
struct Contestant {
  std::string name;
  int iterations = 0;  ///< of Bullet's own solver; 0: Carom's
  BulletSettings settings;
};

struct Outcome {
  std::vector<std::vector<Pose>> states;  ///< by step, the start first
  Real worst_penetration = 0;             ///< m, over the run
  Real rest_penetration = 0;              ///< m, deepest in the last second
  double seconds = 0;                     ///< CPU time of all steps
  double rest_seconds = 0;                ///< of those of the last second
  std::optional<Real> residual;           ///< worst Coulomb residual of Carom's steps, in units of v_ref
  std::string note;                       ///< what Carom left to Bullet's own solver
};

Outcome run(const Scene& scene, const Contestant& contestant);

/// m: the largest way of a dynamic body between two states.
Real largest_way(const Scene& scene, const std::vector<Pose>& from, const std::vector<Pose>& to);
/// m/s along x, from the last two states.
std::vector<Real> last_speeds(const Scene& scene, const Outcome& outcome);

}  // namespace carom
