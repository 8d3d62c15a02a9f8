// Touching balls in a row, some of them moving: the executive toy. Resolved by the priority queue and by the quadratic
// program.
#include "carom/io/problem_file.h"
#include "carom/solvers/solver.h"
#include "study/kind.h"
#include "study/kind_solver.h"

namespace carom {
namespace {

std::vector<Real> read_numbers(const JsonView& view) {
  std::vector<Real> numbers;
  for (const JsonView& item : view.items()) numbers.push_back(item.number());
  return numbers;
}

ProblemBody make_ball(Real mass, Real radius, Real velocity) {
  ProblemBody ball;
  ball.inverse_mass = 1 / mass;
  ball.inverse_inertia = (1 / (0.4 * mass * radius * radius)) * Mat3::identity();
  ball.velocity = {velocity, 0, 0};
  return ball;
}

ContactProblem read_row(const JsonView& setup) {
  const std::vector<Real> masses = read_numbers(need(setup, "mass")), places = read_numbers(need(setup, "x")),
                          velocities = read_numbers(need(setup, "v"));
  const Real radius = need(setup, "radius").positive();
  const std::size_t count = masses.size();
  if (setup.ok() && (count == 0 || places.size() != count || velocities.size() != count))
    setup.complain("lists of different lengths, or none", "mass, x and v of every ball");
  for (const Real mass : masses)
    if (!(mass > 0)) need(setup, "mass").expected("positive masses");
  if (!setup.ok()) return {};

  ContactProblem problem;
  for (std::size_t i = 0; i < count; ++i) problem.bodies.push_back(make_ball(masses[i], radius, velocities[i]));
  // Neighbours that touch; a gap as wide as rounding of the places is none.
  constexpr Real kRounding = 1e-9;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    if (places[i + 1] - places[i] > 2 * radius * (1 + kRounding)) continue;
    ContactPoint contact;
    contact.a = static_cast<std::int32_t>(i);
    contact.b = contact.a + 1;
    contact.normal = {1, 0, 0};
    contact.tangent = {0, 1, 0};
    contact.ra = {radius, 0, 0};
    contact.rb = {-radius, 0, 0};
    contact.mu = contact.mu_static = need(setup, "mu").non_negative();
    contact.restitution = need(setup, "e").between(0, 1);
    problem.contacts.push_back(contact);
  }
  return problem;
}

std::vector<Real> speeds(const ContactSolution& solution) {
  std::vector<Real> after;
  for (const Vec3& v : solution.velocities) after.push_back(v.x);
  return after;
}

void measure_office_toy(const KindInput& input, Measurements& out) {
  const ContactProblem problem = read_row(input.setup);
  const std::uint64_t most_bounces = need(input.setup, "c_b").natural();
  if (!input.setup.ok()) return;
  out.keep(input.id + ".problem.json", problem_json(problem, input.id));
  if (const auto program = solve_closely("qp", problem)) {
    out.add("qp", speeds(*program));
    out.add("KE_qp", kinetic_energy_after(problem, *program));
  }
  const SolverInfo* queue = find_solver("pq");
  if (queue == nullptr) return;
  Options options(queue->options);
  if (const std::string refused = options.set("bounces", static_cast<double>(most_bounces)); !refused.empty()) {
    need(input.setup, "c_b").complain(refused);
    return;
  }
  ContactSolution solution;
  queue->make(options)->solve(problem, {}, solution);
  out.add("pq", speeds(solution));
  out.add("pq_bounces", static_cast<Real>(solution.report.iterations));
  out.add("KE_pq", kinetic_energy_after(problem, solution));
}

}  // namespace

std::vector<KindInfo> office_toy_kinds() { return {{"office_toy", false, measure_office_toy}}; }

}  // namespace carom
