// Exact mass properties of each kind of shape, for a uniform density.
#pragma once

#include "carom/geometry/shape.h"
#include "geometry/polyhedron.h"

namespace carom {

MassProperties solid(const Sphere& sphere, Real density);
MassProperties solid(const Box& box, Real density);
MassProperties solid(const Capsule& capsule, Real density);
MassProperties solid(const Cylinder& cylinder, Real density);
MassProperties solid(const Cone& cone, Real density);
MassProperties solid(const Ellipsoid& ellipsoid, Real density);
MassProperties solid(const Polyhedron& polyhedron, Real density);
/// Parts without a density of their own get `density`.
MassProperties solid(const Compound& compound, Real density);

}  // namespace carom
