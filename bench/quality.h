// How good a run was, from poses alone: overlaps, what moved that should have rested, energy. It asks no engine for
// contacts, velocities or energies, and its overlaps, masses and velocities are its own; so every engine is judged
// alike, Carom among them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "carom/io/scene.h"
#include "study/pose_audit.h"

namespace carom::bench {

/// What a scene asks beside overlap.
enum class Task : unsigned char {
  None,     ///< overlaps only
  Stack,    ///< the top body of a stack must stay where it is
  Incline,  ///< a body on a slope must not creep
  Slide,    ///< a body must stop after v²/(2 μ g)
  Cradle,   ///< of equal balls in a row, the last takes the velocity of the first, and all others rest
  Pour      ///< bodies fall through a neck
};

/// A figure that only some scenes have.
struct Figure {
  std::string name;  ///< as in JSON, with the unit: `drift_mm`
  double value = 0;
};

struct Quality {
  bool finite = true;
  int steps = 0;               ///< that were judged; the start is not one of them
  Real worst_penetration = 0;  ///< m, of any pair after any step
  Real mean_penetration = 0;   ///< m, over all overlapping pairs of all steps
  Real rest_penetration = 0;   ///< m, of any pair in the second half of the run
  std::size_t lost = 0;        ///< bodies that went through a fixed one
  /// The largest rise of mechanical energy above its running minimum, relative to Σ m·|g|·size of the dynamic bodies:
  /// sizes that it would lift each by. Without gravity: relative to the energy at the start. None for shapes whose mass
  /// the judge does not know.
  std::optional<Real> energy_rise;
  std::vector<Figure> figures;  ///< of the scene's task; empty if the run ended early

  const Figure* find(std::string_view name) const;
};

/// Mass and principal moments about the centre, which is the frame's origin: sphere, box, capsule, cylinder.
struct JudgedMass {
  Real mass = 0;  ///< kg
  Vec3 moments;   ///< kg m²
  Real size = 0;  ///< m: the least extent of the shape along its axes
};
std::optional<JudgedMass> judged_mass(const BodyDef& def);

class QualityJudge {
 public:
  /// Of a run of `duration` seconds. `neck` is the height below which a body has been poured, m. The scene must outlive
  /// the judge.
  QualityJudge(const Scene& scene, Real duration, Task task, Real neck = 0);

  /// The poses of the shapes' frames in scene order, after the next step.
  void add(const std::vector<Pose>& poses);
  /// Of the run so far; `complete` says that it reached its end, where the figures of the task are taken.
  Quality quality(bool complete) const;

 private:
  void follow_energy(const std::vector<Pose>& poses);
  Real energy_between(const std::vector<Pose>& from, const std::vector<Pose>& to) const;
  Vec3 velocity_at_end(std::size_t body) const;
  void add_stack(Quality& quality) const;
  void add_slide(Quality& quality) const;
  void add_cradle(Quality& quality) const;
  void add_pour(Quality& quality) const;

  const Scene& scene_;
  Real duration_;
  Task task_;
  Real neck_;
  PoseAudit audit_;
  std::vector<Pose> start_, last_, before_, early_, middle_;  // early_, middle_: after a tenth of the run, half of it
  std::vector<std::size_t> dynamic_;
  std::vector<std::optional<JudgedMass>> masses_;
  std::vector<Real> energies_;  // J, of the last three steps, a ring
  Quality running_;
  Real depth_sum_ = 0;
  std::size_t overlaps_ = 0;
  bool knows_masses_ = true;
  Real mass_times_size_ = 0;  // kg m, summed over the dynamic bodies
  std::optional<Real> first_energy_, lowest_energy_;
  Real energy_rise_ = 0;  // J
};

}  // namespace carom::bench
