// The world: owns bodies and materials, finds contacts, and steps.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "carom/base/handle.h"
#include "carom/base/options.h"
#include "carom/contact/problem.h"
#include "carom/dynamics/body.h"
#include "carom/dynamics/force_field.h"
#include "carom/dynamics/material.h"
#include "carom/dynamics/query.h"
#include "carom/dynamics/report.h"
#include "carom/dynamics/suite.h"

namespace carom {

/// Settings of a world; a fresh one is valid.
struct WorldDef {
  Vec3 gravity{0, 0, -9.81};  ///< m/s²
  std::string suite{kDefaultSuite};
  Options options;                       ///< the suite's; default-constructed: the suite's defaults
  int threads = 1;                       ///< at least 1; the state does not depend on it
  std::vector<ColdVolume> cold_volumes;  ///< empty: bodies may freeze everywhere
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
  /// Acts on every dynamic body besides gravity and its own force (docs/step.md, "Forces"); empty: none. It may look at
  /// the world, whose bodies are then where they are at the start or at the end of the step, but not change it. Is not
  /// part of what `save` saves.
  void set_force_field(ForceField field);

  /// Frozen bodies are at rest and left out of the step until something revives them (docs/step.md, "Freezing").
  bool is_frozen(BodyHandle body) const;
  std::size_t frozen_count() const;
  /// Stops a dynamic body where it is, until something revives it; works whether or not the suite freezes bodies
  /// itself.
  void freeze(BodyHandle body);
  /// Does nothing to a body that is not frozen.
  void revive(BodyHandle body);

  /// Advances by dt > 0 seconds. A state that is no longer finite is reported, not thrown, and the last good one kept.
  StepReport step(Real dt);

  Real time() const;  ///< s
  const Vec3& gravity() const;
  /// Of the last step, those among bodies that do not move included (as inactive ones), and what the energy guard took
  /// (`ContactMode::Guard`): with these impulses and the forces every body's momentum balances.
  std::span<const ContactRecord> contacts() const;
  std::span<const ImpactStop> stops() const;  ///< of the last step, in order of time (`step=toi`)
  /// Of the last step, in order of time; event-driven suites only.
  std::span<const ImpactEvent> events() const;
  Real kinetic_energy() const;    ///< J
  Real potential_energy() const;  ///< J, of gravity, zero at the origin
  Vec3 momentum() const;          ///< N s
  /// Over time, poses and velocities, bit for bit: equal hashes mean equal states.
  std::uint64_t state_hash() const;

  /// What pairs the body collides in from the next step on, and which queries see it: see `BodyDef`.
  void set_filter(BodyHandle body, std::uint64_t category, std::uint64_t mask);
  std::uint64_t category(BodyHandle body) const;
  std::uint64_t mask(BodyHandle body) const;

  /// Queries see bodies where they are now, those added since the last step too. The first one after a change brings a
  /// tree of boxes up to date; each costs what it finds plus the logarithm of the number of bodies. Any number of
  /// threads may ask at once while none changes the world. Answers do not depend on what was asked before.
  ///
  /// The body that the ray enters first; where two are entered at once, the one that was given the lower slot.
  std::optional<RayHit> cast_ray(const Ray& ray, const QueryFilter& filter = {}) const;
  /// All bodies that the ray enters, nearest first.
  std::vector<RayHit> cast_ray_all(const Ray& ray, const QueryFilter& filter = {}) const;
  /// Whether the ray enters anything: cheaper than asking what.
  bool is_ray_blocked(const Ray& ray, const QueryFilter& filter = {}) const;
  /// The first body that the shape touches on its way from `start` along a straight translation (m, world). Found by
  /// conservative advancement: never late, and early by less than 1e-9 of the sizes. Requires a bounded shape.
  std::optional<ShapeHit> cast_shape(const Shape& shape, const Pose& start, const Vec3& translation,
                                     const QueryFilter& filter = {}) const;
  /// Bodies that overlap or touch the shape, in the order of their slots. Requires a bounded shape.
  std::vector<BodyHandle> overlaps(const Shape& shape, const Pose& pose, const QueryFilter& filter = {}) const;
  /// The body nearest to the shape, if any is no farther than `most`, m. Requires a bounded shape.
  std::optional<ClosestBody> closest_body(const Shape& shape, const Pose& pose,
                                          Real most = std::numeric_limits<Real>::infinity(),
                                          const QueryFilter& filter = {}) const;
  std::optional<ClosestBody> closest_body(const Vec3& point, Real most = std::numeric_limits<Real>::infinity(),
                                          const QueryFilter& filter = {}) const;

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
