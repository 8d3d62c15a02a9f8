// Single impacts under every law. A case's body 1 is the contact's b: its normal points from body 2 to body 1 and its
// impulse acts on body 1.
#include <cmath>
#include <numbers>

#include "carom/io/problem_file.h"
#include "study/impact_report.h"
#include "study/kind.h"

namespace carom {
namespace {

std::vector<Real> numbers(const Vec3& v) { return {v.x, v.y, v.z}; }

ProblemBody read_body(const JsonView& view) {
  ProblemBody body;
  if (need(view, "m").kind() == JsonKind::Null) {
    body.role = BodyRole::Fixed;
    return body;
  }
  body.inverse_mass = 1 / need(view, "m").positive();
  body.inverse_inertia = inverse(need(view, "I").symmetric3());
  body.velocity = need(view, "v").vec3();
  body.angular_velocity = need(view, "w").vec3();
  return body;
}

ContactProblem read_impact(const JsonView& setup) {
  const JsonView body1 = need(setup, "body1"), body2 = need(setup, "body2");
  ContactPoint contact;
  contact.a = 1;
  contact.b = 0;
  contact.normal = need(setup, "n_from_2_to_1").direction();
  contact.tangent = default_tangent(contact.normal);
  contact.rb = need(body1, "r").vec3();
  contact.ra = need(body2, "r").vec3();
  contact.mu = contact.mu_static = need(setup, "mu").non_negative();
  contact.restitution = need(setup, "e").between(0, 1);
  ContactProblem problem;
  problem.bodies = {read_body(body1), read_body(body2)};
  problem.contacts = {contact};
  if (!setup.ok()) return {};
  if (const std::string wrong = check(problem); !wrong.empty()) setup.complain("as a contact problem, " + wrong);
  return setup.ok() ? problem : ContactProblem{};
}

/// What cases call a law.
const char* case_name(ImpactLaw law) {
  if (law == ImpactLaw::Newton) return "newton_stick_or_eq6";
  return law == ImpactLaw::Reverse ? "micro_reverse" : impact_law_name(law);
}

void add_outcome(const std::string& name, const ContactProblem& problem, const ImpactReport& report,
                 Measurements& out) {
  const ImpactOutcome& o = report.outcome;
  if (!o.applies) {
    for (const char* key : {".p", ".invalid"}) out.add(name + key, std::string(kJamb));
    return;
  }
  const Vec3& normal = problem.contacts[0].normal;
  const Real pn = dot(o.impulse, normal);
  out.add(name + ".p", numbers(o.impulse));
  out.add(name + ".u_after", numbers(o.velocity));
  out.add(name + ".pn", pn);
  out.add(name + ".pt", norm(o.impulse - pn * normal));
  out.add(name + ".dE", report.energy_change());
  out.add(name + ".work_normal", o.work.normal_compression + o.work.normal_restitution);
  out.add(name + ".work_tangential", o.work.tangential_compression + o.work.tangential_restitution);
  out.add(name + ".gamma_max_compression", o.compression_impulse);
  out.add(name + ".inside_cone", o.in_cone);
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    if (problem.bodies[i].role == BodyRole::Fixed) continue;
    const std::string body = name + ".after.body" + std::to_string(i + 1);
    out.add(body + ".v", numbers(report.velocities[i]));
    out.add(body + ".w", numbers(report.angular_velocities[i]));
  }
}

void measure_impact(const KindInput& input, Measurements& out) {
  const ContactProblem problem = read_impact(input.setup);
  if (!input.setup.ok()) return;
  out.keep(input.id + ".impact.json", problem_json(problem, input.id));
  for (const ImpactLaw law : impact_laws()) {
    const ImpactReport report = report_impact(problem, law);
    add_outcome(case_name(law), problem, report, out);
    out.keep(input.id + "." + impact_law_name(law) + ".csv", trace_csv(report));
  }
}

/// A thin rod that slides on its lower end, in the plane y = 0. It leans so that friction against the slip along +x
/// presses the end into the ground: the end is ahead of the centre.
ContactProblem read_rod(const JsonView& setup) {
  const Real length = need(setup, "rod_length").positive(), mass = need(setup, "m").positive();
  const Real angle = need(setup, "angle_from_vertical_deg").between(0, 90) * std::numbers::pi / 180;
  ProblemBody rod, ground;
  ground.role = BodyRole::Fixed;
  rod.inverse_mass = 1 / mass;
  // A thin rod has no moment about its own axis, but nothing turns about that axis here either.
  rod.inverse_inertia = (12 / (mass * length * length)) * Mat3::identity();
  rod.velocity = {need(setup, "contact_slip_speed_into_jamming_direction").number(), 0,
                  need(setup, "u_normal").number()};
  ContactPoint contact;
  contact.a = 1;
  contact.b = 0;
  contact.normal = {0, 0, 1};
  contact.tangent = {1, 0, 0};
  contact.rb = 0.5 * length * Vec3{std::sin(angle), 0, -std::cos(angle)};
  contact.mu = contact.mu_static = need(setup, "mu").non_negative();
  contact.restitution = need(setup, "e").between(0, 1);
  ContactProblem problem;
  problem.bodies = {rod, ground};
  problem.contacts = {contact};
  return problem;
}

/// The impact without collision that ends a slide in the inconsistent range, by Poisson's law.
void measure_painleve(const KindInput& input, Measurements& out) {
  const ContactProblem problem = read_rod(input.setup);
  if (!input.setup.ok()) return;
  const ImpactReport report = report_impact(problem, ImpactLaw::Poisson);
  const Vec3 &p = report.outcome.impulse, &u = report.outcome.velocity;
  out.keep(input.id + ".impact.json", problem_json(problem, input.id));
  out.keep(input.id + ".poisson.csv", trace_csv(report));
  out.add("p_n", p.z);
  out.add("p_t", p.x);
  out.add("u_after", std::vector<Real>{u.x, u.z});
  out.add("dE", report.energy_change());
}

}  // namespace

std::vector<KindInfo> impact_kinds() {
  std::vector<KindInfo> kinds;
  for (const char* name : {"impact3d", "impact_planar", "impact3d_rod", "impact_sphere", "impact_box"})
    kinds.push_back({name, false, measure_impact});
  kinds.push_back({"painleve", false, measure_painleve});
  return kinds;
}

}  // namespace carom
