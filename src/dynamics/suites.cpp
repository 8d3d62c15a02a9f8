// The one registry of suites: what each part of the step is made of, and the options that change it.
#include "carom/dynamics/suite.h"

#include "carom/base/error.h"
#include "dynamics/solver_stages.h"
#include "dynamics/split_positions.h"
#include "dynamics/stepper.h"

namespace carom {
namespace {

std::vector<OptionSpec> sequential_options() {
  return {
      {"collisions",
       std::string("pairwise"),
       "method of the collision stage; none: the contact stage stops everything",
       0,
       0,
       false,
       {"pairwise", "none"}},
      {"contacts", std::string("sequential"), "method of the contact stage", 0, 0, false, {"sequential"}},
      {"correction",
       std::string("split"),
       "penetrations are taken back by a velocity that moves positions only, or not at all",
       0,
       0,
       false,
       {"split", "none"}},
      {"iterations", 30.0, "largest number of sweeps of the contact stage", 1, 1e6, true, {}},
      {"tolerance",
       1e-6,
       "change of velocity in a sweep at which the contact stage stops, in units of v_ref",
       0,
       1,
       false,
       {}},
      {"memory",
       8.0,
       "sweeps that Anderson acceleration of the contact stage looks back on; 0: plain sweeps",
       0,
       10,
       true,
       {}},
      {"warm_start", true, "start from the impulses of the last step, by contact id", 0, 0, false, {}},
      {"collision_sweeps", 10.0, "largest number of passes of the collision stage", 1, 1e6, true, {}},
      {"position_iterations", 30.0, "largest number of sweeps of the position stage", 1, 1e6, true, {}},
      {"correction_rate", 0.2, "share of a penetration that is taken back in a step", 0, 1, false, {}},
      {"envelope",
       1e-4,
       "contacts closer than this fraction of the smallest body are closed (eps_c)",
       1e-9,
       0.1,
       false,
       {}},
      {"step",
       std::string("fixed"),
       "fixed: each step in one go; toi: cut at every time of impact, where the collision stage acts",
       0,
       0,
       false,
       {"fixed", "toi"}},
      {"most_stops",
       1000.0,
       "largest number of times of impact in a step (step=toi); the rest of the step is done in one go",
       1,
       1e6,
       true,
       {}},
  };
}

std::unique_ptr<Solver> make_solver(const std::string& name,
                                    std::initializer_list<std::pair<const char*, double>> settings) {
  const SolverInfo* info = find_solver(name);
  require(info != nullptr, "make_solver: no solver of that name");
  Options options(info->options);
  for (const auto& [key, value] : settings) {
    const std::string wrong = options.set(key, value);
    if (!wrong.empty()) fail("make_solver: " + wrong);
  }
  return info->make(options);
}

StepParts sequential_parts(const Options& options) {
  StepParts parts;
  if (options.word("collisions") != "none")
    parts.collisions = make_solver_collisions(
        make_solver(options.word("collisions"), {{"sweeps", options.number("collision_sweeps")}}));
  parts.contacts =
      make_solver_contacts(make_solver(options.word("contacts"), {{"iterations", options.number("iterations")},
                                                                  {"tolerance", options.number("tolerance")},
                                                                  {"memory", options.number("memory")}}),
                           options.flag("warm_start"));
  // A position is good to a hundredth of what gravity moves a body in a step.
  parts.positions = make_split_positions(
      make_solver("frictionless", {{"iterations", options.number("position_iterations")}, {"tolerance", 3e-2}}),
      options.word("correction") == "none" ? 0 : options.number("correction_rate"));
  parts.envelope = options.number("envelope");
  parts.to_impacts = options.word("step") == "toi";
  parts.most_stops = static_cast<int>(options.number("most_stops"));
  return parts;
}

/// A suite, and how its options become the parts of a step.
struct Suite {
  SuiteInfo info;
  StepParts (*parts)(const Options& options);
};

const std::vector<Suite>& suites() {
  static const std::vector<Suite> list{
      {{"sequential",
        "sequential impulses: collisions pair by pair, contacts with accumulated clamping and a persistent warm start",
        "Lembcke 2006, after Catto 2005 and Guendelman et al. 2003", sequential_options()},
       sequential_parts},
  };
  return list;
}

}  // namespace

const std::vector<SuiteInfo>& suite_registry() {
  static const std::vector<SuiteInfo> registry = [] {
    std::vector<SuiteInfo> infos;
    for (const Suite& suite : suites()) infos.push_back(suite.info);
    return infos;
  }();
  return registry;
}

const SuiteInfo* find_suite(std::string_view name) {
  for (const SuiteInfo& suite : suite_registry())
    if (suite.name == name) return &suite;
  return nullptr;
}

std::unique_ptr<Stepper> make_stepper(std::string_view name, const Options& options) {
  for (const Suite& suite : suites()) {
    if (suite.info.name != name) continue;
    return make_fixed_step(suite.parts(options.specs().empty() ? Options(suite.info.options) : options));
  }
  fail("World: there is no suite named '" + std::string(name) + "'");
}

}  // namespace carom
