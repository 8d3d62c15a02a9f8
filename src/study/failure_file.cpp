#include "study/failure_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/run_files.h"
#include "io/text_file.h"

namespace carom {
namespace {

using Json = nlohmann::ordered_json;

Json vector_json(const Vec3& v) { return {v.x, v.y, v.z}; }

Json options_json(const Options& options) {
  Json json = Json::object();
  for (const OptionSpec& spec : options.specs())
    std::visit([&](const auto& value) { json[spec.name] = value; }, options.value_of(spec.name));
  return json;
}

Json body_json(const World& world, BodyHandle body) {
  const BodyState state = world.state(body);
  const Quat& q = state.orientation;
  return {{"name", world.name(body)},
          {"position", vector_json(state.position)},
          {"orientation", {q.w, q.x, q.y, q.z}},
          {"velocity", vector_json(state.velocity)},
          {"angular_velocity", vector_json(state.angular_velocity)}};
}

Json contact_json(const World& world, const ContactRecord& c) {
  return {{"id", c.id},
          {"body_a", world.name(c.a)},
          {"body_b", world.name(c.b)},
          {"point", vector_json(c.point)},
          {"normal", vector_json(c.normal)},
          {"gap", c.gap},
          {"impulse", vector_json(c.impulse)},
          {"collision_impulse", vector_json(c.collision_impulse)},
          {"mode", mode_name(c.mode)}};
}

Json report_json(const StepReport& r) {
  return {{"time", r.time},
          {"finite", r.finite},
          {"contacts", r.contacts},
          {"kinetic_energy", r.kinetic_energy},
          {"potential_energy", r.potential_energy},
          {"momentum", vector_json(r.momentum)},
          {"max_penetration", r.max_penetration},
          {"residual_model", r.residual_model},
          {"residual_coulomb", r.residual_coulomb},
          {"iterations", r.iterations}};
}

}  // namespace

std::string write_failure(const std::string& path, const Scene& scene, const Options& options, Real dt,
                          const World& world, const std::deque<StepReport>& reports) {
  Json json = {{"carom_failure", 1},   {"reason", "the state is no longer finite"}, {"scene", scene.name},
               {"suite", scene.suite}, {"options", options_json(options)},          {"dt", dt},
               {"time", world.time()}};
  Json bodies = Json::array(), contacts = Json::array(), steps = Json::array();
  for (const BodyHandle body : world.bodies()) bodies.push_back(body_json(world, body));
  for (const ContactRecord& contact : world.contacts()) contacts.push_back(contact_json(world, contact));
  for (const StepReport& report : reports) steps.push_back(report_json(report));
  json["last_good_state"] = std::move(bodies);
  json["last_contacts"] = std::move(contacts);
  json["last_steps"] = std::move(steps);
  return write_text_file(path, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace carom
