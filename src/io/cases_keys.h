// The objects of a file of validation cases.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/object_spec.h"

namespace carom::cases_keys {

extern const ObjectSpec kCases;
extern const ObjectSpec kCase;
extern const ObjectSpec kScore;

/// How a measured value is compared, as a score's `mode` says it.
const std::vector<std::string>& mode_names();

/// All of the above, the file first.
std::span<const ObjectSpec* const> all();

}  // namespace carom::cases_keys
