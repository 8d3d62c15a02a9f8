// Bounces of the real-time step: pair by pair, the fastest first, before each substep.
//
// The substeps stop what approaches, all at once, and a row of balls struck at one end would share the momentum out. So
// what would rebound faster than gravity takes back in a step, and closes its gap within reach of the coming substep,
// bounces first,
// one patch after the other, by Newton's law with Coulomb friction (the order of B. V. Mirtich and of Schmidl and
// Milenkovic's priority queue). An impulse may make neighbours approach; they take their turn in the same substep, and
// so momentum travels through a row. Contacts without restitution are left to the sweeps.
//
// A substep that is nearly over when a gap closes would slow the body down before it bounces; so bounces look two
// substeps ahead. The speed counts as if it bounced at the surface: gained on the way there, lost on the way back.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "fast/batches.h"

namespace carom::fast {

struct ImpactSettings {
  float h = 0;              ///< s, of a substep
  float least_rebound = 0;  ///< m/s: what would part more slowly does not bounce
};

/// What a patch has got by bounces in this step.
struct Bounce {
  std::int32_t place = 0;                                           ///< in the batches
  std::array<std::array<float, 3>, Record::kMaxPoints> impulses{};  ///< N s, per point: along n, t1, t2
};

class Impacts {
 public:
  /// At the start of a step: forgets the last one. `active` are the records in the batches, in their order, which does
  /// not depend on the number of lanes; `flags` says, per place, which patches with restitution approach.
  void begin(const Batches& batches, std::span<const Record> records, std::span<const std::int32_t> active,
             std::span<const std::uint8_t> flags, std::size_t motions);
  bool any() const { return !waiting_.empty(); }
  /// Before a substep. `starts` are the velocities at the start of the last substep: they get the same changes, so that
  /// bounces are not repeated. `gains` is what forces add in a substep.
  void run(int substep, const Batches& batches, const ImpactSettings& settings, std::span<Motion> motions,
           std::span<Motion> starts, std::span<const Motion> shifts, std::span<const Motion> gains);
  /// Of the whole step, one a patch.
  std::span<const Bounce> bounces() const { return bounces_; }
  /// The bounce of the patch at a place in the batches, or null.
  const Bounce* at(std::int32_t place) const {
    const bool bounced = !bounces_.empty() && of_place_[static_cast<std::size_t>(place)] >= 0;
    return bounced ? &bounces_[static_cast<std::size_t>(of_place_[static_cast<std::size_t>(place)])] : nullptr;
  }

 private:
  struct Due {
    float speed = 0;  // m/s
    std::int32_t patch = 0;
    bool operator<(const Due& o) const { return speed != o.speed ? speed < o.speed : patch > o.patch; }
  };
  struct Patch {
    std::int32_t place = 0;
    std::array<std::int32_t, 2> motions{};  // of base and probe; 0: it stands still
    std::array<std::int32_t, 2> next{};     // the next patch of the same body
    float restitution = 0;
    std::int32_t bounce = -1;
    std::int32_t due = 0;  // substep from which on it may bounce
    bool waits = false;
  };

  void wait(std::int32_t patch);
  void resolve(Patch& patch, const Batches& batches, const ImpactSettings& settings, std::span<Motion> motions,
               std::span<Motion> starts, std::span<const Motion> shifts, std::span<const Motion> gains);

  std::vector<Patch> patches_;
  std::vector<std::int32_t> first_;    // per motion: a patch of the body
  std::vector<std::int32_t> waiting_;  // patches to be looked at before every substep
  std::vector<Due> queue_;             // a heap
  std::vector<Bounce> bounces_;
  std::vector<std::int32_t> of_place_;  // per place: its bounce, or −1
};

}  // namespace carom::fast
