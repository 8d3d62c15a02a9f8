// The state that a World holds and a stepper advances.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/thread_pool.h"
#include "carom/dynamics/body.h"
#include "carom/dynamics/force_field.h"
#include "carom/dynamics/material.h"
#include "carom/dynamics/report.h"

namespace carom {

/// A slot for a body. Positions are those of the centre of mass; everything is in world axes unless it says local.
struct Body {
  std::uint32_t generation = 0;
  bool alive = false;
  BodyType type = BodyType::Fixed;
  std::int32_t material = 0;  // index into the material table
  std::uint64_t category = 1, mask = ~std::uint64_t{0};
  ShapePtr shape;
  std::string name;

  Real inverse_mass = 0;
  Mat3 inertia_local, inverse_inertia_local;  // about the centre of mass, shape axes
  Vec3 center_local;                          // centre of mass in the shape's frame
  Real radius = 0;                            // bounding radius about the centre of mass

  Vec3 position;
  Quat orientation;
  Vec3 velocity, angular_velocity;
  Vec3 force, torque;

  Mat3 rotation;         // of `orientation`
  Mat3 inverse_inertia;  // world axes; zero for bodies that take no impulses

  bool frozen = false;  // dynamic bodies only: at rest and left out

  /// Moved by forces and impulses, unless it is frozen.
  bool is_dynamic() const { return alive && type == BodyType::Dynamic; }
  /// Moved by forces and impulses now.
  bool is_active() const { return is_dynamic() && !frozen; }
  /// Takes no impulses now and stays where it is.
  bool stands_still() const {
    return frozen || type == BodyType::Fixed ||
           (type == BodyType::Kinematic && velocity == Vec3{} && angular_velocity == Vec3{});
  }
  /// After a change of pose: the values that follow from it.
  void refresh();
  Mat3 inertia() const;
  Vec3 shape_position() const { return position - rotation * center_local; }
};

/// Surface properties of every pair of materials.
class MaterialTable {
 public:
  MaterialTable() : materials_(1) {}

  std::int32_t add(const Material& material);
  void set(std::int32_t index, const Material& material) {
    materials_[static_cast<std::size_t>(index)] = material;
    ++changes_;
  }
  void set_pair(std::int32_t a, std::int32_t b, const Material& material);
  std::int32_t size() const { return static_cast<std::int32_t>(materials_.size()); }
  /// Calls must be cheap: one for each contact and step.
  Material pair(std::int32_t a, std::int32_t b) const;
  /// How often what holds between known materials has changed.
  std::int64_t changes() const { return changes_; }

 private:
  struct PairEntry {
    std::int32_t a = 0, b = 0;  // a ≤ b
    Material material;
  };
  std::vector<Material> materials_;  // index 0 is the default
  std::vector<PairEntry> pairs_;
  std::int64_t changes_ = 0;
};

struct WorldState {
  std::vector<Body> bodies;          // slots; problems use the same indices
  std::vector<std::uint32_t> order;  // slots in the order in which their bodies were added
  MaterialTable materials;
  Vec3 gravity;
  ForceField field;                      // of the caller; may be empty
  bool field_used = false;               // there is one, or has been
  std::vector<ColdVolume> cold_volumes;  // where bodies may freeze; empty: everywhere
  Real time = 0;
  Real smallest_size = 0;           // m, over dynamic bodies; zero without any
  std::vector<std::int32_t> awake;  // bodies that move: dynamic and not frozen, or kinematic; ascending
  std::int64_t frozen_count = 0;
  Real frozen_potential_energy = 0;   // J
  std::uint64_t still_hash = 0;       // sum over bodies that are not awake
  bool membership_changed = true;     // the four above have to be found again
  std::uint64_t still_version = 0;    // another one whenever bodies that are not awake may have changed; of all worlds
  bool still_bodies_changed = true;   // some body that is not awake was added or changed
  std::vector<std::int32_t> removed;  // bodies since the last step
  std::vector<std::int32_t> edited;   // bodies removed, placed or filtered anew since the last step: their neighbours
                                      // cannot go on resting
  std::vector<std::pair<std::int32_t, BodyState>> revived;  // in the last step, with the states that they had
  std::vector<ContactRecord> contacts;                      // of the last step
  std::vector<ImpactStop> stops;                            // of the last step
  std::vector<ImpactEvent> events;                          // of the last step

  Body& at(std::int32_t body) { return bodies[static_cast<std::size_t>(body)]; }
  const Body& at(std::int32_t body) const { return bodies[static_cast<std::size_t>(body)]; }
  /// Brings `awake` and what belongs to it up to date.
  void find_awake();
  BodyHandle handle(std::int32_t body) const {
    return {static_cast<std::uint32_t>(body) + 1, bodies[static_cast<std::size_t>(body)].generation};
  }
};

/// J, as if it had these velocities.
Real kinetic_energy(const Body& body, const Vec3& velocity, const Vec3& angular_velocity);
Real kinetic_energy(const Body& body);
Real kinetic_energy(const WorldState& world);
Real potential_energy(const WorldState& world);
Vec3 momentum(const WorldState& world);
std::uint64_t state_hash(WorldState& world);

}  // namespace carom
