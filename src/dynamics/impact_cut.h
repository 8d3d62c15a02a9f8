// Where a step is cut: the first time of impact of what is left of it (Bender and Schmitt 2006; Mirtich and Canny 1995,
// section 3.1). docs/step.md, "Stepping to times of impact".
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "collision/motion_pairs.h"
#include "dynamics/midway.h"
#include "dynamics/stage.h"

namespace carom {

class ImpactCut {
 public:
  /// Shortens `step.dt` to the first impact, if there is one before its end, and notes it in the world's stops. Asks
  /// the contact stage what it would do, half way where that is where contacts act (else null). At most `most_stops` in
  /// a step.
  void find(StepContext& step, ContactStage& contacts, Midway* midway, int most_stops);
  /// Contacts were found for whatever collisions might do. Now that they are over, most gaps turn out not to close.
  void drop_contacts_out_of_reach(StepContext& step);
  /// Contacts that collided and parted, with the impulse on b: they were dropped, but not what they did.
  const std::vector<std::pair<StepContact, Vec3>>& flown() const { return flown_; }
  /// To be called where steps are not cut, or before the first cut.
  void reset() { to_impact_ = false; }

 private:
  void find_touching(const StepContext& step);
  void predict(StepContext& step, ContactStage& contacts, Midway* midway);
  std::optional<FirstImpact> first_closing(const StepContext& step, Real end, Real tolerance) const;
  bool flies(const StepContext& step, const StepContact& contact) const;

  bool to_impact_ = false;  // this part ends at an impact, or no impact is left
  MotionPairs ways_;
  std::vector<Mover> movers_;
  std::vector<BroadPhase::Pair> touching_;  // pairs with a contact that stays closed, both ways round, sorted
  std::vector<std::pair<StepContact, Vec3>> flown_;
  Velocities start_;  // velocities at the start of a prediction
};

}  // namespace carom
