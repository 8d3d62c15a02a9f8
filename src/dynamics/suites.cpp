// The one registry of suites: what each part of the step is made of, and the options that change it. Every suite takes
// the same options; what makes it itself are their defaults, so that each part can be replaced alone.
#include "carom/dynamics/suite.h"

#include <utility>

#include "carom/base/error.h"
#include "dynamics/bender.h"
#include "dynamics/direct_correction.h"
#include "dynamics/event_step.h"
#include "dynamics/fast_step.h"
#include "dynamics/guendelman.h"
#include "dynamics/penalty.h"
#include "dynamics/solver_by_size.h"
#include "dynamics/solver_stages.h"
#include "dynamics/split_positions.h"
#include "dynamics/stepper.h"

namespace carom {
namespace {

/// k of n balls that strike the others of a row take k (n − k) bounces: enough for any row of a hundred.
constexpr double kBouncesOfRows = 2500;

/// What a suite is when nothing is set.
struct Defaults {
  std::string collisions;
  std::string collisions_left = "none";
  std::string contacts;
  std::string correction = "split";
  std::string step = "fixed";
  double iterations = 0;
  double tolerance = 0;
  double most_stops = 1000;
  double collision_sweeps = 10;
  std::string positions = "frictionless";
  double bounces = 0;
  bool whole_bounces = false;
  bool careful = false;
  bool midway = true;
  bool energy_guard = false;
};

OptionSpec word(const char* name, const std::string& standard, const char* help, std::vector<std::string> choices) {
  return {name, standard, help, 0, 0, false, std::move(choices)};
}

OptionSpec number(const char* name, double standard, const char* help, double minimum, double maximum) {
  return {name, standard, help, minimum, maximum, false, {}};
}

OptionSpec count(const char* name, double standard, const char* help, double minimum, double maximum) {
  return {name, standard, help, minimum, maximum, true, {}};
}

OptionSpec flag(const char* name, bool standard, const char* help) { return {name, standard, help, 0, 0, false, {}}; }

/// Of the stages that solve: who bounces, who stays.
std::vector<OptionSpec> solving_options(const Defaults& defaults) {
  return {
      word("collisions", defaults.collisions, "method of the collision stage; none: the contact stage stops everything",
           {"pairwise", "pq", "iterative", "qp", "exact", "bender", "guendelman", "none"}),
      word("collisions_left", defaults.collisions_left,
           "method for the collisions that the first one leaves, all at once; none: they wait for the contact stage",
           {"none", "qp", "exact", "iterative"}),
      word("law", "newton",
           "impact law of each bounce of collisions=pq, or qp: the one with the least energy; newton_eq5, newton_eq6 "
           "and qp know no static friction",
           {"newton", "newton_eq5", "newton_eq6", "poisson", "stronge", "qp"}),
      count("c_b", defaults.bounces,
            "largest number of bounces of collisions=pq; 0: as many as bodies below 50 bodies, else a tenth of the "
            "contacts",
            0, 1e9),
      flag("whole_bounces", defaults.whole_bounces,
           "collisions=pq, law=newton: bodies that meet at several points bounce there together, so that a box that "
           "lands flat leaves flat; off: point by point, as published"),
      flag("limit_bounces", true,
           "bounces that would add energy, as Newton's law with friction may, are weakened until they add none; off: "
           "the law as it is, as published"),
      word("contacts", defaults.contacts, "method of the contact stage",
           {"sequential", "qp", "exact", "lcp", "shock", "bender", "guendelman", "penalty"}),
      word("cone", "pyramid", "what the impulses of qp lie in: the paper's eight-sided pyramid, or the exact cone",
           {"pyramid", "exact"}),
      flag("islands", true,
           "qp solves bodies that hang together by themselves; off: the paper's single program for all, as exact but "
           "slower"),
      count("iterations", defaults.iterations, "largest number of iterations of the contact stage; 0: its method's own",
            0, 1e9),
      number("tolerance", defaults.tolerance,
             "residual at which the contact stage stops, in units of v_ref; 0: its method's own", 0, 1),
      count("memory", 8, "sweeps that Anderson acceleration of contacts=sequential looks back on; 0: plain sweeps", 0,
            10),
      flag("warm_start", true, "start from the impulses of the last step, by contact id"),
      count("collision_sweeps", defaults.collision_sweeps,
            "largest number of passes of collisions=pairwise, of looks of collisions=guendelman, and of rounds of "
            "collisions=bender, after which it resolves all that touches at once",
            1, 1e6),
  };
}

/// Of how poses follow velocities, and of the step as a whole.
std::vector<OptionSpec> moving_options(const Defaults& defaults) {
  return {
      word("correction", defaults.correction,
           "what takes penetrations back: split: a velocity that moves positions only; bias: the velocities of the "
           "contact stage, which adds energy; direct: a change of poses after the move; none: nothing. The springs of "
           "contacts=penalty push by themselves",
           {"split", "bias", "direct", "none"}),
      number("correction_rate", 0.2,
             "share of a penetration that is taken back in a step; correction=direct: in each of its four passes", 0,
             1),
      word(
          "positions", defaults.positions,
          "method of the position stage: frictionless: sweeps; qp, exact: up to 1000 contacts a program that is solved "
          "to its end, else sweeps",
          {"frictionless", "qp", "exact"}),
      count("position_iterations", 30, "largest number of sweeps of the position stage", 1, 1e6),
      word("integrator", "parabola",
           "how poses follow velocities: parabola: exact under constant forces; euler: symplectic Euler; verlet: "
           "velocity Verlet, for force fields",
           {"parabola", "euler", "verlet"}),
      flag("midway", defaults.midway,
           "contacts with bodies that take no impulses act where the body is at the middle of the step, which is right "
           "to second order; off: where it is at the start. Not with integrator=euler and order=naive"),
      number("damping", 0, "share of its velocity that a body loses a second, 1/s", 0, 1e6),
      number("angular_damping", 0, "likewise of its angular velocity, 1/s", 0, 1e6),
      word("order", "contact",
           "contact: collisions, forces, contacts, move; naive: forces, move, collisions, contacts (for comparison: "
           "what is bouncy does not come to rest; not cut at times of impact)",
           {"contact", "naive"}),
      number("envelope", 1e-4, "contacts closer than this fraction of the smallest body are closed (eps_c)", 1e-9, 0.1),
      number("dead_zone", 1,
             "gaps up to this share of the envelope are left open: methods that do not converge would stir there", 0,
             1),
      flag("careful", defaults.careful,
           "contacts are found once more after collisions, and overlaps at the end of the step are looked for wherever "
           "a "
           "body moves, not only where it moves fast"),
      flag("energy_guard", defaults.energy_guard,
           "what the step's own errors add to bodies that something fixed holds is taken back from their velocities, "
           "and lifting them out of overlaps has to be paid for"),
  };
}

std::vector<OptionSpec> freezing_options() {
  return {
      flag("freezing", false, "bodies that have come to rest are left out until something revives them"),
      count("c_f", 0,
            "a body freezes when it was quiet for more than this many steps; 0: as many as make half a second, at "
            "least 30",
            0, 1e9),
      number("freezing_crowd", 0.03,
             "a body that others push while they move is quiet below this share of the energy of a step of free fall; "
             "others below the whole of it. Crowds that seem to rest flow on: more freezes them too early",
             0, 1),
      flag("freezing_literal", false,
           "freezing as published: any touch of a fixed or frozen body counts as support, and frozen bodies have their "
           "mass in the contact stage, so that what rests on them sinks"),
  };
}

/// Of cuts at times of impact, and of methods that have options of their own.
std::vector<OptionSpec> method_options(const Defaults& defaults) {
  return {
      word("step", defaults.step,
           "fixed: each step in one go; toi: cut at every time of impact, where the collision stage acts",
           {"fixed", "toi"}),
      count("most_stops", defaults.most_stops,
            "largest number of times of impact in a step (step=toi); the rest of the step is done in one go", 1, 1e6),
      word("prediction", "turning",
           "how contacts=bender follows points to the end of the step: corners turn with their body and round surfaces "
           "roll; every point turns, as published; or along straight lines",
           {"turning", "literal", "linear"}),
      flag("literal_friction", false,
           "contacts=bender: friction after the normal impulse, with marks for static contacts, as published"),
      flag("shock", true, "contacts=bender and guendelman: shock propagation where the rounds have not converged"),
      count("rounds", 10, "contacts=guendelman: rounds over all levels while the restitution rises to zero", 1, 1e6),
      count("level_sweeps", 5, "contacts=guendelman: sweeps over a level before the next", 1, 1e6),
      flag("accumulate", true,
           "contacts=guendelman: impulses may be taken back as long as their sum pushes; off: each one only pushes, as "
           "published"),
      number(
          "stiffness", 1e5,
          "contacts=penalty: N/m for each kg of a pair's reduced mass, at every point of contact, across and along it",
          1e-3, 1e15),
      number("spring_damping", 1, "contacts=penalty: ratio to critical damping of that mass on one spring", 0, 1e6),
  };
}

std::vector<OptionSpec> options_with(const Defaults& defaults) {
  std::vector<OptionSpec> options = solving_options(defaults);
  for (const std::vector<OptionSpec>& part : {moving_options(defaults), freezing_options(), method_options(defaults)})
    options.insert(options.end(), part.begin(), part.end());
  return options;
}

std::vector<OptionSpec> event_options() {
  return {
      word("law", "poisson", "impact law of every collision", {"poisson", "stronge", "newton"}),
      word("microcollisions", "reverse",
           "contact that lasts: reverse: the contact velocity is turned round where friction can do that, else the law "
           "decides; law: the law decides always, and what friction should hold creeps",
           {"reverse", "law"}),
      flag("artificial_restitution", true,
           "bodies part from a microcollision as fast as takes them up by one hop, whatever they came with; off: as "
           "they "
           "came, or as law and material say, unless they overlap"),
      number("envelope", 1e-4, "bodies closer than this fraction of the smallest one are in contact (eps_c)", 1e-9,
             0.1),
      number("most_events", 2e4,
             "impacts for each moving body and simulated second; what a frame has more is left to the contact solver, "
             "and that is said",
             1, 1e12),
      word("resting", "micro",
           "bodies in persistent contact: micro: microcollisions; solve: handed to a contact solver, frame by frame",
           {"micro", "solve"}),
      word("resting_suite", "exact", "suite whose step that solver is", {"exact", "schmidl", "sequential"}),
  };
}

std::vector<OptionSpec> fast_options() {
  std::vector<OptionSpec> options{
      count("substeps", 12,
            "small steps that a step is made of: the knob for quality. What each value gives is in docs/suites.md", 1,
            1000),
      number("damping", 0, "share of its velocity that a body loses a second, 1/s", 0, 1e6),
      number("angular_damping", 0, "likewise of its angular velocity, 1/s", 0, 1e6),
      count("residual_every", 8,
            "the residual of Coulomb's law is measured once in this many steps, and holds until it is measured again; "
            "0: never",
            0, 1e9),
  };
  for (OptionSpec& spec : freezing_options())
    if (spec.name != "freezing_literal") options.push_back(std::move(spec));
  return options;
}

FastSettings fast_settings(const Options& options) {
  return {.substeps = options.integer("substeps"),
          .damping = {options.number("damping"), options.number("angular_damping")},
          .freezing = {options.flag("freezing"), options.integer("c_f"), false, options.number("freezing_crowd")},
          .residual_every = options.integer("residual_every")};
}

EventSettings event_settings(const Options& options) {
  return {.law = *find_impact_law(options.word("law")),
          .reverse = options.word("microcollisions") == "reverse",
          .artificial = options.flag("artificial_restitution"),
          .envelope = options.number("envelope"),
          .most_events = options.number("most_events"),
          .solve_resting = options.word("resting") == "solve"};
}

/// In a step `exact` has no time for dense steps on more contacts than this: they may take seconds.
constexpr double kDense = 80;
/// But for more passes over small islands: as many contacts times passes as take some 10 ms.
constexpr double kWork = 1e6;
/// And beyond its quick means only as long as the law is missed by more than this, in units of v_ref.
constexpr double kEnough = 1e-6, kEnoughOfBounces = 1e-4;

/// A few bodies at rest are carried by their weight to 1e-9 of it; in a crowd that would triple the time of the
/// program. Some programs do not get there, which shows after a few hundred passes.
constexpr std::size_t kSmall = 60;
constexpr double kSmallTolerance = 1e-9, kSmallPasses = 1000;

/// Settings of a solver that it may or may not know; a zero stands for the solver's own.
using Settings = std::vector<std::pair<std::string, OptionValue>>;

StepSolver step_solver(const std::string& name, const Settings& settings) {
  const SolverInfo* info = find_solver(name);
  require(info != nullptr, "suite: no solver of that name");
  Options options(info->options);
  for (const auto& [key, value] : settings) {
    const double* number = std::get_if<double>(&value);
    if (number != nullptr && *number == 0 && key != "memory") continue;
    for (const OptionSpec& spec : info->options) {
      if (spec.name != key) continue;
      const std::string wrong = options.set(key, value);
      if (!wrong.empty()) fail("suite: " + wrong);
    }
  }
  return make_step_solver(*info, options);
}

/// The method that an option names; two of the names stand for a solver in the way of a paper.
StepSolver collision_solver(const std::string& name, const Settings& settings) {
  if (name == "bender") return step_solver("iterative", {{"iterations", 1000.0}});  // stack lands askew after 100
  if (name == "guendelman") return step_solver("pairwise", {{"sweeps", 1.0}});
  return step_solver(name, settings);
}

std::unique_ptr<CollisionStage> collisions_of(const Options& options) {
  if (options.word("collisions") == "none") return nullptr;
  const Settings settings{{"law", options.word("law")},
                          {"bounces", options.number("c_b")},
                          {"whole", options.flag("whole_bounces")},
                          {"limit", options.flag("limit_bounces")},
                          {"sweeps", options.number("collision_sweeps")},
                          {"cone", options.word("cone")},
                          {"islands", options.flag("islands")},
                          {"iterations", options.number("iterations")},
                          {"dense", kDense},
                          {"work", kWork},
                          {"enough", kEnoughOfBounces}};
  std::vector<StepSolver> methods;
  for (const char* key : {"collisions", "collisions_left"})
    if (options.word(key) != "none") methods.push_back(collision_solver(options.word(key), settings));
  const int rounds = options.word("collisions") == "bender" ? options.integer("collision_sweeps") : 0;
  std::unique_ptr<CollisionStage> stage =
      make_solver_collisions(std::move(methods), {rounds, options.flag("limit_bounces")});
  if (options.word("collisions") != "guendelman") return stage;
  return make_guendelman_collisions(std::move(stage), options.integer("collision_sweeps"));
}

/// The number an option sets, or the method's own where it sets none.
template <class Number>
Number set_or(double value, Number own) {
  return value > 0 ? static_cast<Number>(value) : own;
}

std::unique_ptr<ContactStage> contacts_of(const Options& options) {
  const std::string& name = options.word("contacts");
  const double iterations = options.number("iterations"), tolerance = options.number("tolerance");
  const bool warm_start = options.flag("warm_start");
  if (name == "bender") {
    const std::string& prediction = options.word("prediction");
    return make_bender_contacts({set_or(iterations, 100), set_or(tolerance, 1e-8),
                                 prediction == "turning"   ? ContactPrediction::Turning
                                 : prediction == "literal" ? ContactPrediction::Literal
                                                           : ContactPrediction::Linear,
                                 options.flag("literal_friction"), options.flag("shock"), warm_start});
  }
  if (name == "guendelman")
    return make_guendelman_contacts({options.integer("rounds"), options.integer("level_sweeps"), set_or(iterations, 40),
                                     set_or(tolerance, 1e-8), options.flag("accumulate"), options.flag("shock"),
                                     warm_start});
  if (name == "penalty")
    return make_penalty_contacts({options.number("stiffness"), options.number("spring_damping"),
                                  set_or(iterations, 100), set_or(tolerance, 1e-6), warm_start});
  const auto solver = [&](double most_iterations, double residual) {
    return step_solver(name, {{"iterations", most_iterations},
                              {"tolerance", residual},
                              {"memory", options.number("memory")},
                              {"cone", options.word("cone")},
                              {"islands", options.flag("islands")},
                              {"dense", kDense},
                              {"work", kWork},
                              {"enough", kEnough}});
  };
  SmallProblems small;
  if (name == "qp" && tolerance == 0) small = {kSmall, solver(kSmallPasses, kSmallTolerance).solver};
  return make_solver_contacts(solver(iterations, tolerance), warm_start, std::move(small));
}

/// A position is good to a small part of what gravity moves a body in a step. Few bodies get theirs from a program that
/// is solved to its end. What a crowd is asked for cannot always be met (who is wedged has nowhere to go), and the end
/// of such a program is no better than a few sweeps towards it: in the `hourglass` it takes ten times as long and turns
/// cubes into each other by 40 mm where sweeps leave 7.
std::unique_ptr<Solver> position_solver(const Options& options) {
  constexpr std::size_t kFewContacts = 1000;
  const std::string& name = options.word("positions");
  std::unique_ptr<Solver> sweeps =
      step_solver("frictionless", {{"iterations", options.number("position_iterations")}, {"tolerance", 3e-2}}).solver;
  if (name == "frictionless") return sweeps;
  StepSolver program = step_solver(name, {{"iterations", 2000.0}, {"tolerance", 1e-4}, {"dense", kDense}});
  return make_solver_by_size(std::move(program.solver), kFewContacts, std::move(sweeps));
}

/// What moves poses, and what takes penetrations back.
void set_positions(const Options& options, StepParts& parts) {
  const std::string& correction = options.word("correction");
  const Real rate = options.number("correction_rate");
  parts.positions =
      make_split_positions(position_solver(options), correction == "split" ? rate : 0, options.flag("careful"));
  if (correction == "bias") parts.bias = rate;
  if (correction == "direct") parts.correction = make_direct_correction(position_solver(options), rate);
}

Integrator integrator_of(const std::string& name) {
  if (name == "euler") return Integrator::Euler;
  return name == "verlet" ? Integrator::Verlet : Integrator::Parabola;
}

StepParts parts_of(const Options& options) {
  StepParts parts;
  parts.collisions = collisions_of(options);
  parts.contacts = contacts_of(options);
  // Springs need to be pressed together.
  if (options.word("contacts") != "penalty") set_positions(options, parts);
  parts.guard_energy = options.flag("energy_guard") && options.word("correction") != "bias";
  parts.integrator = integrator_of(options.word("integrator"));
  parts.midway = options.flag("midway") && parts.integrator != Integrator::Euler;
  parts.damping = {options.number("damping"), options.number("angular_damping")};
  parts.order = options.word("order") == "naive" ? StepOrder::Naive : StepOrder::Contact;
  parts.envelope = options.number("envelope");
  parts.dead_zone = options.number("dead_zone");
  parts.detect_again = options.flag("careful");
  parts.to_impacts = options.word("step") == "toi";
  parts.most_stops = options.integer("most_stops");
  parts.freezing = {options.flag("freezing"), options.integer("c_f"), options.flag("freezing_literal"),
                    options.number("freezing_crowd")};
  return parts;
}

}  // namespace

const std::vector<SuiteInfo>& suite_registry() {
  static const std::vector<SuiteInfo> registry{
      {"sequential",
       "sequential impulses: collisions pair by pair, contacts with accumulated clamping and a persistent warm start",
       "Lembcke 2006, after Catto 2005 and Guendelman et al. 2003",
       options_with({.collisions = "pairwise", .contacts = "sequential"})},
      {"schmidl",
       "collisions by a priority queue, what is left of them by one quadratic program, contacts by another; freezing",
       "Schmidl and Milenkovic 2004",
       options_with({.collisions = "pq",
                     .collisions_left = "qp",
                     .contacts = "qp",
                     .positions = "qp",
                     .careful = true,
                     .energy_guard = true})},
      {"bender",
       "collisions by repeated impulses, contacts by impulses that undo the gap and the drift predicted at the end of "
       "the step, which is cut at times of impact",
       "Bender and Schmitt 2006",
       options_with({.collisions = "bender",
                     .contacts = "bender",
                     .step = "toi",
                     .most_stops = 20,
                     .collision_sweeps = 100,
                     .midway = false})},
      {"guendelman",
       "collisions found at predicted positions, contacts from the ground up with restitution rising to zero, shock "
       "propagation",
       "Guendelman, Bridson and Fedkiw 2003", options_with({.collisions = "guendelman", .contacts = "guendelman"})},
      {"lcp",
       "collisions pair by pair by Newton's law, contacts as a linear complementarity problem: pivots, or sweeps where "
       "there are many",
       "Baraff 1994, Stewart and Trinkle 1996, after the slides of Lin",
       options_with({.collisions = "pairwise", .contacts = "lcp"})},
      {"penalty", "springs and dampers at every point of contact, implicit; no collisions: nothing bounces",
       "Schmidl and Milenkovic 2004, section 2; Lembcke 2006, section 3.2.1",
       options_with({.collisions = "none", .contacts = "penalty", .midway = false})},
      {"exact", "collisions by a priority queue, then all at once; contacts by Coulomb's law on the exact cone",
       "Carom's own, after De Saxcé and Feng 1998",
       options_with({.collisions = "pq",
                     .collisions_left = "exact",
                     .contacts = "exact",
                     .iterations = 2000,
                     .tolerance = 1e-10,
                     .positions = "qp",
                     .bounces = kBouncesOfRows,
                     .whole_bounces = true,
                     .careful = true,
                     .energy_guard = true})},
      {"fast",
       "real time: one search for contacts, then substeps with soft contacts, in single precision, many at once",
       "Carom's own, after Catto 2024, \"Solver2D\"", fast_options(), false, false},
      {"mirtich", "event driven: flights from impact to impact, contact that lasts as microcollisions",
       "Mirtich and Canny 1994; Lin's slides", event_options(), true},
  };
  return registry;
}

const SuiteInfo* find_suite(std::string_view name) {
  for (const SuiteInfo& suite : suite_registry())
    if (suite.name == name) return &suite;
  return nullptr;
}

DefaultSuite default_suite(std::size_t dynamic_bodies) {
  const std::string limit = std::to_string(kFastFromBodies);
  if (dynamic_bodies >= kFastFromBodies) return {"fast", "default for " + limit + " bodies and more"};
  return {std::string(kDefaultSuite), "default below " + limit + " bodies"};
}

std::unique_ptr<Stepper> make_stepper(std::string_view name, const Options& options) {
  const SuiteInfo* suite = find_suite(name);
  if (suite == nullptr) fail("World: there is no suite named '" + std::string(name) + "'");
  const Options chosen = options.specs().empty() ? Options(suite->options) : options;
  if (suite->name == "fast") return make_fast_step(fast_settings(chosen));
  if (suite->event_driven)
    return make_event_step(event_settings(chosen), make_stepper(chosen.word("resting_suite"), {}));
  return make_fixed_step(parts_of(chosen));
}

}  // namespace carom
