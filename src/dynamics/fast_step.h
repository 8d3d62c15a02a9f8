// The real-time step: one search for contacts, then n times the same small step.
#pragma once

#include <memory>

#include "dynamics/forces.h"
#include "dynamics/freezer.h"
#include "dynamics/stepper.h"

namespace carom {

struct FastSettings {
  int substeps = 12;
  Damping damping;
  Freezing freezing;
  int residual_every = 8;  ///< steps; 0: never
};

std::unique_ptr<Stepper> make_fast_step(const FastSettings& settings);

}  // namespace carom
