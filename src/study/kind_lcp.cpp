// A plank with a load on supports: the forces at rest, as a complementarity problem.
#include <algorithm>
#include <cmath>
#include <limits>

#include "carom/io/problem_file.h"
#include "study/kind.h"
#include "study/kind_solver.h"

namespace carom {
namespace {

constexpr Real kStep = 1.0 / 60;  // s: forces are impulses over it

/// Zero thickness: supports and load are at the height of the centre of mass. x along the plank, its middle at 0.
ContactProblem read_plank(const JsonView& setup) {
  const Real length = need(setup, "plank_length").positive(), plank = need(setup, "plank_mass").positive();
  const Real load = need(setup, "load_mass").non_negative(), place = need(setup, "load_x").number();
  const Real centre = load * place / (plank + load);
  const Real moment = plank * (length * length / 12 + centre * centre) + load * (place - centre) * (place - centre);
  ContactProblem problem;
  problem.dt = kStep;
  problem.gravity = need(setup, "g").positive();
  problem.down = {0, 0, -1};
  problem.bodies.resize(2);
  problem.bodies[0].role = BodyRole::Fixed;
  ProblemBody& body = problem.bodies[1];
  body.inverse_mass = 1 / (plank + load);
  // Nothing turns it about its own axis.
  body.inverse_inertia = (1 / moment) * Mat3::identity();
  body.velocity = problem.gravity * kStep * problem.down;
  const Real mu = need(setup, "mu").non_negative(), restitution = need(setup, "e").between(0, 1);
  for (const JsonView& support : need(setup, "supports").items()) {
    ContactPoint& c = problem.contacts.emplace_back();
    c.a = 0;
    c.b = 1;
    c.normal = {0, 0, 1};
    c.tangent = {1, 0, 0};
    c.rb = {support.number() - centre, 0, 0};
    c.mu = c.mu_static = mu;
    c.restitution = restitution;
  }
  if (setup.ok() && problem.contacts.empty()) need(setup, "supports").expected("the place of every support");
  return problem;
}

struct PlankForces {
  Real left = 0, right = 0, angular_acceleration = 0;
};

/// What several methods agree on; not a number where they do not.
Real agreed(const std::vector<PlankForces>& answers, Real PlankForces::* part, Real scale) {
  constexpr Real kSame = 1e-7;
  const Real first = answers.front().*part;
  const bool same = std::ranges::all_of(
      answers, [&](const PlankForces& other) { return std::abs(other.*part - first) <= kSame * scale; });
  return same ? first : std::numeric_limits<Real>::quiet_NaN();
}

void measure_lcp_plank(const KindInput& input, Measurements& out) {
  const ContactProblem problem = read_plank(input.setup);
  if (!input.setup.ok()) return;
  out.keep(input.id + ".problem.json", problem_json(problem, input.id));
  const auto lower = [](const ContactPoint& a, const ContactPoint& b) { return a.rb.x < b.rb.x; };
  const auto [left, right] = std::ranges::minmax_element(problem.contacts, lower);
  std::vector<PlankForces> answers;
  const auto add = [&](const std::string& name, const std::optional<ContactSolution>& s) {
    if (!s) return;
    answers.push_back({s->impulses[static_cast<std::size_t>(left - problem.contacts.begin())].z / kStep,
                       s->impulses[static_cast<std::size_t>(right - problem.contacts.begin())].z / kStep,
                       s->angular_velocities[1].y / kStep});
    out.add(name + ".f_left", answers.back().left);
    out.add(name + ".f_right", answers.back().right);
  };
  add("lemke", solve_closely_with("lcp", problem, {{"method", "lemke"}}));
  add("pgs", solve_closely_with("lcp", problem, {{"method", "pgs"}}));
  add("exact", solve_closely("exact", problem));
  // At the level of accelerations there is no friction; here it has nothing to hold anyway.
  ContactProblem smooth = problem;
  for (ContactPoint& c : smooth.contacts) c.mu = c.mu_static = 0;
  add("acceleration", solve_closely_with("lcp", smooth, {{"level", "acceleration"}}));
  if (answers.empty()) return;
  const Real weight = problem.gravity / problem.bodies[1].inverse_mass;
  out.add("f_left", agreed(answers, &PlankForces::left, weight));
  out.add("f_right", agreed(answers, &PlankForces::right, weight));
  const Real turning = agreed(answers, &PlankForces::angular_acceleration, problem.gravity);
  out.add("angular_acceleration", turning);
  constexpr Real kTips = 1e-6;  // rad/s²
  out.add("tips", std::abs(turning) > kTips);
}

}  // namespace

std::vector<KindInfo> lcp_kinds() { return {{"lcp_plank", false, measure_lcp_plank}}; }

}  // namespace carom
