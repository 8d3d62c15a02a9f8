// The objects of a contact problem file.
#pragma once

#include <span>

#include "io/object_spec.h"

namespace carom::problem_keys {

extern const ObjectSpec kProblem;
extern const ObjectSpec kBody;
extern const ObjectSpec kContact;
extern const ObjectSpec kRow;

/// All of the above, the problem first.
std::span<const ObjectSpec* const> all();

}  // namespace carom::problem_keys
