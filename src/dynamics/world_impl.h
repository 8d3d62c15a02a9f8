// What stands behind a World: the state, its stepper, and the boxes that queries search.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "base/thread_pool.h"
#include "carom/dynamics/world.h"
#include "collision/broad_phase.h"
#include "dynamics/state.h"
#include "dynamics/stepper.h"

namespace carom {

struct World::Impl {
  WorldState state;
  std::unique_ptr<Stepper> stepper;
  std::unique_ptr<ThreadPool> threads;  // null: one thread
  std::vector<std::uint32_t> free_slots;
  std::vector<std::pair<std::int32_t, BodyState>> before;  // a step: bodies that were awake, and how they were
  bool inactive_listed = false;                            // the state's contacts include inactive ones

  Body& at(BodyHandle handle);
  std::int32_t material(MaterialHandle handle) const;
  std::uint32_t take_slot();
  void include_size(const Body& body);
  void update_smallest_size();

  /// Something that is not awake was added, removed or changed.
  void still_changed() { state.membership_changed = state.still_bodies_changed = true; }
  /// A frozen body is awake from now on.
  void revive(Body& body);
  /// What touches the body cannot go on resting.
  void edited(BodyHandle handle) { state.edited.push_back(static_cast<std::int32_t>(handle.index) - 1); }

  /// Bodies have come, gone or moved: boxes are brought up to date by the next query.
  void boxes_changed() { boxes_stale_.store(true, std::memory_order_release); }
  /// Boxes of all bodies at their poses. Queries may come from several threads at once.
  const BroadPhase& boxes() const;

 private:
  mutable std::mutex boxes_mutex_;
  mutable std::atomic<bool> boxes_stale_{true};
  mutable BroadPhase boxes_;
};

}  // namespace carom
