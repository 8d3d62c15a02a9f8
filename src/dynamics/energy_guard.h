// Energy that the step itself would add is taken back.
//
// A step uses the contacts of its start. A body that rolls on a curved surface or tips over an edge turns away from
// them within the step, and gains or loses a little energy of second order in dt; what it gains, step after step, would
// make an ellipsoid rock higher and higher. And the position stage moves bodies by what is no velocity: who is stopped
// short of where it would have fallen keeps the speed of the whole fall, who is pushed out of another's way is raised
// or turned against its spin. Neither may add energy.
//
// What bodies that act on each other have gained together is taken from their velocities. Where something that does not
// move holds one of them, all are scaled, and the momentum is that one's. Bodies in flight have nobody to take
// momentum: of theirs, what differs from the motion of one rigid body with the same momentum and angular momentum is
// scaled. Where bodies would be raised by more than all of their motion can pay for, they go a part of the way. Held by
// what goes on evenly, as a lift does, bodies are judged as one sees them from there.
//
// Bodies in flight that the position stage has put elsewhere, while they move past each other, have another angular
// momentum too, Σ m δx × v. Its rigid body is given the turn that makes up for that, as far as the rest of the motion
// can pay for it. Where all of that is not enough to pay for what was gained, the turn pays: energy goes before spin.
#pragma once

#include <span>
#include <vector>

#include "dynamics/step_context.h"
#include "solvers/body_groups.h"

namespace carom {

class EnergyGuard {
 public:
  /// After the collision stage: what each body has.
  void note(const StepContext& step);
  /// After the contact stage: fills in the step's `kinetic_loss` and `held_alone`, and notes where bodies are to go.
  void assess(StepContext& step);
  /// After the position stage: shortens the ways of bodies that would be raised by more than they can pay for. Who was
  /// stopped among them goes straight to a part of where he was.
  void limit_motion(StepContext& step);
  /// After the move: slows down bodies that have gained. Requires `limit_motion` before.
  void take_back(StepContext& step);

  /// An impulse on a body, N s, and who is taken to have given it: what holds its group, or another body of one in
  /// flight, so that momentum goes from body to body and never gets lost.
  struct Taken {
    std::int32_t by = 0, body = 0;
    Vec3 impulse;
  };
  /// By the last `take_back`.
  std::span<const Taken> taken() const { return taken_; }

 private:
  /// What acts on a group from outside: bodies that all go on evenly or stay where they are, or others, which may add
  /// energy.
  enum class Hold : std::uint8_t { None, Steady, Driven };
  /// Bodies that act on each other in this step; what they gain together is not another's loss.
  struct Group {
    Hold hold = Hold::None;
    std::int32_t holder = -1;    // one of those that hold it
    Vec3 drift;                  // m/s: of all of them
    bool shares = false;         // it has two bodies or more
    bool displaced = false;      // some of them have ended up elsewhere than where they were to go
    Real before = 0;             // J, kinetic, seen from what holds it: after the collision stage,
    Real kinetic = 0;            // and now
    Real rise = 0;               // J, likewise: of potential energy on the way to go, then of all
    Real weight = 0;             // N
    std::int32_t together = -1;  // its entry in `together_`, where that is needed
  };
  /// A group as one rigid body with the same momentum and angular momentum.
  struct Together {
    Real mass = 0;
    Vec3 center, velocity;  // m, m/s: times the mass while they are summed up
    Vec3 off;               // m, likewise: where the centre is, less where it was to go
    Vec3 spin, turn;        // N m s about the centre, and the rad/s that it makes
    Vec3 displaced;         // N m s: what of the spin came from bodies that are elsewhere
    Vec3 kept;              // rad/s: the turn without that, or without as much of it as can be paid for, and less
    Mat3 inertia;
    Real beside = 0;  // J: of the motion that is not this one
    Real rise = 0;    // J: of the group, with the turn that is kept
  };

  void find_groups(const StepContext& step);
  static void note_holder(const Body& holder, std::int32_t index, Group& g);
  void sum_rises(const StepContext& step);
  void slow_held(StepContext& step);
  void right_flying(StepContext& step);
  void find_together(const StepContext& step);
  void change(Body& body, std::int32_t index, std::int32_t by, const Vec3& velocity);
  /// Calls `visit` with each body that moves, its index and its group.
  template <typename Step, typename Visit>
  void each(Step& step, Visit&& visit);
  Group& group(std::int32_t body) { return by_body_[static_cast<std::size_t>(groups_.of(body))]; }

  std::vector<Real> energy_;   // J, per body that is awake: kinetic and of gravity
  std::vector<Real> kinetic_;  // J, likewise
  std::vector<Vec3> speed_;    // m/s, likewise
  std::vector<Vec3> goal_;     // m, likewise: where it would be if nothing but forces had kept it from that
  BodyGroups groups_;
  std::vector<Group> by_body_;      // by the body that stands for the group; those that are awake
  std::vector<Together> together_;  // of groups in flight that have gained, or were displaced
  std::vector<Taken> taken_;
  std::vector<StoppedBody> stopped_;  // of the step, without those whose ways are shortened
};

/// J: what gravity and the other forces on the body lose when it moves at these rates; negative: they gain.
Real potential_rise(const StepContext& step, std::int32_t body, const Velocities& rates);

}  // namespace carom
