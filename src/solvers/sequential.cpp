// Sequential impulses with accumulated clamping and warm start.
//
// E. Catto, "Iterative dynamics with temporal coherence", 2005, as surveyed by S. Lembcke, "Realtime rigid body
// simulation using impulses", 2006, sections 3.2 and 5.3. Contact by contact, the impulse is replaced by the one that
// Coulomb's law asks for while all others are held (a block Gauss–Seidel sweep on the exact circular cone), until a
// whole sweep changes no contact's velocity by more than the tolerance. Its fixed points satisfy Coulomb's law exactly.
// Known failure: information travels one body a sweep, so tall stacks and large mass ratios need many sweeps; a warm
// start spreads them over time steps.
#include "solvers/sequential.h"

#include <algorithm>
#include <limits>

#include "carom/contact/measures.h"
#include "solvers/anderson.h"
#include "solvers/order.h"
#include "solvers/packed.h"
#include "solvers/relax.h"
#include "solvers/row_sweep.h"

namespace carom {
namespace {

class Sequential final : public Solver {
 public:
  explicit Sequential(const Options& options)
      : iterations_(options.integer("iterations")),
        tolerance_(options.number("tolerance")),
        memory_(options.integer("memory")),
        order_(sweep_order(options.word("order"))) {}

  void solve(const ContactProblem& problem, const SolveContext& context, ContactSolution& solution) override {
    packed_.pack(problem, context.warm_impulses, context.threads);
    packed_.aim_at_restitution(problem, context.resting_speed);
    if (order_ != SweepOrder::Found) groups_ = ordered_groups(order_, problem, packed_);
    rows_.pack(problem, context.warm_row_impulses, packed_.bodies);
    find_moving(problem);
    const Real allowed = tolerance_ * reference_velocity(problem);
    SolveReport& report = solution.report;
    report = {};
    begin_acceleration();
    bool carried = false;  // velocities come from acceleration, not from the impulses
    for (;;) {
      const Real change = std::max(sweep(context.threads), rows_.sweep(packed_.bodies));
      ++report.iterations;
      report.converged = change <= allowed && !carried;
      if (report.converged || report.iterations >= iterations_) break;
      if (change <= allowed) {
        // Almost there: make sure with velocities that belong to the impulses.
        packed_.refresh_velocities(problem);
        rows_.apply(packed_.bodies);
        begin_acceleration();
        carried = false;
      } else if (memory_ > 0) {
        accelerate(context.threads);
        carried = true;
      }
    }
    report.converged = report.converged && rounding() <= allowed;
    packed_.unpack(problem, solution);
    rows_.unpack(problem, solution);
  }

 private:
  /// Orders other than the schedule's have no colours: one group after the other.
  Real sweep(ThreadPool* threads) {
    if (order_ == SweepOrder::Found)
      return packed_.schedule.sweep(threads, [this](std::size_t group) { return relax_group(packed_, group); });
    Real largest = 0;
    for (const std::size_t group : groups_) largest = std::max(largest, relax_group(packed_, group));
    return largest;
  }

  /// m/s: what impulses of this size leave of velocities. Where no motion obeys all contacts they grow without end,
  /// until a sweep changes nothing that could be seen.
  Real rounding() const {
    Real largest = 0;
    for (std::size_t k = 0; k < packed_.contacts.size(); ++k)
      largest = std::max(largest, norm(packed_.impulses[k]) * packed_.contacts[k].w.trace() / 3);
    return std::numeric_limits<Real>::epsilon() * largest;
  }

  /// Bodies whose velocities may change: a large world at rest has few of them.
  void find_moving(const ContactProblem& problem) {
    touched_.assign(problem.bodies.size(), 0);
    moving_.clear();
    const auto touch = [&](std::int32_t body) {
      const auto i = static_cast<std::size_t>(body);
      if (touched_[i] != 0 || !takes_impulse(problem.bodies[i].role)) return;
      touched_[i] = 1;
      moving_.push_back(i);
    };
    for (const ContactPoint& c : problem.contacts) touch(c.a), touch(c.b);
    for (const RowBlock& block : problem.row_blocks) touch(block.a), touch(block.b);
  }

  /// Contact impulses, row impulses, then the velocities, which are linear in them and follow along.
  void begin_acceleration() {
    if (memory_ == 0) return;
    const std::size_t impulses = 3 * packed_.contacts.size() + rows_.size();
    metric_.clear();
    for (const PackedContact& c : packed_.contacts) metric_.insert(metric_.end(), 3, c.w.trace() / 3);
    rows_.append_metric(metric_);
    start_.resize(impulses + 6 * moving_.size());
    swept_.resize(start_.size());
    acceleration_.start(metric_, start_.size(), memory_);
    gather(start_);
  }

  void accelerate(ThreadPool* threads) {
    gather(swept_);
    acceleration_.next(start_, swept_, threads);
    scatter(start_);
  }

  void gather(std::vector<Real>& x) const {
    std::size_t i = 0;
    const auto put = [&](const Vec3& v) { x[i] = v.x, x[i + 1] = v.y, x[i + 2] = v.z, i += 3; };
    for (const Vec3& impulse : packed_.impulses) put(impulse);
    for (std::size_t k = 0; k < rows_.size(); ++k) x[i++] = rows_.impulse(k);
    for (const std::size_t body : moving_) {
      const ScaledVelocity& v = packed_.bodies.velocities[body];
      put(v.linear), put(v.angular);
    }
  }

  void scatter(const std::vector<Real>& x) {
    std::size_t i = 0;
    const auto take = [&](Vec3& v) { v = {x[i], x[i + 1], x[i + 2]}, i += 3; };
    for (Vec3& impulse : packed_.impulses) take(impulse);
    for (std::size_t k = 0; k < rows_.size(); ++k) rows_.impulse(k) = x[i++];
    for (const std::size_t body : moving_) {
      ScaledVelocity& v = packed_.bodies.velocities[body];
      take(v.linear), take(v.angular);
    }
  }

  int iterations_;
  Real tolerance_;
  int memory_;
  SweepOrder order_;
  std::vector<std::size_t> groups_;  // in that order
  std::vector<std::size_t> moving_;  // bodies
  std::vector<char> touched_;        // per body
  PackedProblem packed_;
  RowSweep rows_;
  Anderson acceleration_;
  std::vector<Real> metric_, start_, swept_;
};

}  // namespace

SolverInfo sequential_solver() {
  return {"sequential",
          "Coulomb's law on the exact cone, contact by contact, warm started",
          "Catto 2005; Lembcke 2006, sections 3.2 and 5.3",
          "slow on tall stacks and large mass ratios: information travels one body a sweep",
          {{"iterations", 30.0, "largest number of sweeps", 1, 1e6, true, {}},
           {"tolerance",
            1e-6,
            "change of velocity in a sweep that counts as converged, in units of v_ref",
            0,
            1,
            false,
            {}},
           {"memory", 8.0, "sweeps that Anderson acceleration looks back on; 0: plain sweeps", 0, 10, true, {}},
           {"order",
            std::string("found"),
            "which contacts come first; only `found` runs on several threads",
            0,
            0,
            false,
            {"found", "gravity", "velocity", "level"}}},
          [](const Options& options) -> std::unique_ptr<Solver> { return std::make_unique<Sequential>(options); },
          {Feature::Friction, Feature::StaticFriction, Feature::Restitution, Feature::GapTarget, Feature::TangentTarget,
           Feature::Rows}};
}

}  // namespace carom
