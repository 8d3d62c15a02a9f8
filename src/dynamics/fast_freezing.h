// Freezing in the real-time step: the shared freezer, shown this step's contacts, and the revival of what is struck.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "dynamics/fast_bodies.h"
#include "dynamics/freezer.h"
#include "fast/pair_cache.h"
#include "fast/patch_view.h"

namespace carom {

/// The patches of the step under way, in the order of their pairs.
struct FastPatches {
  const fast::Batches& batches;
  std::span<fast::Record> records;
  std::span<const std::int32_t> active;
  const fast::Impacts& impacts;
  const FastBodies& bodies;

  /// Calls visit(place, patch, bounce or null, record) for each.
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (batches.records.empty()) return;
    for (const std::int32_t r : active) {
      fast::Record& record = records[static_cast<std::size_t>(r)];
      const auto place = static_cast<std::size_t>(record.place);
      const fast::BodyView& probe = bodies.views[static_cast<std::size_t>(record.probe)];
      visit(place, view_patch(batches, place, probe.center), impacts.at(record.place), record);
    }
  }

  static Vec3 bounced(const fast::Bounce& bounce, std::size_t i) {
    return {bounce.impulses[i][0], bounce.impulses[i][1], bounce.impulses[i][2]};
  }
  /// Of an impulse along n, t1, t2: whether it is inside the cone.
  static ContactMode mode_of(const Vec3& impulse, const fast::Record& record);
};

class FastFreezing {
 public:
  explicit FastFreezing(const Freezing& settings);

  /// Whether any body is frozen or may come to be.
  bool used(const WorldState& world) const { return settings_.on || world.frozen_count > 0; }
  /// Revives what has lost its support since the last step.
  void begin(WorldState& world, Real dt);
  /// Revives frozen bodies that a moving one strikes hard enough to lift them over the threshold of freezing, and those
  /// that a kinematic body pushes. True where that has changed anything: contacts have to be found again.
  bool revive_struck(WorldState& world, Real dt, const FastPatches& patches);
  /// After the substeps: counts quiet bodies, and freezes. Returns the momentum that this takes away, N s.
  Vec3 update(const FastPatches& patches);
  /// Contacts among bodies that do not move.
  void list_inactive(const WorldState& world, const BroadPhase& broad, std::span<const fast::BodyView> views,
                     std::vector<ContactRecord>& records) const;

  void save(ByteWriter& out) const;
  bool restore(ByteReader& in, std::size_t bodies);

 private:
  struct Step;
  /// A frozen body that has just been struck, and the speed that it gets.
  struct Struck {
    std::int32_t body = 0;
    Vec3 velocity;  // m/s
  };

  Freezing settings_;
  Freezer freezer_;
  std::shared_ptr<Step> step_;
  std::vector<Struck> struck_;
};

}  // namespace carom
