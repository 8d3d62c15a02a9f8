// Two bodies that meet in flight, and nobody else near: they wait for each other where they meet, while their common
// centre of mass goes on.
//
// The collision stage of the next step bounces them; until then positions alone keep them apart. Pushed apart along the
// normal of the step's start, as bodies in contact are, they would slide past each other at the speed that they still
// have, and the lever arm of their bounce would be another: pairs that met off centre gained or lost up to half of
// their angular momentum. Stopped for the rest of the step, both would be spared a part of their fall. With their
// motion against each other cut at its time of impact t, and that of their centre left alone, the arm is that of their
// ways, (r + t u) × u = r × u, and gravity has its whole step: both momenta and the energy of the pair are kept, and
// balls part by the angle that the law of impact says, whatever dt is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collision/motion_pairs.h"
#include "dynamics/step_context.h"

namespace carom {

class Meetings {
 public:
  /// Changes the rates of bodies that meet so, and adds the pairs to `step.kept_apart`.
  void find(StepContext& step);
  /// Per body: meets another in flight. Their contacts, planes of the step's start, have nothing to tell.
  std::span<const char> marks() const { return marks_; }
  /// Those bodies, ascending, without who has been given another rate since.
  std::span<const StoppedBody> waiting(const Velocities& rates);
  /// The same among others that were stopped (ascending), who go before. Valid until the next call.
  std::span<const StoppedBody> join(std::span<const StoppedBody> stopped);

 private:
  void find_partners(const StepContext& step);
  void meet(StepContext& step, std::int32_t a, std::int32_t b);

  std::vector<std::int32_t> partner_;  // per body: whom alone it may meet, both in flight, or a negative number
  std::vector<char> touching_;         // per body: it touches another already
  std::vector<char> marks_;            // per body
  std::vector<Mover> movers_;          // of bodies with a partner
  std::vector<StoppedBody> waiting_, all_;
};

}  // namespace carom
