// A name for what a shape looks like: equal for shapes of equal kind and size, whether they are one object or two.
#pragma once

#include <string>

#include "carom/geometry/shape.h"

namespace carom {

/// Bytes, not text.
std::string shape_key(const Shape& shape);

}  // namespace carom
