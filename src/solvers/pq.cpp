// Collisions one after the other, the fastest first.
//
// H. Schmidl, V. Milenkovic, "A fast impulsive contact suite for rigid body simulation", 2004, section 5.1. All
// contacts that approach stand in a queue ordered by speed. The fastest bounces by an impact law, alone; the contacts
// of its two bodies get their new speeds; and so on until none approaches or c_b bounces are used up. So momentum
// passes through a row of balls in the order in which it would in time. A frozen body has its mass here: a bounce that
// lifts its energy over that of one step of free fall revives it, and its other contacts join the queue (section 5.2,
// eq. 15). Known failure: k of n balls take k (n − k) bounces, a heap that is hit takes many thousand, and where e < 1
// some contacts bounce for ever with less and less speed: the cut leaves `approach_left` to another method. Contacts of
// a flat face bounce one by one, so a box that lands flat starts to rock; with `whole` all contacts of a pair of bodies
// bounce together by Newton's law (solvers/pairwise.h), and it leaves flat. Section 7 wishes for a quadratic program a
// bounce, so that energy cannot rise: `law=qp` (contact/impact_qp.h). With `limit` a bounce by another law is weakened
// where it would add energy (solvers/work_limit.h).
#include "solvers/pq.h"

#include <algorithm>
#include <optional>
#include <string>

#include "carom/contact/classify.h"
#include "carom/contact/impact.h"
#include "contact/freezing.h"
#include "contact/impact_qp.h"
#include "contact/rows.h"
#include "solvers/approach_queue.h"
#include "solvers/body_contacts.h"
#include "solvers/pairwise.h"
#include "solvers/work_limit.h"

namespace carom {
namespace {

bool has_mass(const ProblemBody& body) { return body.role == BodyRole::Dynamic || body.role == BodyRole::Frozen; }

/// For pairs that bounce once, and are to leave as the law says.
std::unique_ptr<Solver> thorough_pairs() {
  const SolverInfo pairwise = pairwise_solver();
  Options options(pairwise.options);
  static_cast<void>(options.set("inner_sweeps", 60.0));
  return pairwise.make(options);
}

class PriorityQueue final : public Solver {
 public:
  explicit PriorityQueue(const Options& options)
      : law_(find_impact_law(options.word("law"))),
        bounces_(options.integer("bounces")),
        limited_(options.flag("limit")) {
    if (options.flag("whole") && law_ == ImpactLaw::Newton) pair_solver_ = thorough_pairs();
  }

  void solve(const ContactProblem& problem, const SolveContext& context, ContactSolution& solution) override {
    start(problem, solution);
    fill_queue(context.resting_speed);
    SolveReport& report = solution.report;
    const int most = bounces_ > 0 ? bounces_ : customary_bounces(problem);
    while (!queue_.empty() && report.iterations < most) {
      const std::size_t contact = queue_.fastest();
      if (!bounce(contact)) {
        jammed_[contact] = 1;
        queue_.remove(contact);
        continue;
      }
      ++report.iterations;
    }
    report.approach_left = approach_left();
    report.converged = report.approach_left <= slow_;
    for (std::size_t i = 0; i < problem.bodies.size(); ++i)
      if (problem.bodies[i].role == BodyRole::Frozen && awake_[i] != 0)
        solution.revived.push_back(static_cast<std::int32_t>(i));
  }

 private:
  /// The paper's: enough for most small scenes, and a small part of the work in large ones.
  static int customary_bounces(const ContactProblem& problem) {
    constexpr std::ptrdiff_t kFewBodies = 50;
    const auto bodies = std::count_if(problem.bodies.begin(), problem.bodies.end(), has_mass);
    return static_cast<int>(bodies < kFewBodies ? bodies : static_cast<std::ptrdiff_t>(problem.contacts.size() / 10));
  }

  void start(const ContactProblem& problem, ContactSolution& solution) {
    problem_ = &problem;
    solution_ = &solution;
    solution.report = {};
    solution.impulses.assign(problem.contacts.size(), {});
    solution.row_impulses.assign(problem.row_count() - 3 * problem.contacts.size(), 0);
    solution.revived.clear();
    solution.velocities.clear();
    solution.angular_velocities.clear();
    awake_.clear();
    for (const ProblemBody& body : problem.bodies) {
      solution.velocities.push_back(body.velocity);
      solution.angular_velocities.push_back(body.angular_velocity);
      awake_.push_back(body.role == BodyRole::Dynamic ? 1 : 0);
    }
    jammed_.assign(problem.contacts.size(), 0);
    neighbours_.build(problem);
    queue_.start(problem.contacts.size());
  }

  void fill_queue(Real resting_speed) {
    constexpr Real kRounding = 1e-14;  // of the fastest approach: what bouncing itself leaves behind
    Real fastest = 0;
    for (std::size_t i = 0; i < problem_->contacts.size(); ++i) fastest = std::max(fastest, approach(i));
    slow_ = std::max(resting_speed, kRounding * fastest);
    for (std::size_t i = 0; i < problem_->contacts.size(); ++i) update(i);
  }

  /// Speed at which the contact closes, negative where it opens.
  Real approach(std::size_t contact) const {
    const ContactPoint& c = problem_->contacts[contact];
    const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
    const std::vector<Vec3>&v = solution_->velocities, &w = solution_->angular_velocities;
    return -dot(c.normal, relative_velocity(c, v[a], w[a], v[b], w[b]));
  }

  /// Contacts among frozen and fixed bodies wait until one of the two is revived.
  bool is_active(std::size_t contact) const {
    const ContactPoint& c = problem_->contacts[contact];
    return awake_[static_cast<std::size_t>(c.a)] != 0 || awake_[static_cast<std::size_t>(c.b)] != 0;
  }

  void update(std::size_t contact) {
    if (jammed_[contact] != 0 || !is_active(contact)) return;
    const Real speed = approach(contact);
    if (classify(-speed, slow_) == ContactState::Colliding) {
      queue_.set(contact, speed);
    } else {
      queue_.remove(contact);
    }
  }

  /// False where the law has no answer.
  bool bounce(std::size_t contact) {
    if (find_pair(contact)) {
      bounce_pair(contact);
    } else if (!bounce_point(contact)) {
      return false;
    }
    const ContactPoint& c = problem_->contacts[contact];
    for (const std::int32_t body : {c.a, c.b}) {
      const auto i = static_cast<std::size_t>(body);
      // What feels nothing has no new velocity, and may have very many contacts.
      if (!has_mass(problem_->bodies[i])) continue;
      for (const std::size_t neighbour : neighbours_.of(i)) update(neighbour);
    }
    return true;
  }

  bool bounce_point(std::size_t contact) {
    const PointImpact impact = point_impact(*problem_, contact, solution_->velocities, solution_->angular_velocities);
    ImpactOutcome outcome = law_ ? resolve_impact(*law_, impact) : least_energy_impact(impact);
    if (!outcome.applies) return false;
    if (limited_ && outcome.work.total() > 0) outcome.impulse = limited(impact, outcome.impulse);
    const ContactPoint& c = problem_->contacts[contact];
    solution_->impulses[contact] += outcome.impulse;
    push(static_cast<std::size_t>(c.a), -outcome.impulse, c.ra);
    push(static_cast<std::size_t>(c.b), outcome.impulse, c.rb);
    return true;
  }

  /// As much of a bounce as adds no energy; the rest is Poisson's impact without restitution, which never does.
  static Vec3 limited(PointImpact impact, const Vec3& bounce) {
    impact.restitution = 0;
    const Vec3 dull = resolve_impact(ImpactLaw::Poisson, impact).impulse;
    const auto work = [&](const Vec3& p) { return dot(p, impact.velocity + 0.5 * (impact.inverse_mass * p)); };
    const MixedWork works{work(dull), work(0.5 * (dull + bounce)), work(bounce)};
    return dull + works.share() * (bounce - dull);
  }

  /// The contacts between the two bodies of this one. False where it bounces alone.
  bool find_pair(std::size_t contact) {
    if (!pair_solver_) return false;
    const ContactPoint& c = problem_->contacts[contact];
    const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
    pair_.clear();
    for (const std::size_t other : neighbours_.of(has_mass(problem_->bodies[a]) ? a : b))
      if (problem_->contacts[other].a == c.a && problem_->contacts[other].b == c.b) pair_.push_back(other);
    return pair_.size() > 1;
  }

  void bounce_pair(std::size_t contact) {
    const ContactPoint& first = problem_->contacts[contact];
    const std::size_t bodies[] = {static_cast<std::size_t>(first.a), static_cast<std::size_t>(first.b)};
    pair_problem_.bodies.clear();
    for (const std::size_t i : bodies) {
      ProblemBody& body = pair_problem_.bodies.emplace_back(problem_->bodies[i]);
      if (has_mass(body)) body.role = BodyRole::Dynamic;
      body.velocity = solution_->velocities[i];
      body.angular_velocity = solution_->angular_velocities[i];
    }
    pair_problem_.contacts.clear();
    for (const std::size_t i : pair_) {
      ContactPoint& c = pair_problem_.contacts.emplace_back(problem_->contacts[i]);
      c.a = 0;
      c.b = 1;
    }
    const SolveContext context{{}, {}, slow_, nullptr};
    pair_solver_->solve(pair_problem_, context, pair_solution_);
    if (limited_) limit_.limit_bounces(*pair_solver_, context, pair_problem_, pair_solution_);
    for (std::size_t k = 0; k < pair_.size(); ++k) solution_->impulses[pair_[k]] += pair_solution_.impulses[k];
    for (std::size_t k = 0; k < 2; ++k)
      move(bodies[k], pair_solution_.velocities[k], pair_solution_.angular_velocities[k]);
  }

  void push(std::size_t index, const Vec3& impulse, const Vec3& arm) {
    const ProblemBody& body = problem_->bodies[index];
    move(index, solution_->velocities[index] + body.inverse_mass * impulse,
         solution_->angular_velocities[index] + body.inverse_inertia * cross(arm, impulse));
  }

  void move(std::size_t index, const Vec3& velocity, const Vec3& angular_velocity) {
    const ProblemBody& body = problem_->bodies[index];
    if (!has_mass(body)) return;
    solution_->velocities[index] = velocity;
    solution_->angular_velocities[index] = angular_velocity;
    if (awake_[index] != 0) return;
    awake_[index] = is_faster_than_a_fall(*problem_, body, velocity, angular_velocity) ? 1 : 0;
  }

  Real approach_left() const {
    Real fastest = 0;
    for (std::size_t i = 0; i < problem_->contacts.size(); ++i)
      if (is_active(i)) fastest = std::max(fastest, approach(i));
    return fastest;
  }

  std::optional<ImpactLaw> law_;  // none: a quadratic program a bounce
  int bounces_;
  bool limited_;
  std::unique_ptr<Solver> pair_solver_;      // null: each contact bounces alone
  const ContactProblem* problem_ = nullptr;  // these two: of the call at hand
  ContactSolution* solution_ = nullptr;      // its velocities are the state
  Real slow_ = 0;                            // m/s: up to here a contact does not bounce
  std::vector<char> awake_;                  // per body: dynamic or revived
  std::vector<char> jammed_;                 // per contact: the law had no answer
  BodyContacts neighbours_;
  ApproachQueue queue_;
  std::vector<std::size_t> pair_;  // contacts that bounce together
  ContactProblem pair_problem_;
  ContactSolution pair_solution_;
  WorkLimit limit_;
};

std::string limit_of_law(const Options& options, const ContactProblem& problem) {
  const std::string& law = options.word("law");
  if (law != "qp" && law != "newton_eq5" && law != "newton_eq6") return {};
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    if (problem.contacts[i].mu_static > problem.contacts[i].mu)
      return "contacts[" + std::to_string(i) + "] asks for static friction above the dynamic, which law=" + law +
             " does not know; newton, poisson and stronge do";
  return {};
}

}  // namespace

SolverInfo pq_solver() {
  return {"pq",
          "collisions by an impact law, one contact after the other, the fastest first; revives frozen bodies",
          "Schmidl and Milenkovic 2004, sections 5.1 and 5.2",
          "many bounces in dense heaps; a box that lands flat starts to rock, since its corners bounce one by one",
          {{"law",
            std::string("newton"),
            "impact law of each bounce, or qp: the one with the least energy; newton_eq5, newton_eq6 and qp know no "
            "static friction",
            0,
            0,
            false,
            {"newton", "newton_eq5", "newton_eq6", "poisson", "stronge", "qp"}},
           {"bounces",
            0.0,
            "largest number of bounces (c_b); 0: as many as bodies below 50 bodies, else a tenth of the contacts",
            0,
            1e9,
            true,
            {}},
           {"whole",
            false,
            "law=newton: all contacts of a pair of bodies bounce together, so that a box that lands flat leaves flat",
            0,
            0,
            false,
            {}},
           {"limit",
            false,
            "a bounce that would add energy is weakened until it adds none; off: the law as it is",
            0,
            0,
            false,
            {}}},
          [](const Options& options) -> std::unique_ptr<Solver> { return std::make_unique<PriorityQueue>(options); },
          {Feature::Friction, Feature::StaticFriction, Feature::Restitution},
          true,
          true,
          SolverModel::Bounces,
          "exact",
          nullptr,
          limit_of_law};
}

}  // namespace carom
