// What a body is made from, and the state it is in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "carom/base/handle.h"
#include "carom/geometry/shape.h"
#include "carom/math/types.h"

namespace carom {

enum class BodyType : unsigned char {
  Dynamic,   ///< moved by forces and impulses
  Fixed,     ///< never moves
  Kinematic  ///< moves with its given velocity, feels nothing
};

/// Everything needed to add a body; a fresh one needs only a shape.
struct BodyDef {
  std::string name;  ///< for reports; need not be unique here (scene files insist that it is)
  BodyType type = BodyType::Dynamic;
  ShapePtr shape;
  Pose pose;                           ///< of the shape's frame, world
  Vec3 velocity;                       ///< m/s, of the centre of mass, world
  Vec3 angular_velocity;               ///< rad/s, world
  Vec3 force;                          ///< N, constant, at the centre of mass, world
  Vec3 torque;                         ///< N m, constant, world
  MaterialHandle material;             ///< null: the world's default material
  std::optional<Real> mass;            ///< kg; without it the density decides
  Real density = 1000;                 ///< kg/m³
  std::optional<Mat3> inertia;         ///< kg m², about the centre of mass, shape axes; without it the shape decides
  std::optional<Vec3> center_of_mass;  ///< m, in the shape's frame; without it the shape decides
  /// Two bodies collide where each one's mask has a bit of the other's category.
  std::uint64_t category = 1;
  std::uint64_t mask = ~std::uint64_t{0};
};

/// A box, world axes, m: where there are any, bodies freeze only with their centres of mass inside one.
struct ColdVolume {
  Vec3 min, max;
};

/// The state of a body at the current time, world frame.
struct BodyState {
  Vec3 position;          ///< m, centre of mass
  Quat orientation;       ///< of the shape's frame
  Vec3 velocity;          ///< m/s, of the centre of mass
  Vec3 angular_velocity;  ///< rad/s
};

}  // namespace carom
