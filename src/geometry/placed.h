// A shape placed in the world.
#pragma once

#include "carom/geometry/shape.h"

namespace carom {

struct Placed {
  const Shape::Geometry* geometry = nullptr;
  Vec3 position;  ///< m, of the shape's frame
  Mat3 rotation;  ///< of its orientation
};

}  // namespace carom
