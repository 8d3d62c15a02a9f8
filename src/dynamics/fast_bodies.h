// The world's bodies as the real-time step works on them: views for detection, frames and motions for the kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "base/aligned.h"
#include "collision/broad_phase.h"
#include "dynamics/forces.h"
#include "dynamics/state.h"
#include "fast/body_view.h"
#include "fast/substeps.h"

namespace carom {

class FastBodies {
 public:
  /// Fixed and frozen bodies where they are now; needed when any of them has changed.
  void view_still(const WorldState& world, BroadPhase& broad);
  /// Bodies that are awake, with boxes for a step of dt.
  void view_awake(const WorldState& world, Real dt, BroadPhase& broad);
  void forget(std::int32_t body, BroadPhase& broad);

  /// Velocities at the start of the step.
  void start_motions(const WorldState& world);
  /// What forces will add. Gives the world's bodies their velocities after forces. Requires `start_motions`.
  void start(WorldState& world, Real dt, int substeps, Forces& forces);
  /// Gives a body that is active what contacts have given it.
  void take_impulses(WorldState& world, std::int32_t index) const;
  /// The pose at the end of the step; `move` and `turn` become the way that the body has gone, m and rad.
  void finish(WorldState& world, std::int32_t index, Real dt, const Forces& forces, Vec3& move, Vec3& turn);

  /// m: beside what motion asks for, how near counts as touching soon.
  static Real least_margin(const WorldState& world, Real dt) { return norm(world.gravity) * dt * dt; }

  std::vector<fast::BodyView> views;    // by slot
  AlignedVector<fast::Frame> frames;    // by slot
  std::vector<std::int32_t> motion_of;  // by slot: 0 for those that stand still
  std::vector<char> takes;              // by slot: takes impulses
  fast::Motions motions;
  /// By motion: what contacts have given, N s and N m s, and whether any has.
  Velocities impulses;
  std::vector<char> touched;

 private:
  void resize(std::size_t count);
  void view(const Body& body, std::int32_t index, Real dt, Real margin, BroadPhase& broad);
  Vec3 whitened(const Body& body, std::int32_t index, const Vec3& rate) const;

  Velocities before_;  // by motion: velocities before forces
};

}  // namespace carom
