// The stages of Guendelman, Bridson and Fedkiw: collisions at predicted positions, contacts from the ground up.
#pragma once

#include <memory>

#include "dynamics/stage.h"

namespace carom {

/// `bounces` is one pass over the contacts that are closed; `iterations` is how often collisions are looked for.
std::unique_ptr<CollisionStage> make_guendelman_collisions(std::unique_ptr<CollisionStage> bounces, int iterations);

struct GuendelmanOptions {
  int rounds = 10;          ///< over all levels, while the restitution rises to zero
  int level_sweeps = 5;     ///< sweeps over a level before the next
  int iterations = 0;       ///< largest number of rounds without restitution that follow; accumulated impulses only
  Real tolerance = 0;       ///< change of velocity in a round that counts as none, in units of v_ref
  bool accumulate = true;   ///< impulses may be taken back; else each one only pushes, as in the paper
  bool shock = true;        ///< shock propagation at the end
  bool warm_start = false;  ///< start from the impulses of the last step; accumulated impulses only
};

std::unique_ptr<ContactStage> make_guendelman_contacts(const GuendelmanOptions& options);

}  // namespace carom
