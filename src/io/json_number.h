// Numbers as JSON text that reads back bit for bit.
#pragma once

#include <string>

#include "carom/math/types.h"

namespace carom {

/// The shortest text that gives the same double again; `null` where the number is not finite, which JSON cannot hold.
std::string json_number(double value);
/// `[x,y,z]`
std::string json_vector(const Vec3& v);
/// In quotes, with everything escaped that needs it; bytes that are not UTF-8 are replaced.
std::string json_string(const std::string& text);

}  // namespace carom
