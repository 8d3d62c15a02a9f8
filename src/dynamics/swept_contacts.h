// A contact stage that sweeps over the step's contacts itself: the frame that such methods share.
#pragma once

#include "carom/contact/problem.h"
#include "carom/contact/solution.h"
#include "dynamics/stage.h"
#include "solvers/packed.h"

namespace carom {

class SweptContacts : public ContactStage {
 public:
  explicit SweptContacts(bool warm_start) : warm_start_(warm_start) {}
  void resolve(StepContext& step) final;

 protected:
  /// Given `problem_`, and `packed_` with the bodies at their velocities and the impulses to start from. Leaves
  /// impulses, velocities and a report in `solution_`, which is empty.
  virtual void sweep(StepContext& step) = 0;

  const ContactPoint& contact(std::size_t packed) const {
    return problem_.contacts[static_cast<std::size_t>(packed_.schedule.source()[packed])];
  }

  StepProblem problem_;
  PackedProblem packed_;
  ContactSolution solution_;

 private:
  bool warm_start_;
};

}  // namespace carom
