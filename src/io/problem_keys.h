// The objects of a contact problem file, and of an impact file, which is a problem with one contact.
#pragma once

#include <span>

#include "io/object_spec.h"

namespace carom::problem_keys {

extern const ObjectSpec kProblem;
extern const ObjectSpec kImpact;
extern const ObjectSpec kBody;
extern const ObjectSpec kContact;
extern const ObjectSpec kRow;

/// Those of a problem, the problem first.
std::span<const ObjectSpec* const> all();
/// Those of an impact, the impact first.
std::span<const ObjectSpec* const> all_of_impact();

}  // namespace carom::problem_keys
