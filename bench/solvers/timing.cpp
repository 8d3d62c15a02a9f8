#include "timing.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <memory>

#include "carom/base/error.h"
#include "carom/contact/measures.h"
#include "solvers/model_residual.h"
#include "study/trial.h"

namespace carom::bench {
namespace {

/// Of this thread: other jobs of the machine do not count.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Run {
  double seconds = 0;
  Real residual = 0, residual_coulomb = 0, rms_coulomb = 0, approach = 0;
  int iterations = 0;
  std::vector<Vec3> impulses;
};

class Timer {
 public:
  Timer(const ContactProblem& problem, SolverChoice choice)
      : problem_(problem), choice_(std::move(choice)), v_ref_(reference_velocity(problem)) {
    for (const OptionSpec& spec : choice_.info->options)
      for (const char* name : {"iterations", "sweeps", "bounces"})
        if (spec.name == name) {
          budget_option_ = name;
          most_iterations_ = spec.maximum;
        }
  }

  /// Options that the solver does not have are left alone.
  void set(const char* option, double value) {
    for (const OptionSpec& spec : choice_.info->options) {
      if (spec.name != option) continue;
      const std::string refused = choice_.options.set(option, std::clamp(value, spec.minimum, spec.maximum));
      require(refused.empty(), refused.c_str());
    }
  }
  void set_budget(double iterations) { set(budget_option_, iterations); }

  /// Cuts the budget of iterations to what fits in so much time.
  void limit(double seconds) {
    if (most_iterations_ == 0) return;
    constexpr double kTrial = 500, kLoose = 1e-2;
    // Asked for more, a solver may spend its time on small islands, whose steps hardly count.
    set("tolerance", kLoose);
    set_budget(kTrial);
    const Run trial = run({});
    budget_ = std::clamp(std::floor(seconds / (trial.seconds / std::max(trial.iterations, 1))), kTrial, 1e6);
    set_budget(budget_);
  }

  Run run(const std::vector<Vec3>& warm) const {
    const std::unique_ptr<Solver> solver = choice_.info->make(choice_.options);
    SolveContext context;
    context.warm_impulses = warm;
    context.resting_speed = kTargets[0] * v_ref_;
    ContactSolution solution;
    const double start = cpu_seconds();
    solver->solve(problem_, context, solution);
    Run run;
    run.seconds = cpu_seconds() - start;
    run.residual =
        model_residual(solver_model(*choice_.info, choice_.options), problem_, solution, context.resting_speed) /
        v_ref_;
    const ContactErrors errors = measure(problem_, solution);
    run.residual_coulomb = errors.residual_coulomb;
    run.rms_coulomb = errors.rms_coulomb;
    run.approach = approach_left(problem_, solution);
    run.iterations = solution.report.iterations;
    run.impulses = std::move(solution.impulses);
    return run;
  }

  /// Solvers that stop by the change of a sweep stop too early: they are asked for more until the measure agrees.
  Reached reach(Real target, const std::vector<Vec3>& warm, int repeats) {
    Reached reached{target, false, 0, 0, 0};
    for (const Real margin : {1.0, 0.1, 0.01}) {
      set("tolerance", margin * target);
      std::vector<double> times;
      Run last;
      for (int i = 0; i < repeats; ++i) {
        last = run(warm);
        times.push_back(last.seconds);
        if (!(last.residual <= target)) break;
      }
      std::ranges::sort(times);
      reached.seconds = times[times.size() / 2];
      reached.residual = last.residual;
      reached.residual_coulomb = last.residual_coulomb;
      reached.met = last.residual <= target;
      if (reached.met || last.iterations >= budget_) break;
    }
    return reached;
  }

  std::vector<Reached> reach_all(const std::vector<Vec3>& warm, int repeats) {
    std::vector<Reached> all;
    for (const Real target : kTargets) {
      all.push_back(reach(target, warm, repeats));
      if (!all.back().met) break;
    }
    return all;
  }

  Budgeted run_budget(int budget, const std::vector<Vec3>& warm, int repeats) {
    set("tolerance", 0);
    set_budget(budget);
    Run cold;
    std::vector<double> times(static_cast<std::size_t>(repeats));
    for (double& seconds : times) seconds = (cold = run({})).seconds;
    std::ranges::sort(times);
    const Run after = run(warm);
    return {budget,           times[times.size() / 2], cold.residual_coulomb,
            cold.rms_coulomb, after.residual_coulomb,  after.rms_coulomb,
            cold.approach};
  }

 private:
  const ContactProblem& problem_;
  SolverChoice choice_;
  Real v_ref_;
  const char* budget_option_ = "iterations";
  double most_iterations_ = 0, budget_ = 0;
};

/// "qp:cone=exact" as a request.
SolverChoice choose(const std::string& text) {
  SolveRequest request;
  std::size_t colon = text.find(':');
  request.solver = text.substr(0, colon);
  while (colon != std::string::npos) {
    const std::size_t next = text.find(':', colon + 1);
    request.settings.push_back(text.substr(colon + 1, next - colon - 1));
    colon = next;
  }
  const Result<SolverChoice> choice = choose_solver(request);
  if (!choice) fail(choice.message());
  return choice.value();
}

/// What the solver starts from when the step before, or nearly the same problem, has been solved to 1e-4.
std::vector<Vec3> warm_start(const Subject& subject, const SolverChoice& choice, const TimingSettings& settings) {
  constexpr Real kSolved = 1e-4, kOff = 0.1;
  ContactProblem before = subject.previous.value_or(subject.problem);
  if (!subject.previous) {
    // Signs that change from body to body, so that it is no motion of the whole.
    const Real off = kOff * subject.problem.gravity * subject.problem.dt;
    for (std::size_t i = 0; i < before.bodies.size(); ++i)
      if (before.bodies[i].role == BodyRole::Dynamic)
        before.bodies[i].velocity +=
            off * Vec3{i % 2 == 0 ? 1.0 : -1.0, i % 3 == 0 ? 1.0 : -1.0, i % 5 < 2 ? 1.0 : -1.0};
  }
  Timer timer(before, choice);
  timer.limit(settings.patience);
  timer.set("tolerance", kSolved);
  const std::vector<Vec3> impulses = timer.run({}).impulses;
  return subject.previous ? matched_by_id(before, impulses, subject.problem) : impulses;
}

}  // namespace

std::vector<SolverBudgets> run_budgets(const Subject& subject, const std::vector<std::string>& solvers,
                                       const std::vector<int>& budgets, const TimingSettings& settings,
                                       const std::function<void(const std::string&)>& progress) {
  std::vector<SolverBudgets> all;
  for (const std::string& name : solvers) {
    progress(subject.name + ": " + name);
    SolverBudgets budgeted{name, {}, {}};
    const SolverChoice choice = choose(name);
    budgeted.refusal = refusal(*choice.info, choice.options, subject.problem);
    if (budgeted.refusal.empty()) {
      const std::vector<Vec3> warm = warm_start(subject, choice, settings);
      Timer timer(subject.problem, choice);
      for (const int budget : budgets) budgeted.rows.push_back(timer.run_budget(budget, warm, settings.repeats));
    }
    all.push_back(std::move(budgeted));
  }
  return all;
}

std::vector<SolverTimes> time_solvers(const Subject& subject, const std::vector<std::string>& solvers,
                                      const TimingSettings& settings,
                                      const std::function<void(const std::string&)>& progress) {
  std::vector<SolverTimes> all;
  for (const std::string& name : solvers) {
    progress(subject.name + ": " + name);
    SolverTimes times;
    times.solver = name;
    const SolverChoice choice = choose(name);
    times.refusal = refusal(*choice.info, choice.options, subject.problem);
    if (times.refusal.empty()) {
      Timer timer(subject.problem, choice);
      timer.limit(settings.patience);
      times.cold = timer.reach_all({}, settings.repeats);
      times.warm = timer.reach_all(warm_start(subject, choice, settings), settings.repeats);
    }
    all.push_back(std::move(times));
  }
  return all;
}

}  // namespace carom::bench
