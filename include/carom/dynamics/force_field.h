// Forces that depend on where a body is, how it moves, and when.
#pragma once

#include <functional>

#include "carom/base/handle.h"
#include "carom/dynamics/body.h"
#include "carom/math/types.h"

namespace carom {

/// World axes, at the centre of mass.
struct AppliedForce {
  Vec3 force;   ///< N
  Vec3 torque;  ///< N m
};

/// What a force field is asked about.
struct FieldPoint {
  BodyHandle body;
  BodyState state;
  Real mass = 0;  ///< kg
  Real time = 0;  ///< s, of the world
};

/// What acts on a dynamic body besides gravity and its own constant force. Must be a function of the point alone, and
/// of the positions of other bodies if it looks at the world; it is called several times a step, by one thread.
using ForceField = std::function<AppliedForce(const FieldPoint& point)>;

}  // namespace carom
