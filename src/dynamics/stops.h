// Stops at times of impact: what keeps bodies from passing through each other at any speed.
//
// After the position stage each body has a way to go in the step: straight, turning evenly. Bodies that go far are
// followed along it (conservative advancement, collision/time_of_impact.h), the whole world in order of time: at the
// first impact of a pair its bodies stop where they are for the rest of the step, and whoever would have met them
// elsewhere is looked at again. Velocities are not touched, so that momentum and kinetic energy are not either; the
// next step's collision stage finds the bodies touching and bounces them.
//
// Two that meet in the air do not stop, but go on together with their common centre of mass, until one of them meets
// somebody else: else they would be spared a part of their fall, and two that turn quickly against each other, stopped
// anew in every step, would hang there. A body that a kinematic one runs into is carried along. Each body changes its
// way at most four times, which bounds the work.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/thread_pool.h"
#include "collision/motion_pairs.h"
#include "collision/time_of_impact.h"
#include "dynamics/assemble.h"
#include "dynamics/integrate.h"
#include "dynamics/state.h"

namespace carom {

/// Lengths that decide when bodies are stopped, m.
struct StopLengths {
  Real fast = 0;          ///< pairs that move farther than this against each other in the step are followed
  Real least_motion = 0;  ///< so are those with a body that was stopped, if they move farther than this
  Real tolerance = 0;     ///< bodies that were apart stop between half of this and the whole of it apart
  Real slop = 0;          ///< bodies in contact, and those that would not get deeper than this, are left to contacts
};

/// What is known of bodies and their ways beforehand.
struct StopRules {
  StopLengths lengths;
  std::span<const std::int32_t> deep;    ///< ascending: their pairs are followed from `least_motion` on
  std::span<const char> carried;         ///< per body: something that does not move carries it, or those it touches
  std::span<const StoppedBody> settled;  ///< who goes straight to an end, turning evenly as it says there
};

/// The bodies where they stand, at rest; those of others are left as they are.
void set_movers(const WorldState& world, std::span<const std::int32_t> bodies, std::vector<Mover>& movers);
/// The bodies on the ways that `rates` lead them in dt seconds: straight, turning evenly.
void set_movers(const WorldState& world, std::span<const std::int32_t> bodies, const Velocities& rates, Real dt,
                std::vector<Mover>& movers);
/// Those of bodies that the pairs name and that are not awake: obstacles that nothing moves.
void set_obstacles(const WorldState& world, const MotionPairs& pairs, std::span<const MotionPairs::Pair> list,
                   std::vector<Mover>& movers);

/// m/s: of the common centre of mass of two bodies with these velocities.
Vec3 common_velocity(const Body& a, const Vec3& velocity_a, const Body& b, const Vec3& velocity_b);

class Stops {
 public:
  /// Follows the bodies that are awake (ascending) along `rates` for dt seconds, among all others of the detector.
  /// Where a body is stopped, its rates become those that lead to where it ends up. Returns the bodies stopped,
  /// ascending; valid until the next call.
  std::span<const StoppedBody> find(const WorldState& world, std::span<const std::int32_t> awake,
                                    const Detector& detector, Real dt, const StopRules& rules, ThreadPool* threads,
                                    Velocities& rates);
  /// Who was stopped at whom by the last `find`, in order of time.
  std::span<const std::pair<std::int32_t, std::int32_t>> met() const { return met_; }

 private:
  /// How a body goes on, in rising order; a body never goes back.
  enum class Way : std::uint8_t {
    Free,      ///< as the rates say
    Together,  ///< with another body that it has met in the air
    Stopped,   ///< in mid-air, at another body that can be stopped
    Carried,   ///< with a kinematic body
    Pinned     ///< at a body that never moves
  };
  struct Event {
    Real time = 0;
    std::int32_t pair = 0;
    std::uint32_t stamp = 0;  ///< how often the two had changed their ways when it was foreseen
    /// Later first, as heaps want it.
    bool operator<(const Event& o) const { return time != o.time ? time > o.time : pair > o.pair; }
  };

  /// The next impact of a pair from a time on, if there is one before the end of the step.
  bool foresee(std::int32_t pair, Real from, Event& event);
  void foresee_all(ThreadPool* threads);
  void find_pairs(std::span<const std::int32_t> awake, const Detector& detector, ThreadPool* threads);
  bool find_strays();
  void resolve(const Event& event);
  void set_way(std::int32_t body, Way way, std::int32_t other, const Vec3& onward, Real time);
  Mover& mover(std::int32_t body) { return movers_[static_cast<std::size_t>(body)]; }
  Way way_of(std::int32_t body) const;
  std::uint32_t stamp_of(std::int32_t pair) const;
  bool is_followed(std::int32_t pair) const;
  void finish(std::span<const std::int32_t> awake, Velocities& rates);

  const WorldState* world_ = nullptr;
  Real dt_ = 0;
  StopRules rules_;
  MotionPairs pairs_;
  std::span<const MotionPairs::Pair> list_;
  std::vector<Mover> movers_;            // per body that is awake or may be met
  std::vector<Way> ways_;                // per body
  std::vector<std::uint32_t> changes_;   // per body: how often it has changed its way
  std::vector<std::int32_t> carrier_;    // per body: the kinematic body that carries it
  std::vector<StoppedBody> first_stop_;  // per body that has changed its way: where and when it first did
  std::vector<Real> levels_;             // per pair: the distance at which it stops
  std::vector<Event> foreseen_, queue_;  // per pair at the start; a heap
  std::vector<StoppedBody> stopped_;
  std::vector<std::pair<std::int32_t, std::int32_t>> met_;
};

}  // namespace carom
