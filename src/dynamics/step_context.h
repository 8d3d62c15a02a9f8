// The step under way: what its stages share, and what they may ask for.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "base/thread_pool.h"
#include "carom/contact/solution.h"
#include "carom/dynamics/world.h"
#include "carom/solvers/solver.h"
#include "collision/detector.h"
#include "dynamics/assemble.h"
#include "dynamics/forces.h"
#include "dynamics/integrate.h"
#include "dynamics/resting_step.h"
#include "dynamics/state.h"

namespace carom {

/// What frozen bodies are to the contact and position stages: they do not move, or (as published) they yield, and what
/// they have gained is taken from them.
enum class FrozenBodies : std::uint8_t { Hold, Yield };

/// Pairs that move less than this share of the smallest body against each other are seen by the next step in time.
inline constexpr Real kLeastMotion = 0.02;
/// Pairs that move farther than this share of it may get past each other: they are followed on their way.
inline constexpr Real kFast = 1;
/// Penetrations up to this many envelopes are left alone: taking back the last of them would keep a pile at rest astir.
inline constexpr Real kSlop = 2;

struct StepContext final : RestingStep {
  ThreadPool* threads = nullptr;
  const World::ProblemObserver* observer = nullptr;

  Real dead_zone = 0;      ///< m: gaps up to this are left as they are
  Real resting_speed = 0;  ///< √(2 g ε_c), m/s
  FrozenBodies frozen_bodies = FrozenBodies::Hold;
  Real bias = 0;  ///< share of a penetration that contacts undo in a step
  Integrator integrator = Integrator::Parabola;
  bool guard_energy = false;  ///< lifting bodies out of overlaps has to be paid for
  bool predicting = false;    ///< stages are asked what they would do: nothing is shown or reported

  Forces forces;
  Detector detector;
  /// Contacts that collided and are no more, with the impulse on b.
  std::vector<std::pair<StepContact, Vec3>> parted;
  std::vector<Real> kinetic_loss;        ///< J, per body: what forces and contacts have taken from its motion
  std::vector<char> held_alone;          ///< per body: bodies that do not move act on it, and no others
  Velocities rates;                      ///< at which poses move
  std::span<const TurnByHalves> halves;  ///< bodies that turn by halves, ascending
  std::span<const StoppedBody> stopped;  ///< bodies that end up elsewhere than their rates say
  std::vector<char> held;                ///< per body: the position stage has changed its way in the last step
  /// Bodies that the position stage has kept from each other, in pairs.
  std::vector<std::pair<std::int32_t, std::int32_t>> kept_apart;

  Stopwatch watch;
  StepReport report;

  void begin(WorldState& state, Real step_dt, Real envelope_share, ThreadPool* pool);
  void freeze(std::int32_t body) override;
  /// At once: contacts with bodies that do not move join `contacts`, at the end.
  void revive(std::int32_t body) override;

  /// Contacts for the poses and velocities of now.
  void detect();
  /// The same once more, after collisions have changed velocities; what they did stays with its contacts.
  void detect_again();
  /// m: what a contact's gap may be so that gravity closes it within the step.
  Real base_margin() const { return 2 * envelope + norm(world->gravity) * dt * dt; }
  /// Overlaps deeper than `depth` at the poses that `rates` lead to, of pairs with a body that moves by more than
  /// `least_motion`; `centers` are the centres of mass there. Valid until the next call.
  std::span<const Manifold> look_ahead(Real least_motion, Real depth);
  std::vector<Vec3> centers;
  /// Overlaps deeper than `depth` at the poses of now, `centers` likewise. Valid until the next call.
  std::span<const Manifold> look_here(Real depth);

  /// The problem of the contact stage, shown to whoever watches.
  void pose_contacts(StepProblem& problem);
  /// To be called with every problem before it is solved.
  void show(Stage stage, const ContactProblem& problem) const {
    if (observer != nullptr && *observer && !predicting) (*observer)(stage, problem);
  }
  std::span<const Vec3> last_impulses() override;
  /// This part of the step by the one that had those impulses: what they are to be taken times to be the same forces.
  Real since_last_impulses() const { return kept_dt_ > 0 ? dt / kept_dt_ : 0; }
  void take_velocities(const ContactSolution& solution);
  /// The velocities that the collision stage left, from those after forces: of bodies that move and those that they
  /// touch.
  void velocities_before_forces(Velocities& before) const;
  /// After the contact stage: what each contact has carried, for the next step to start from.
  void keep_impulses();
  /// What the contact stage has to say of its answer.
  void report_contacts(const ContactProblem& problem, SolverModel model, const ContactSolution& solution);

  /// Drops everything remembered from earlier steps.
  void forget();
  void save(ByteWriter& out) const;
  /// False, and nothing changed, where the rest of the bytes cannot be what `save` wrote.
  bool restore(ByteReader& in, const WorldState& state);

 private:
  void take_edits();
  void gather(std::span<const Manifold> manifolds);
  void give_still_bodies();
  void set_proxies(std::span<const std::int32_t> moving);
  std::span<const Manifold> find_overlaps(Real least_motion, Real depth);

  std::vector<Real> neighbour_speed_;  // per body
  std::vector<Vec3> last_impulses_;
  Real kept_dt_ = 0;   // s: of the part of a step whose impulses are kept; 0: there are none
  Velocities before_;  // the velocities that the collision stage left
  std::vector<std::pair<StepContact, Vec3>> collided_;  // contacts with their impulses
};

}  // namespace carom
