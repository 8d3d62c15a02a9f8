#include "study/impact_report.h"

#include <fmt/format.h>

#include "io/json_number.h"
#include "study/text_table.h"

namespace carom {
namespace {

bool has_mass(const ProblemBody& body) { return body.role == BodyRole::Dynamic || body.role == BodyRole::Frozen; }

Real kinetic_energy(const ProblemBody& body, const Vec3& v, const Vec3& w) {
  if (!has_mass(body)) return 0;
  return 0.5 * (squared_norm(v) / body.inverse_mass + dot(w, inverse(body.inverse_inertia) * w));
}

std::string vector_text(const Vec3& v) { return fmt::format("[{:.9g}, {:.9g}, {:.9g}]", v.x, v.y, v.z); }

std::string list_json(const std::vector<Vec3>& vectors) {
  return "[" + json_vector(vectors[0]) + "," + json_vector(vectors[1]) + "]";
}

}  // namespace

std::string modes_text(const ImpactOutcome& outcome, const char* quote, const char* separator) {
  std::string text;
  for (std::size_t i = 0; i < outcome.mode_count; ++i)
    text += fmt::format("{}{}{}{}", i > 0 ? separator : "", quote, impact_mode_name(outcome.modes.at(i)), quote);
  return text;
}

ImpactReport report_impact(const ContactProblem& problem, ImpactLaw law) {
  ImpactReport report;
  report.law = law;
  for (const ProblemBody& body : problem.bodies) {
    report.velocities.push_back(body.velocity);
    report.angular_velocities.push_back(body.angular_velocity);
    report.kinetic_energy_before += kinetic_energy(body, body.velocity, body.angular_velocity);
  }
  const PointImpact impact = point_impact(problem, 0, report.velocities, report.angular_velocities);
  report.outcome = resolve_impact(law, impact, &report.trace);
  report.approaches = report.outcome.mode_count > 0;

  const ContactPoint& c = problem.contacts.front();
  const auto push = [&](std::int32_t index, const Vec3& arm, const Vec3& impulse) {
    const auto i = static_cast<std::size_t>(index);
    const ProblemBody& body = problem.bodies[i];
    if (!has_mass(body)) return;
    report.velocities[i] += body.inverse_mass * impulse;
    report.angular_velocities[i] += body.inverse_inertia * cross(arm, impulse);
  };
  push(c.b, c.rb, report.outcome.impulse);
  push(c.a, c.ra, -report.outcome.impulse);
  for (std::size_t i = 0; i < problem.bodies.size(); ++i)
    report.kinetic_energy_after +=
        kinetic_energy(problem.bodies[i], report.velocities[i], report.angular_velocities[i]);
  return report;
}

std::string impact_json(const ImpactReport& report) {
  const ImpactOutcome& o = report.outcome;
  const std::string modes = "[" + modes_text(o, "\"", ", ") + "]";
  if (!o.applies)
    return fmt::format("{{\n\"law\": \"{}\", \"applies\": false,\n\"impulse\": null,\n\"modes\": {}\n}}\n",
                       impact_law_name(report.law), modes);
  std::string text = fmt::format("{{\n\"law\": \"{}\", \"applies\": true, \"approaches\": {},\n\"impulse\": {},\n",
                                 impact_law_name(report.law), report.approaches, json_vector(o.impulse));
  text += fmt::format("\"velocities\": {},\n\"angular_velocities\": {},\n\"relative_velocity\": {},\n",
                      list_json(report.velocities), list_json(report.angular_velocities), json_vector(o.velocity));
  text += fmt::format("\"modes\": {},\n\"in_cone\": {},\n\"compression_impulse\": {},\n", modes, o.in_cone,
                      json_number(o.compression_impulse));
  text += fmt::format(
      "\"work\": {{\"normal_compression\": {}, \"tangential_compression\": {}, \"normal_restitution\": {}, "
      "\"tangential_restitution\": {}}},\n",
      json_number(o.work.normal_compression), json_number(o.work.tangential_compression),
      json_number(o.work.normal_restitution), json_number(o.work.tangential_restitution));
  text += fmt::format("\"kinetic_energy_before\": {}, \"kinetic_energy_after\": {}, \"energy_change\": {}\n}}\n",
                      json_number(report.kinetic_energy_before), json_number(report.kinetic_energy_after),
                      json_number(report.energy_change()));
  return text;
}

std::string impact_text(const ImpactReport& report) {
  const ImpactOutcome& o = report.outcome;
  const char* law = impact_law_name(report.law);
  if (!o.applies) return fmt::format("{}: the law does not apply: friction presses the bodies together (jamb)\n", law);
  if (!report.approaches) return fmt::format("{}: the bodies do not approach; nothing happens\n", law);

  TextTable table({"<", "<", "<"});
  const auto number = [](Real value) { return fmt::format("{:.9g}", value); };
  table.add({"impulse on b", vector_text(o.impulse), "N s"});
  table.add({"relative velocity after", vector_text(o.velocity), "m/s"});
  for (std::size_t i = 0; i < report.velocities.size(); ++i) {
    table.add({fmt::format("bodies[{}] velocity after", i), vector_text(report.velocities[i]), "m/s"});
    table.add(
        {fmt::format("bodies[{}] angular velocity after", i), vector_text(report.angular_velocities[i]), "rad/s"});
  }
  table.add({"normal impulse of compression", number(o.compression_impulse), "N s"});
  table.add({"normal work in compression", number(o.work.normal_compression), "J"});
  table.add({"tangential work in compression", number(o.work.tangential_compression), "J"});
  table.add({"normal work in restitution", number(o.work.normal_restitution), "J"});
  table.add({"tangential work in restitution", number(o.work.tangential_restitution), "J"});
  table.add({"change of kinetic energy", number(report.energy_change()), "J"});
  std::string rows = table.text(2);
  rows.erase(0, rows.find('\n') + 1);  // these columns need no heads
  return fmt::format("{}: {}{}\n{}", law, modes_text(o, "", ", "),
                     o.in_cone ? "" : " (the impulse lies outside the friction cone)", rows);
}

std::string trace_csv(const ImpactReport& report) {
  std::string text = "pn,px,py,pz,ux,uy,uz\n";
  for (const ImpactSample& sample : report.trace) {
    const Vec3 &p = sample.impulse, &u = sample.velocity;
    text += fmt::format("{},{},{},{},{},{},{}\n", sample.normal_impulse, p.x, p.y, p.z, u.x, u.y, u.z);
  }
  return text;
}

}  // namespace carom
