#include "dynamics/split_positions.h"

#include <algorithm>
#include <utility>

#include "dynamics/energy_guard.h"
#include "dynamics/meetings.h"
#include "dynamics/stops.h"
#include "solvers/body_groups.h"

namespace carom {
namespace {

/// Overlaps deeper than this many envelopes are not left to the next step.
constexpr Real kDeep = 100;

/// Bodies that move fast are looked at again where they would end up, since turning and sliding bring points together
/// that were no contacts before. Where that does not keep them apart, they are stopped on their way.
class SplitPositions final : public PositionStage {
 public:
  SplitPositions(std::unique_ptr<Solver> solver, Real correction, bool careful)
      : solver_(std::move(solver)), correction_(correction), careful_(careful) {}

  void settle(StepContext& step) override {
    if (step.awake().empty()) return;
    copy_awake(*step.world, step.rates, wanted_);
    meetings_.find(step);
    if (assemble_positions(*step.world, step.contacts, step.rates, meetings_.marks(), step.dt,
                           kFast * step.world->smallest_size, kSlop * step.envelope, problem_))
      solve(step);
    look_ahead(step);
    recover(step);
    if (step.frozen_bodies == FrozenBodies::Yield) hold_frozen(step);
    find_carried(step);
    const StopLengths lengths{kFast * step.world->smallest_size, kLeastMotion * step.world->smallest_size,
                              0.5 * step.envelope, kDeep * step.envelope};
    const StopRules rules{lengths, deep_, carried_, meetings_.waiting(step.rates)};
    step.stopped =
        meetings_.join(stops_.find(*step.world, step.awake(), step.detector, step.dt, rules, step.threads, step.rates));
    step.kept_apart.insert(step.kept_apart.end(), stops_.met().begin(), stops_.met().end());
    for (const std::int32_t body : step.awake()) step.held[static_cast<std::size_t>(body)] = held_back(step, body);
  }

 private:
  char held_back(const StepContext& step, std::int32_t body) const {
    constexpr Real kHardly = 0.1;
    const auto i = static_cast<std::size_t>(body);
    const auto way = [&](const Vec3& linear, const Vec3& angular) {
      return step.dt * (norm(linear) + norm(angular) * step.world->bodies[i].radius);
    };
    const Vec3 &v = step.rates.linear[i], &w = step.rates.angular[i];
    if (way(v - wanted_.linear[i], w - wanted_.angular[i]) <= step.envelope) return kNotHeld;
    if (way(v, w) >= kHardly * way(wanted_.linear[i], wanted_.angular[i])) return kHeldBack;
    return std::clamp<char>(static_cast<char>(step.held[i] + 1), kStopped, kStuck);
  }

  /// Small overlaps are worth a few looks; deep ones a few more. Whose are left even so is written down.
  void look_ahead(StepContext& step) {
    constexpr int kLooks = 3, kDeepLooks = 8;
    const Real least_motion = careful_ ? step.envelope : kLeastMotion * step.world->smallest_size;
    const Real depth = (careful_ ? 0.1 : 30) * step.envelope;
    deep_.clear();
    for (int look = 0;; ++look) {
      const std::span<const Manifold> overlaps =
          step.look_ahead(least_motion, look < kLooks ? depth : kDeep * step.envelope);
      if (overlaps.empty()) return;
      if (look == kDeepLooks) {
        for (const Manifold& m : overlaps) deep_.insert(deep_.end(), {m.a, m.b});
        std::ranges::sort(deep_);
        return;
      }
      move_bodies(*step.world, step.rates, problem_);
      add_overlaps(overlaps, step.centers, step.dt, careful_ ? 0 : step.envelope, problem_);
      solve(step);
    }
  }

  /// Who touches what does not move, himself or through others.
  void find_carried(const StepContext& step) {
    const WorldState& world = *step.world;
    groups_.reset(step.awake(), world.bodies.size());
    carried_.assign(world.bodies.size(), 0);
    const auto moves = [&](std::int32_t body) { return world.at(body).is_active(); };
    const auto each_touch = [&](auto&& visit) {
      for (const StepContact& c : step.contacts)
        if (c.gap <= step.envelope) visit(c.point.a, c.point.b);
    };
    each_touch([&](std::int32_t a, std::int32_t b) {
      if (moves(a) && moves(b)) groups_.join(a, b);
    });
    each_touch([&](std::int32_t a, std::int32_t b) {
      if (moves(a) != moves(b)) carried_[static_cast<std::size_t>(groups_.of(moves(a) ? a : b))] = 1;
    });
    for (const std::int32_t body : step.awake())
      carried_[static_cast<std::size_t>(body)] = carried_[static_cast<std::size_t>(groups_.of(body))];
  }

  /// False where nothing moves and nothing was dissipated.
  static bool can_lift(const StepContext& step) {
    if (!step.guard_energy || step.world->gravity == Vec3{}) return true;
    Real left = 0;
    for (const std::int32_t index : step.awake()) {
      const auto i = static_cast<std::size_t>(index);
      if (!step.world->at(index).is_active()) continue;
      const Real own = step.kinetic_loss[i] - potential_rise(step, index, step.rates);
      if (step.held_alone[i] != 0 && own + kinetic_energy(step.world->at(index)) > 0) return true;
      if (step.held_alone[i] == 0) left += own;
    }
    return left > 0;
  }

  /// Takes back a share of penetrations, as far as there is energy for it.
  void recover(StepContext& step) {
    if (correction_ == 0 || !can_lift(step)) return;
    move_bodies(*step.world, step.rates, problem_);
    if (!ask_for_recovery(step.contacts, step.dt, correction_, kSlop * step.envelope, problem_)) return;
    copy_awake(*step.world, step.rates, kept_);
    solve(step);
    if (step.guard_energy) limit_lifting(step);
  }

  void solve(StepContext& step) {
    if (step.frozen_bodies == FrozenBodies::Yield) let_frozen_yield(problem_);
    solver_->solve(problem_, {{}, {}, 0, step.threads}, solution_);
    drop_leaps(step);
    step.rates.linear = solution_.velocities;
    step.rates.angular = solution_.angular_velocities;
    for (std::size_t i = 0; i < problem_.contacts.size(); ++i)
      if (solution_.impulses[i] != Vec3{}) step.kept_apart.emplace_back(problem_.contacts[i].a, problem_.contacts[i].b);
  }

  /// Who is squeezed between bodies that do not yield has nowhere to go, but for some place far off where the planes of
  /// his contacts, a little out of line, let go of each other. Contacts tell nothing of that: who would move much
  /// farther than anybody of his group is asked to stays on his way, and overlaps. Small steps are let pass: the next
  /// detection sees them in time.
  void drop_leaps(const StepContext& step) {
    const WorldState& world = *step.world;
    const Real slow = kLeastMotion * world.smallest_size / step.dt;
    groups_.reset(step.awake(), world.bodies.size());
    asked_.resize(world.bodies.size());
    for (const std::int32_t body : step.awake()) asked_[static_cast<std::size_t>(body)] = 0;
    const auto moves = [&](std::int32_t body) { return world.at(body).is_active(); };
    for (const ContactPoint& c : problem_.contacts)
      if (moves(c.a) && moves(c.b)) groups_.join(c.a, c.b);
    for (const ContactPoint& c : problem_.contacts) {
      if (!moves(c.a) && !moves(c.b)) continue;
      Real& asked = asked_[static_cast<std::size_t>(groups_.of(moves(c.a) ? c.a : c.b))];
      asked = std::max(asked, c.target - normal_velocity(c, problem_.bodies));
    }
    for (const std::int32_t index : step.awake()) {
      if (!moves(index)) continue;
      const auto i = static_cast<std::size_t>(index);
      const ProblemBody& before = problem_.bodies[i];
      const Real change = norm(solution_.velocities[i] - before.velocity) +
                          norm(solution_.angular_velocities[i] - before.angular_velocity) * world.bodies[i].radius;
      if (change <= slow || change <= kLeap * asked_[static_cast<std::size_t>(groups_.of(index))]) continue;
      solution_.velocities[i] = before.velocity;
      solution_.angular_velocities[i] = before.angular_velocity;
    }
  }

  /// Bodies are lifted out of penetrations only as far as something pays for it: their own motion where bodies that do
  /// not move hold them (dynamics/energy_guard.h takes it from there), else what the step dissipates.
  void limit_lifting(StepContext& step) const {
    Real lifting = 0, allowed = 0;
    for (const std::int32_t index : step.awake()) {
      const auto i = static_cast<std::size_t>(index);
      const Body& body = step.world->at(index);
      if (!body.is_active()) continue;
      const Real before = potential_rise(step, index, kept_);
      const Real lift = potential_rise(step, index, step.rates) - before;
      const Real left = step.kinetic_loss[i] - before;
      if (step.held_alone[i] == 0) {
        lifting += lift;
        allowed += left;
      } else {
        scale_lift(step, i, lift, left + kinetic_energy(body));
      }
    }
    if (lifting <= std::max(allowed, 0.0)) return;
    for (const std::int32_t index : step.awake()) {
      const auto i = static_cast<std::size_t>(index);
      if (step.held_alone[i] == 0 && dot(step.rates.linear[i] - kept_.linear[i], step.world->gravity) < 0)
        scale_lift(step, i, lifting, allowed);
    }
  }

  void scale_lift(StepContext& step, std::size_t i, Real lift, Real allowed) const {
    if (lift <= std::max(allowed, 0.0)) return;
    const Real share = std::max(allowed, 0.0) / lift;
    step.rates.linear[i] = kept_.linear[i] + share * (step.rates.linear[i] - kept_.linear[i]);
    step.rates.angular[i] = kept_.angular[i] + share * (step.rates.angular[i] - kept_.angular[i]);
  }

  /// Rates that frozen bodies were given are taken from them.
  static void hold_frozen(StepContext& step) {
    for (std::size_t i = 0; i < step.world->bodies.size(); ++i)
      if (step.world->bodies[i].frozen) step.rates.linear[i] = step.rates.angular[i] = {};
  }

  std::unique_ptr<Solver> solver_;
  Real correction_;
  bool careful_;
  Meetings meetings_;
  Stops stops_;
  BodyGroups groups_;
  std::vector<std::int32_t> deep_;  // bodies that overlap where their rates lead, ascending
  std::vector<char> carried_;       // per body
  std::vector<Real> asked_;         // m/s, per group: the largest change that a contact asks for
  Velocities wanted_;               // the rates before this stage
  Velocities kept_;                 // those before penetrations are taken back
  StepProblem problem_;
  ContactSolution solution_;
};

}  // namespace

std::unique_ptr<PositionStage> make_split_positions(std::unique_ptr<Solver> solver, Real correction, bool careful) {
  return std::make_unique<SplitPositions>(std::move(solver), correction, careful);
}

}  // namespace carom
