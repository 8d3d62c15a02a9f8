#include "dynamics/solver_stages.h"

#include <algorithm>
#include <utility>

#include "contact/rows.h"
#include "solvers/work_limit.h"

namespace carom {
namespace {

/// Frozen bodies have their mass in this stage (Schmidl and Milenkovic 2004, section 5.2). The priority queue revives
/// them one at a time, and for that it has to see what a revived body touches: the contacts at rest of those that may
/// be revived are in the problem too, more of them where the revival has spread. Other methods see the contacts of
/// bodies that move alone, and revive only what these strike.
class SolverCollisions final : public CollisionStage {
 public:
  SolverCollisions(std::vector<StepSolver> methods, const CollisionRules& rules)
      : methods_(std::move(methods)), rules_(rules) {}

  void resolve(StepContext& step) override {
    for (int round = 0; round < rules_.rounds; ++round)
      if (!collide(step, methods_.front(), Pairs::Colliding)) return;
    bool converged = true;
    for (const StepSolver& method : methods_) {
      if (!collide(step, method, Pairs::Touching)) return;
      step.report.approach_left = solution_.report.approach_left;
      converged = solution_.report.converged;
      if (solution_.report.approach_left <= step.resting_speed) break;
    }
    step.report.converged = step.report.converged && converged;
  }

 private:
  /// Whose contacts a problem is made of.
  enum class Pairs : std::uint8_t { Touching, Colliding };

  /// False where there was nothing to do.
  bool collide(StepContext& step, const StepSolver& method, Pairs pairs) {
    assemble_collisions(*step.world, step.contacts, step.held, step.dt, step.envelope,
                        kFast * step.world->smallest_size, indices_, problem_);
    if (pairs == Pairs::Colliding) keep_colliding(step);
    if (problem_.contacts.empty()) return false;
    const std::size_t active = indices_.size();
    find_struck(step);
    give_back(step, method.revives);
    if (method.revives) {
      reached_ = struck_;
      do {
        problem_.contacts.resize(active);
        add_resting(step);
        solve(step, method);
      } while (reach_revived(step));
      revived_ = solution_.revived;
    } else {
      for (const std::int32_t body : struck_) problem_.bodies[static_cast<std::size_t>(body)].role = BodyRole::Dynamic;
      if (!struck_.empty()) problem_.still_version = 0;
      solve(step, method);
      if (rules_.limited) limit_.limit_bounces(*method.solver, context(step), problem_, solution_);
      revived_.clear();
      for (const std::int32_t body : struck_)
        if (energy_after(step, body) > step.quiet_energy(step.world->at(body))) revived_.push_back(body);
    }
    step.show(Stage::Collisions, problem_);
    take(step, active);
    return true;
  }

  /// Leaves the contacts of pairs of bodies that collide at one of them.
  void keep_colliding(StepContext& step) {
    colliding_.clear();
    step.report.approach_left = 0;
    for (const std::int32_t i : indices_) {
      const StepContact& c = step.contacts[static_cast<std::size_t>(i)];
      const Real speed = approach(*step.world, c);
      step.report.approach_left = std::max(step.report.approach_left, speed);
      if (speed > step.resting_speed) colliding_.emplace_back(c.point.a, c.point.b);
    }
    std::sort(colliding_.begin(), colliding_.end());
    std::size_t kept = 0;
    for (std::size_t k = 0; k < indices_.size(); ++k) {
      const ContactPoint& p = problem_.contacts[k];
      if (!std::binary_search(colliding_.begin(), colliding_.end(), std::pair(p.a, p.b))) continue;
      problem_.contacts[kept] = p;
      indices_[kept++] = indices_[k];
    }
    problem_.contacts.resize(kept);
    indices_.resize(kept);
  }

  void solve(const StepContext& step, const StepSolver& method) {
    method.solver->solve(problem_, context(step), solution_);
  }

  static SolveContext context(const StepContext& step) { return {{}, {}, step.resting_speed, step.threads}; }

  /// Frozen bodies that something runs into.
  void find_struck(const StepContext& step) {
    struck_.clear();
    if (step.world->frozen_count == 0) return;
    for (const std::int32_t i : indices_) {
      const StepContact& c = step.contacts[static_cast<std::size_t>(i)];
      if (approach(*step.world, c) <= step.resting_speed) continue;
      for (const std::int32_t body : {c.point.a, c.point.b})
        if (step.world->at(body).frozen) struck_.push_back(body);
    }
    sort_unique(struck_);
  }

  /// What earlier rounds gave to bodies without reviving them is theirs again while the collision lasts: a queue tells
  /// by it whom to revive, other methods have the bodies that are struck now.
  void give_back(const StepContext& step, bool to_all) {
    if (step.world->frozen_count == 0) return;
    const auto push = [&](std::int32_t index, const Vec3& impulse, const Vec3& arm) {
      if (!step.world->at(index).frozen) return;
      if (!to_all && !std::binary_search(struck_.begin(), struck_.end(), index)) return;
      ProblemBody& body = problem_.bodies[static_cast<std::size_t>(index)];
      body.velocity += body.inverse_mass * impulse;
      body.angular_velocity += body.inverse_inertia * cross(arm, impulse);
      problem_.still_version = 0;
    };
    for (std::size_t i = 0; i < step.contacts.size(); ++i) {
      if (step.collision_impulses[i] == Vec3{}) continue;
      const ContactPoint& c = step.contacts[i].point;
      push(c.b, step.collision_impulses[i], c.rb);
      push(c.a, -step.collision_impulses[i], c.ra);
    }
  }

  /// The contacts at rest of all bodies reached so far.
  void add_resting(StepContext& step) {
    resting_.clear();
    for (const std::int32_t body : reached_) step.detector.resting_of(body, resting_of_body_), append_resting(body);
    resting_contacts_.clear();
    for (const Manifold* m : resting_) gather_contacts(*step.world, {m, 1}, resting_contacts_);
    for (const StepContact& c : resting_contacts_)
      if (c.gap <= step.envelope) problem_.contacts.push_back(c.point);
  }

  void append_resting(std::int32_t body) {
    for (const Manifold* m : resting_of_body_) {
      // A contact of two bodies that were reached is listed once.
      const std::int32_t other = m->a == body ? m->b : m->a;
      const bool listed = other < body && std::binary_search(reached_.begin(), reached_.end(), other);
      if (!listed) resting_.push_back(m);
    }
  }

  /// True where a body was revived whose other contacts are not in the problem yet.
  bool reach_revived(StepContext& step) {
    const bool all = std::all_of(solution_.revived.begin(), solution_.revived.end(), [&](std::int32_t body) {
      return std::binary_search(reached_.begin(), reached_.end(), body);
    });
    if (all) return false;
    const std::vector<std::int32_t> revived = solution_.revived;
    for (const std::int32_t body : revived) {
      reached_.push_back(body);
      step.detector.resting_of(body, resting_of_body_);
      for (const Manifold* m : resting_of_body_)
        for (const std::int32_t side : {m->a, m->b})
          if (step.world->at(side).frozen) reached_.push_back(side);
    }
    sort_unique(reached_);
    return true;
  }

  Real energy_after(const StepContext& step, std::int32_t index) const {
    Body body = step.world->at(index);
    body.velocity = solution_.velocities[static_cast<std::size_t>(index)];
    body.angular_velocity = solution_.angular_velocities[static_cast<std::size_t>(index)];
    return kinetic_energy(body);
  }

  /// Velocities and impulses become those of the step; contacts of revived bodies join it.
  void take(StepContext& step, std::size_t active) {
    for (std::size_t k = 0; k < active; ++k)
      step.collision_impulses[static_cast<std::size_t>(indices_[k])] += solution_.impulses[k];
    const std::size_t before = step.contacts.size();
    for (const std::int32_t body : revived_) step.revive(body);
    step.world->find_awake();
    step.take_velocities(solution_);
    for (std::size_t i = before; i < step.contacts.size(); ++i)
      for (std::size_t k = active; k < problem_.contacts.size(); ++k)
        if (problem_.contacts[k].id == step.contacts[i].point.id) step.collision_impulses[i] += solution_.impulses[k];
  }

  static void sort_unique(std::vector<std::int32_t>& bodies) {
    std::sort(bodies.begin(), bodies.end());
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  }

  std::vector<StepSolver> methods_;
  CollisionRules rules_;
  std::vector<std::pair<std::int32_t, std::int32_t>> colliding_;
  std::vector<std::int32_t> indices_;                     // of the problem's first contacts among those of the step
  std::vector<std::int32_t> struck_, reached_, revived_;  // frozen bodies, ascending
  std::vector<const Manifold*> resting_, resting_of_body_;
  std::vector<StepContact> resting_contacts_;
  WorkLimit limit_;
  StepProblem problem_;
  ContactSolution solution_;
};

class SolverContacts final : public ContactStage {
 public:
  SolverContacts(StepSolver method, SmallProblems small, bool warm_start)
      : method_(std::move(method)), small_(std::move(small)), warm_start_(warm_start) {}

  void resolve(StepContext& step) override {
    step.impulses.clear();
    if (step.contacts.empty()) return;
    step.pose_contacts(problem_);
    const std::span<const Vec3> warm = warm_start_ ? step.last_impulses() : std::span<const Vec3>{};
    const SolveContext context{warm, {}, step.resting_speed, step.threads};
    if (!solve_small(context)) method_.solver->solve(problem_, context, solution_);
    if (step.bias == 0 && astray()) {
      // The start may have led it there: from last step's impulses a cube at rest was thrown into the air.
      if (!warm.empty()) method_.solver->solve(problem_, {{}, {}, step.resting_speed, step.threads}, solution_);
      if (warm.empty() || astray()) limit_.weaken(problem_, solution_);
    }
    step.impulses = solution_.impulses;
    step.take_velocities(solution_);
    step.report_contacts(problem_, method_.model, solution_);
  }

 private:
  /// A method that did not get to its end and adds energy, where contacts only take it.
  bool astray() { return !solution_.report.converged && limit_.runs_away(problem_, solution_); }

  /// False where the problem is not small, or the closer answer cannot be had.
  bool solve_small(const SolveContext& context) {
    if (problem_.contacts.size() > small_.most_contacts) return false;
    small_.solver->solve(problem_, context, solution_);
    return solution_.report.converged;
  }

  StepSolver method_;
  SmallProblems small_;
  bool warm_start_;
  WorkLimit limit_;
  StepProblem problem_;
  ContactSolution solution_;
};

}  // namespace

StepSolver make_step_solver(const SolverInfo& info, const Options& options) {
  const Options& given = options.specs().empty() ? Options(info.options) : options;
  return {info.make(given), solver_model(info, given), info.revives};
}

std::unique_ptr<CollisionStage> make_solver_collisions(std::vector<StepSolver> methods, const CollisionRules& rules) {
  return std::make_unique<SolverCollisions>(std::move(methods), rules);
}

std::unique_ptr<ContactStage> make_solver_contacts(StepSolver method, bool warm_start, SmallProblems small) {
  return std::make_unique<SolverContacts>(std::move(method), std::move(small), warm_start);
}

}  // namespace carom
