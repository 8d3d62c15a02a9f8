// The world: owns bodies and materials, finds contacts, and steps.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "carom/base/handle.h"
#include "carom/base/options.h"
#include "carom/contact/problem.h"
#include "carom/dynamics/body.h"
#include "carom/dynamics/material.h"
#include "carom/dynamics/report.h"
#include "carom/dynamics/suite.h"

namespace carom {

/// Settings of a world; a fresh one is valid.
struct WorldDef {
  Vec3 gravity{0, 0, -9.81};  ///< m/s²
  std::string suite{kDefaultSuite};
  Options options;  ///< the suite's; default-constructed: the suite's defaults
  int threads = 1;  ///< at least 1; the state does not depend on it
};

/// Which contact problem of a step to look at.
enum class Stage : std::uint8_t { Collisions, Contacts };

class World {
 public:
  /// Requires a suite of the registry and options made for it.
  explicit World(const WorldDef& def = {});
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  /// Requires 0 ≤ friction ≤ static friction and 0 ≤ restitution ≤ 1.
  MaterialHandle add_material(const Material& material);
  /// What holds between these two instead of the combination rule. Both may be the same; null is the default material.
  void set_pair(MaterialHandle a, MaterialHandle b, const Material& material);
  /// The material of bodies that name none.
  void set_default_material(const Material& material);

  /// Requires a shape, finite numbers, and a positive mass where the body is dynamic.
  BodyHandle add_body(const BodyDef& def);
  void remove_body(BodyHandle body);
  bool contains(BodyHandle body) const;

  /// Bodies in the order in which they were added.
  std::vector<BodyHandle> bodies() const;
  std::size_t body_count() const;
  const std::string& name(BodyHandle body) const;
  BodyType type(BodyHandle body) const;
  const ShapePtr& shape(BodyHandle body) const;
  BodyState state(BodyHandle body) const;
  Pose shape_pose(BodyHandle body) const;  ///< of the shape's frame, world
  Real mass(BodyHandle body) const;        ///< kg; infinite for fixed and kinematic bodies
  Mat3 inertia(BodyHandle body) const;     ///< kg m², about the centre of mass, world axes; dynamic bodies only

  void set_state(BodyHandle body, const BodyState& state);
  void set_velocity(BodyHandle body, const Vec3& velocity, const Vec3& angular_velocity);
  /// Constant until set again, world axes, at the centre of mass.
  void set_force(BodyHandle body, const Vec3& force, const Vec3& torque = {});

  /// Advances by dt > 0 seconds. A state that is no longer finite is reported, not thrown, and the last good one kept.
  StepReport step(Real dt);

  Real time() const;  ///< s
  const Vec3& gravity() const;
  std::span<const ContactRecord> contacts() const;  ///< of the last step
  Real kinetic_energy() const;                      ///< J
  Real potential_energy() const;                    ///< J, of gravity, zero at the origin
  Vec3 momentum() const;                            ///< N s
  /// Over time, poses and velocities, bit for bit: equal hashes mean equal states.
  std::uint64_t state_hash() const;

  /// Everything that the coming steps depend on and that stepping changes, as bytes: a world that is given them back
  /// goes on bit for bit. For saving, rolling back and branching off.
  std::string save() const;
  /// Requires the bytes of `save` from a world with the same bodies, suite and options, no body added or removed since,
  /// in the same version of Carom. Empty when done; else why not, and the world is as it was.
  [[nodiscard]] std::string restore(std::string_view saved);

  /// Called inside `step` with each contact problem before it is solved. For inspection and dumps.
  using ProblemObserver = std::function<void(Stage, const ContactProblem&)>;
  void set_problem_observer(ProblemObserver observer);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace carom
