// Contact without friction, only where something happens.
//
// Signorini's condition 0 ≤ j_n ⊥ u_n ≥ 0 at every contact, by the same accumulated Gauss–Seidel sweeps as `sequential`
// (Catto 2005), one row a contact. At first a pair of bodies is visited only if one of the two has changed since its
// last visit: the position stage of a large pile is mostly done before it starts. What has not settled after that is a
// matter of many bodies, and the remaining sweeps are accelerated (anderson.h). Friction and row blocks are ignored,
// and it says so by its name. Known failure: as all sweeps, information travels one body a sweep.
#include "solvers/frictionless.h"

#include <algorithm>
#include <cmath>

#include "carom/contact/measures.h"
#include "contact/rows.h"
#include "solvers/anderson.h"
#include "solvers/scaled.h"
#include "solvers/schedule.h"

namespace carom {
namespace {

class Frictionless final : public Solver {
 public:
  explicit Frictionless(const Options& options)
      : iterations_(options.integer("iterations")), tolerance_(options.number("tolerance")) {}

  void solve(const ContactProblem& problem, const SolveContext& context, ContactSolution& solution) override {
    pack(problem, context);
    negligible_ = tolerance_ * reference_velocity(problem);
    changed_.assign(problem.bodies.size(), 1);
    SolveReport& report = solution.report;
    report = {};
    while (report.iterations < iterations_ && !report.converged) {
      if (report.iterations == kLocalSweeps) begin_acceleration();
      if (report.iterations > kLocalSweeps) accelerate(context.threads);
      changing_.assign(problem.bodies.size(), 0);
      const Real change =
          schedule_.sweep(context.threads, [this](std::size_t group) { return relax(schedule_.groups()[group]); });
      if (report.iterations < kLocalSweeps) changed_.swap(changing_);
      ++report.iterations;
      report.converged = change <= negligible_;
    }
    unpack(problem, solution);
  }

 private:
  struct Row {
    Vec3 normal, angular_a, angular_b;  // as in PackedContact
    Real bias = 0;
    Real w = 0;  // diagonal of the Delassus operator
    Real impulse = 0;
  };

  void pack(const ContactProblem& problem, const SolveContext& context) {
    bodies_.pack(problem);
    schedule_.build(problem);
    rows_.resize(schedule_.source().size());
    schedule_.for_each_group(context.threads, [&](std::size_t index) {
      const ContactGroup& group = schedule_.groups()[index];
      for (auto k = static_cast<std::size_t>(group.first); k < static_cast<std::size_t>(group.last); ++k)
        rows_[k] = make_row(problem, problem.contacts[static_cast<std::size_t>(schedule_.source()[k])]);
    });
    if (context.warm_impulses.empty()) return;
    for (const ContactGroup& group : schedule_.groups()) {
      for (auto k = static_cast<std::size_t>(group.first); k < static_cast<std::size_t>(group.last); ++k) {
        const auto source = static_cast<std::size_t>(schedule_.source()[k]);
        rows_[k].impulse = dot(problem.contacts[source].normal, context.warm_impulses[source]);
        add(group, rows_[k], rows_[k].impulse);
      }
    }
  }

  Row make_row(const ContactProblem& problem, const ContactPoint& c) const {
    const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
    Row row;
    row.normal = c.normal;
    row.angular_a = -transposed_times(bodies_.root_inertia[a], cross(c.ra, c.normal));
    row.angular_b = transposed_times(bodies_.root_inertia[b], cross(c.rb, c.normal));
    row.bias = bias_of(problem, c).x;
    row.w = bodies_.root_mass[a] * bodies_.root_mass[a] + bodies_.root_mass[b] * bodies_.root_mass[b] +
            squared_norm(row.angular_a) + squared_norm(row.angular_b);
    return row;
  }

  void add(const ContactGroup& group, const Row& row, Real impulse) {
    const auto apply = [&](std::int32_t body, Real sign, const Vec3& angular) {
      const auto i = static_cast<std::size_t>(body);
      bodies_.velocities[i].linear += (sign * impulse * bodies_.root_mass[i]) * row.normal;
      bodies_.velocities[i].angular += impulse * angular;
    };
    if (group.a_moves) apply(group.a, -1, row.angular_a);
    if (group.b_moves) apply(group.b, 1, row.angular_b);
  }

  /// One visit to a pair of bodies; the largest change of a contact's velocity.
  Real relax(const ContactGroup& group) {
    const auto a = static_cast<std::size_t>(group.a), b = static_cast<std::size_t>(group.b);
    // What has changed earlier in this sweep counts too.
    if ((changed_[a] | changed_[b] | (group.a_moves ? changing_[a] : 0) | (group.b_moves ? changing_[b] : 0)) == 0)
      return 0;
    Real largest = 0;
    for (auto k = static_cast<std::size_t>(group.first); k < static_cast<std::size_t>(group.last); ++k) {
      Row& row = rows_[k];
      const ScaledVelocity &va = bodies_.velocities[a], &vb = bodies_.velocities[b];
      const Real u = dot(row.normal, bodies_.root_mass[b] * vb.linear - bodies_.root_mass[a] * va.linear) +
                     dot(row.angular_a, va.angular) + dot(row.angular_b, vb.angular) + row.bias;
      if ((u >= 0 && row.impulse == 0) || !(row.w > 0)) continue;
      const Real change = std::max(row.impulse - u / row.w, 0.0) - row.impulse;
      row.impulse += change;
      add(group, row, change);
      largest = std::max(largest, std::abs(change) * row.w);
    }
    if (largest > negligible_) {
      if (group.a_moves) changing_[a] = 1;
      if (group.b_moves) changing_[b] = 1;
    }
    return largest;
  }

  void unpack(const ContactProblem& problem, ContactSolution& solution) const {
    solution.impulses.resize(problem.contacts.size());
    for (std::size_t k = 0; k < rows_.size(); ++k)
      solution.impulses[static_cast<std::size_t>(schedule_.source()[k])] = rows_[k].impulse * rows_[k].normal;
    solution.row_impulses.assign(problem.row_count() - 3 * problem.contacts.size(), 0);
    recompute_velocities(problem, solution);
  }

  /// From here on every pair is visited, since acceleration changes all velocities.
  void begin_acceleration() {
    std::fill(changed_.begin(), changed_.end(), 1);
    metric_.clear();
    for (const Row& row : rows_) metric_.push_back(row.w);
    start_.resize(rows_.size() + 6 * bodies_.velocities.size());
    swept_.resize(start_.size());
    acceleration_.start(metric_, start_.size(), kMemory);
    gather(start_);
  }

  void accelerate(ThreadPool* threads) {
    gather(swept_);
    acceleration_.next(start_, swept_, threads);
    std::size_t i = 0;
    const auto take = [&](Vec3& v) { v = {start_[i], start_[i + 1], start_[i + 2]}, i += 3; };
    for (Row& row : rows_) row.impulse = start_[i++];
    for (ScaledVelocity& v : bodies_.velocities) take(v.linear), take(v.angular);
  }

  void gather(std::vector<Real>& x) const {
    std::size_t i = 0;
    const auto put = [&](const Vec3& v) { x[i] = v.x, x[i + 1] = v.y, x[i + 2] = v.z, i += 3; };
    for (const Row& row : rows_) x[i++] = row.impulse;
    for (const ScaledVelocity& v : bodies_.velocities) put(v.linear), put(v.angular);
  }

  static constexpr int kLocalSweeps = 15;
  static constexpr int kMemory = 5;

  int iterations_;
  Real tolerance_;
  Real negligible_ = 0;  // m/s
  Schedule schedule_;
  ScaledBodies bodies_;
  std::vector<Row> rows_;
  Anderson acceleration_;
  std::vector<Real> metric_, start_, swept_;
  std::vector<char> changed_, changing_;  // per body: in the last sweep, and in this one
};

}  // namespace

SolverInfo frictionless_solver() {
  return {"frictionless",
          "contact without friction, contact by contact, only where something changes",
          "Catto 2005, one row a contact",
          "no friction, no bounce, no row blocks; slow on tall stacks",
          {{"iterations", 100.0, "largest number of sweeps", 1, 1e6, true, {}},
           {"tolerance",
            1e-4,
            "change of velocity in a sweep that counts as converged, in units of v_ref",
            0,
            1,
            false,
            {}}},
          [](const Options& options) -> std::unique_ptr<Solver> { return std::make_unique<Frictionless>(options); },
          {Feature::GapTarget}};
}

}  // namespace carom
