// The contact stage of Bender and Schmitt: impulses from the gap and the drift predicted at the end of the step.
#pragma once

#include <cstdint>
#include <memory>

#include "dynamics/stage.h"

namespace carom {

/// How far a contact's points and normal are followed to the end of the step.
enum class ContactPrediction : std::uint8_t {
  Turning,  ///< points of corners and faces turn with their body; those of round surfaces roll over them
  Literal,  ///< every point turns with its body, as in the paper: a ball rolls on a corner and sinks
  Linear    ///< along straight lines
};

struct BenderOptions {
  int iterations = 0;  ///< largest number of passes over all contacts
  Real tolerance = 0;  ///< predicted penetration and drift that count as none, in units of v_ref dt
  ContactPrediction prediction = ContactPrediction::Turning;
  bool literal_friction = false;  ///< friction after the normal impulse, with marks for static contacts
  bool shock = false;             ///< shock propagation where the passes have not converged
  bool warm_start = false;        ///< start from the impulses of the last step
};

std::unique_ptr<ContactStage> make_bender_contacts(const BenderOptions& options);

}  // namespace carom
