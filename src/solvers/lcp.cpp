// Contacts as one linear complementarity problem, with an eight-sided pyramid for the friction cone.
//
// D. Baraff, "Fast contact force computation for nonpenetrating rigid bodies", 1994, for forces at rest without
// friction; D. E. Stewart and J. C. Trinkle, 1996, and M. Anitescu and F. A. Potra, 1997, for velocities with friction.
// Two methods: Lemke's pivots on the dense problem (lemke.h), exact but for rounding, and projected Gauss–Seidel sweeps
// (lcp_sweeps.h), for any size. Both are finished by a few of Newton's steps on the faces found (lcp_dense.h) where the
// problem is small. The stopping rule is the natural map of the problem itself.
// Known failures: where friction makes several answers possible the two methods may find different ones; where targets
// contradict each other Lemke's path ends on a ray; sweeps are slow on tall stacks and large mass ratios.
#include "solvers/lcp.h"

#include <algorithm>
#include <limits>

#include "carom/contact/measures.h"
#include "contact/resting.h"
#include "contact/restitution.h"
#include "solvers/lcp_contact.h"
#include "solvers/lcp_dense.h"
#include "solvers/lcp_sweeps.h"

namespace carom {
namespace {

class Lcp final : public Solver {
 public:
  explicit Lcp(const Options& options)
      : method_(options.word("method")),
        at_rest_(options.word("level") == "acceleration"),
        iterations_(options.integer("iterations")),
        tolerance_(options.number("tolerance")),
        memory_(options.integer("memory")) {}

  void solve(const ContactProblem& problem, const SolveContext& context, ContactSolution& solution) override {
    system_.build(problem);
    if (at_rest_)
      keep_resting(problem);
    else
      aim(problem, context.resting_speed);
    solution.report = {};
    const Real goal = tolerance_ * system_.reference_velocity;
    const bool is_small = system_.contacts.size() <= kMostDenseContacts;
    const bool pivots = method_ == "lemke" || (method_ == "auto" && problem.contacts.size() <= kMostDenseContacts);
    if (is_small) dense_.build(system_);
    Real residual = 0;
    if (pivots) {
      residual = pivot(goal, solution.report);
    } else {
      system_.take_warm(problem, context.warm_impulses, impulses_);
      residual = sweep(goal, is_small, solution.report);
    }
    if (method_ == "auto" && pivots && !(residual <= goal)) {
      // Pivots have failed: sweeps may still do better.
      pivoted_ = impulses_;
      const Real swept = sweep(goal, is_small, solution.report);
      if (swept < residual)
        residual = swept;
      else
        impulses_ = pivoted_;
    }
    solution.report.converged = residual <= goal;
    system_.unpack(problem, impulses_, solution);
  }

 private:
  /// Newton's restitution as targets.
  void aim(const ContactProblem& problem, Real resting_speed) {
    for (ConeContact& c : system_.contacts) {
      const ContactPoint& point = problem.contacts[static_cast<std::size_t>(c.source)];
      c.bias.x -= newton_target(problem, point, resting_speed) - point.target;
    }
  }

  /// Accelerations times dt in place of velocities, at the contacts that neither separate nor approach before forces.
  void keep_resting(const ContactProblem& problem) {
    const Real rest = kRestFraction * system_.reference_velocity;
    const auto before = [&](const ConeContact& c) {
      return velocity_before_forces(problem, problem.contacts[static_cast<std::size_t>(c.source)]);
    };
    std::erase_if(system_.contacts, [&](const ConeContact& c) { return before(c) > rest; });
    for (ConeContact& c : system_.contacts) c.bias.x -= before(c);
  }

  Real pivot(Real goal, SolveReport& report) {
    // Where rounding leads astray, again with more and more of a perturbation.
    Real best = std::numeric_limits<Real>::infinity();
    impulses_.assign(system_.contacts.size(), {});
    for (const Real perturbation : {0.0, 1e-9, 1e-7, 1e-5}) {
      report.ray = dense_.pivot(perturbation, found_, report.iterations) == Lemke::End::Ray;
      if (const Real residual = dense_.refine(found_, kRefinements, goal); residual < best) {
        best = residual;
        impulses_ = found_;
      }
      if (best <= goal) break;
    }
    report.ray = report.ray && !(best <= goal);
    return best;
  }

  /// Sweeps from `impulses_`; refined after 8, 16, 32, … of them where that can be afforded.
  Real sweep(Real goal, bool is_small, SolveReport& report) {
    constexpr int kFirstCheck = 8;
    sweeps_.start(system_, impulses_, memory_);
    Real best = std::numeric_limits<Real>::infinity();
    const auto judge = [&](Real residual, const std::vector<Vec3>& impulses) {
      if (!(residual < best)) return;
      best = residual;
      impulses_ = impulses;
    };
    // Acceleration can go in circles where contacts change between faces: a few plain sweeps at every check.
    bool accelerated = true;
    for (int count = 1, check = kFirstCheck;; ++count) {
      sweeps_.sweep();
      ++report.iterations;
      const bool is_last = count >= iterations_;
      if (count % kFirstCheck != 0 && !is_last) continue;
      judge(sweeps_.residual(), sweeps_.impulses());
      if ((count >= check || is_last) && !(best <= goal)) {
        check *= 2;
        if (is_small) {
          found_ = sweeps_.impulses();
          const Real refined = dense_.refine(found_, kRefinements, goal);
          judge(refined, found_);
        }
        accelerated = false;
        sweeps_.restart(0);
      } else if (!accelerated) {
        accelerated = true;
        sweeps_.restart(memory_);
      }
      if (best <= goal || is_last) return best;
    }
  }

  static constexpr int kRefinements = 10;

  std::string method_;
  bool at_rest_;
  int iterations_;
  Real tolerance_;
  int memory_;
  ConeSystem system_;
  DensePyramids dense_;
  PyramidSweeps sweeps_;
  std::vector<Vec3> impulses_, found_, pivoted_;
};

std::string limit(const Options& options, const ContactProblem& problem) {
  if (options.word("method") == "lemke" && problem.contacts.size() > kMostDenseContacts)
    return "the problem has " + std::to_string(problem.contacts.size()) + " contacts, Lemke's method takes up to " +
           std::to_string(kMostDenseContacts) + ": method=pgs takes any number";
  if (options.word("level") != "acceleration") return {};
  const std::string level = "level=acceleration: ";
  if (!(problem.gravity > 0) || !(problem.dt > 0) || problem.down == Vec3{})
    return level + "the problem does not say dt, gravity and down, which accelerations follow from";
  const Real rest = kRestFraction * reference_velocity(problem);
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactPoint& c = problem.contacts[i];
    const std::string where = level + "contacts[" + std::to_string(i) + "] ";
    if (c.mu > 0) return where + "has friction, which is for level=velocity";
    if (c.target != 0) return where + "has a normal target, which is for level=velocity";
    if (velocity_before_forces(problem, c) < -rest)
      return where + "approaches before forces act: it collides, and that is for level=velocity";
  }
  return {};
}

}  // namespace

SolverInfo lcp_solver() {
  const OptionSpec method{
      "method",
      std::string("auto"),
      "lemke: pivots, up to 100 contacts; pgs: projected Gauss-Seidel; auto: lemke, and pgs where that does not do",
      0,
      0,
      false,
      {"auto", "lemke", "pgs"}};
  const OptionSpec level{"level",
                         std::string("velocity"),
                         "acceleration: forces at resting contacts without friction, from dt and gravity",
                         0,
                         0,
                         false,
                         {"velocity", "acceleration"}};
  return {"lcp",
          "Coulomb's law on an eight-sided pyramid as a linear complementarity problem",
          "Baraff 1994; Stewart and Trinkle 1996; Anitescu and Potra 1997",
          "friction along the tangents is 7.6 % too weak; sweeps are slow on tall stacks, pivots on many contacts",
          {method,
           level,
           {"iterations", 1000.0, "pgs: largest number of sweeps", 1, 1e7, true, {}},
           {"tolerance", 1e-9, "residual that counts as converged, in units of v_ref", 0, 1, false, {}},
           {"memory", 8.0, "pgs: sweeps that Anderson acceleration looks back on; 0: plain sweeps", 0, 10, true, {}}},
          [](const Options& options) -> std::unique_ptr<Solver> { return std::make_unique<Lcp>(options); },
          {Feature::Friction, Feature::Restitution, Feature::GapTarget, Feature::TangentTarget},
          false,
          true,
          SolverModel::CoulombPyramid,
          "pyramid",
          [](const Options& options) {
            return options.word("level") == "acceleration" ? SolverModel::RestingForces : SolverModel::CoulombPyramid;
          },
          limit};
}

}  // namespace carom
