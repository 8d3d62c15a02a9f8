// One visit of a sweep to a pair of bodies: each contact gets the impulse that Coulomb's law asks for, the others held.
#pragma once

#include <algorithm>
#include <cmath>

#include "solvers/local.h"
#include "solvers/packed.h"

namespace carom {

/// The largest change of a contact's velocity.
inline Real relax_group(PackedProblem& packed, std::size_t group) {
  PairVelocity pair(packed, group);
  const ContactGroup& range = packed.schedule.groups()[group];
  Real largest = 0;
  for (auto k = static_cast<std::size_t>(range.first); k < static_cast<std::size_t>(range.last); ++k) {
    const PackedContact& c = packed.contacts[k];
    Vec3& impulse = packed.impulses[k];
    const Real normal = pair.along(c, 0);
    if (normal >= 0 && impulse == Vec3{}) continue;  // open, and stays open
    const Vec3 change = solve_contact(c, {normal, pair.along(c, 1), pair.along(c, 2)}, impulse) - impulse;
    impulse += change;
    pair.add(c, change);
    const Real scale = c.w.trace();
    largest = std::max(largest, squared_norm(change) * scale * scale);
  }
  pair.store(packed.bodies);
  return std::sqrt(largest) / 3;
}

}  // namespace carom
