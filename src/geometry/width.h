// The smallest distance of two parallel planes that hold a shape between them.
#pragma once

#include "carom/geometry/shape.h"
#include "geometry/polyhedron.h"

namespace carom {

Real width(const Polyhedron& polyhedron);
/// Zero for a plane; of a compound, the least of its parts'.
Real width(const Shape::Geometry& geometry);

}  // namespace carom
