// Contact problems solved as quadratic programs: given bodies and contacts, and the sphere that such a program lifts.
#include <algorithm>
#include <cmath>

#include "carom/io/problem_file.h"
#include "contact/restitution.h"
#include "study/kind.h"
#include "study/kind_solver.h"

namespace carom {
namespace {

void append(std::vector<Real>& numbers, const Vec3& v) { numbers.insert(numbers.end(), {v.x, v.y, v.z}); }

/// Positions are needed for the arms alone: a problem has none.
struct PlacedBody {
  ProblemBody body;
  Vec3 position;
};

PlacedBody read_body(const JsonView& view) {
  PlacedBody placed;
  placed.position = need(view, "x").vec3();
  if (need(view, "m").kind() == JsonKind::Null) {
    placed.body.role = BodyRole::Fixed;
    return placed;
  }
  placed.body.inverse_mass = 1 / need(view, "m").positive();
  placed.body.inverse_inertia = inverse(need(view, "I").symmetric3());
  placed.body.velocity = need(view, "v").vec3();
  placed.body.angular_velocity = need(view, "w").vec3();
  return placed;
}

/// A body by its number; −1 is the ground, which comes last in the problem.
std::int32_t read_index(const JsonView& view, std::size_t bodies) {
  return view.number() == -1 ? static_cast<std::int32_t>(bodies) : static_cast<std::int32_t>(view.natural());
}

ContactProblem read_problem(const JsonView& setup) {
  std::vector<Vec3> positions;
  ContactProblem problem;
  for (const JsonView& item : need(setup, "bodies").items()) {
    const PlacedBody placed = read_body(item);
    problem.bodies.push_back(placed.body);
    positions.push_back(placed.position);
  }
  const std::size_t bodies = problem.bodies.size();
  problem.bodies.emplace_back().role = BodyRole::Fixed;
  positions.emplace_back();
  for (const JsonView& item : need(setup, "contacts").items()) {
    ContactPoint& c = problem.contacts.emplace_back();
    c.a = read_index(need(item, "a"), bodies);
    c.b = read_index(need(item, "b"), bodies);
    if (static_cast<std::size_t>(std::max(c.a, c.b)) > bodies) item.complain("a body that is not there", "its number");
    if (!setup.ok()) return {};
    const Vec3 point = need(item, "q").vec3();
    c.normal = need(item, "n").direction();
    c.tangent = need(item, "nx").direction();
    c.ra = point - positions[static_cast<std::size_t>(c.a)];
    c.rb = point - positions[static_cast<std::size_t>(c.b)];
    c.mu = c.mu_static = need(item, "mu").non_negative();
    c.restitution = need(item, "e").between(0, 1);
  }
  if (!setup.ok()) return {};
  if (const std::string wrong = check(problem); !wrong.empty()) setup.complain("as a contact problem, " + wrong);
  return setup.ok() ? problem : ContactProblem{};
}

void add_answer(const std::string& name, const ContactProblem& problem, const ContactSolution& s, Measurements& out) {
  std::vector<Real> v, w, j, u;
  for (std::size_t i = 0; i + 1 < problem.bodies.size(); ++i) {
    append(v, s.velocities[i]);
    append(w, s.angular_velocities[i]);
  }
  // Impulses and velocities at contacts: along n_x, n_y and n, as cases have them.
  const auto append_local = [](std::vector<Real>& numbers, const ContactPoint& c, const Vec3& world) {
    append(numbers, {dot(c.tangent, world), dot(c.second_tangent(), world), dot(c.normal, world)});
  };
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactPoint& c = problem.contacts[i];
    const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
    append_local(j, c, s.impulses[i]);
    append_local(
        u, c, relative_velocity(c, s.velocities[a], s.angular_velocities[a], s.velocities[b], s.angular_velocities[b]));
  }
  out.add(name + ".v", v);
  out.add(name + ".w", w);
  out.add(name + ".KE", kinetic_energy_after(problem, s));
  out.add(name + ".j_local_nx_ny_n", j);
  out.add(name + ".contact_vel_after", u);
}

void measure_contact_qp(const KindInput& input, Measurements& out) {
  const ContactProblem problem = read_problem(input.setup);
  if (!input.setup.ok()) return;
  out.keep(input.id + ".problem.json", problem_json(problem, input.id));
  if (const auto s = solve_closely("qp", problem, "pyramid")) add_answer("pyramid", problem, *s, out);
  if (const auto s = solve_closely("qp", problem, "exact")) add_answer("cone", problem, *s, out);
  std::vector<Real> bounds;
  bounds.reserve(problem.contacts.size());
  for (const ContactPoint& c : problem.contacts) bounds.push_back(newton_target(problem, c, 0));
  out.add("newton_lower_bound", bounds);
}

/// A sphere that slides on the ground, sinking into it by one step's gravity.
void measure_qp_artifact(const KindInput& input, Measurements& out) {
  const JsonView sphere = need(input.setup, "sphere");
  const Real mass = need(sphere, "m").positive(), radius = need(sphere, "r").positive();
  ContactProblem problem;
  problem.bodies.resize(2);
  problem.bodies[0].role = BodyRole::Fixed;
  ProblemBody& body = problem.bodies[1];
  body.inverse_mass = 1 / mass;
  body.inverse_inertia = (1 / (0.4 * mass * radius * radius)) * Mat3::identity();
  body.velocity = need(input.setup, "v").vec3();
  body.angular_velocity = need(input.setup, "w").vec3();
  ContactPoint& c = problem.contacts.emplace_back();
  c.a = 0;
  c.b = 1;
  c.normal = {0, 0, 1};
  c.tangent = {1, 0, 0};
  c.rb = {0, 0, -radius};
  c.mu = c.mu_static = need(input.setup, "mu").non_negative();
  c.restitution = need(input.setup, "e").between(0, 1);
  if (!input.setup.ok()) return;
  out.keep(input.id + ".problem.json", problem_json(problem, input.id));
  if (const auto s = solve_closely("qp", problem, "exact")) {
    out.add("qp_jn", s->impulses[0].z);
    out.add("qp_vn_after", s->velocities[1].z);
  }
  if (const auto s = solve_closely("exact", problem)) {
    const Vec3& v = s->velocities[1];
    out.add("right_jn", s->impulses[0].z);
    out.add("right_vn_after", v.z);
    out.add("right_vt_center_after", std::sqrt(v.x * v.x + v.y * v.y));
  }
}

}  // namespace

std::vector<KindInfo> qp_kinds() {
  return {{"contact_qp", false, measure_contact_qp}, {"qp_artifact", false, measure_qp_artifact}};
}

}  // namespace carom
