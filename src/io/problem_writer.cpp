#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "carom/io/problem_file.h"
#include "io/json_number.h"
#include "io/text_file.h"

namespace carom {
namespace {

std::string matrix(const Mat3& m) {
  return "[" + json_vector(m.row(0)) + "," + json_vector(m.row(1)) + "," + json_vector(m.row(2)) + "]";
}

/// Inverting a symmetric matrix leaves its halves an ulp apart: the file gets one number for both.
Mat3 symmetric_inverse(const Mat3& m) {
  Mat3 a = inverse(m);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < i; ++j) a(i, j) = a(j, i) = 0.5 * (a(i, j) + a(j, i));
  return a;
}

std::string body_json(const ProblemBody& body) {
  if (body.role == BodyRole::Fixed) return R"({"fixed": true})";
  const std::string motion = fmt::format(R"("velocity": {}, "angular_velocity": {})", json_vector(body.velocity),
                                         json_vector(body.angular_velocity));
  if (body.role == BodyRole::Kinematic) return fmt::format(R"({{"kinematic": true, {}}})", motion);
  return fmt::format(R"({{{}"mass": {}, "inertia": {}, {}}})",
                     body.role == BodyRole::Frozen ? R"("frozen": true, )" : "", json_number(1 / body.inverse_mass),
                     matrix(symmetric_inverse(body.inverse_inertia)), motion);
}

std::string contact_json(const ContactPoint& c) {
  std::string text =
      fmt::format(R"({{"id": {}, "a": {}, "b": {}, "normal": {}, "tangent": {}, "ra": {}, "rb": {}, )", c.id, c.a, c.b,
                  json_vector(c.normal), json_vector(c.tangent), json_vector(c.ra), json_vector(c.rb));
  text += fmt::format(R"("friction": {}, "static_friction": {}, "restitution": {}, "target": {})", json_number(c.mu),
                      json_number(c.mu_static), json_number(c.restitution), json_number(c.target));
  if (c.tangent_target[0] != 0 || c.tangent_target[1] != 0)
    text += fmt::format(R"(, "tangent_target": [{},{}])", json_number(c.tangent_target[0]),
                        json_number(c.tangent_target[1]));
  if (c.rolling_friction != 0) text += ", \"rolling_friction\": " + json_number(c.rolling_friction);
  if (c.spinning_friction != 0) text += ", \"spinning_friction\": " + json_number(c.spinning_friction);
  return text + "}";
}

std::string half_row(const RowBlock::HalfRow& half) {
  const Vec3 &l = half.linear, &a = half.angular;
  return fmt::format("[{},{},{},{},{},{}]", json_number(l.x), json_number(l.y), json_number(l.z), json_number(a.x),
                     json_number(a.y), json_number(a.z));
}

/// A bound that is infinite is left out.
std::string row_json(const RowBlock& block, std::size_t k) {
  std::string text =
      fmt::format(R"({{"id": {}, "bodies": [{},{}], "jacobian": [{},{}], "target": {})", block.id, block.a, block.b,
                  half_row(block.jacobian_a[k]), half_row(block.jacobian_b[k]), json_number(block.target[k]));
  if (std::isfinite(block.lower[k])) text += ", \"lower\": " + json_number(block.lower[k]);
  if (std::isfinite(block.upper[k])) text += ", \"upper\": " + json_number(block.upper[k]);
  return text + "}";
}

/// `"key": [` one item a line `]`
template <class Items, class Write>
std::string list_json(const char* key, const Items& items, Write&& write) {
  std::string text = fmt::format("\"{}\": [", key);
  const char* separator = "\n";
  for (const auto& item : items) {
    text += separator;
    text += write(item);
    separator = ",\n";
  }
  return text + (items.empty() ? "]" : "\n]");
}

}  // namespace

std::string problem_json(const ContactProblem& problem, const std::string& description) {
  std::string text = "{\n\"carom_problem\": 1,\n";
  if (!description.empty()) text += "\"description\": " + json_string(description) + ",\n";
  text += "\"dt\": " + json_number(problem.dt) + ",\n\"gravity\": " + json_number(problem.gravity) + ",\n";
  if (problem.down != Vec3{}) text += "\"down\": " + json_vector(problem.down) + ",\n";
  text += list_json("bodies", problem.bodies, body_json) + ",\n";
  text += list_json("contacts", problem.contacts, contact_json);
  if (!problem.row_blocks.empty()) {
    std::vector<std::string> rows;
    for (const RowBlock& block : problem.row_blocks)
      for (std::size_t k = 0; k < static_cast<std::size_t>(block.rows); ++k) rows.push_back(row_json(block, k));
    text += ",\n" + list_json("rows", rows, [](const std::string& row) { return row; });
  }
  return text + "\n}\n";
}

std::string save_problem(const ContactProblem& problem, const std::string& path, const std::string& description) {
  return write_text_file(path, problem_json(problem, description));
}

}  // namespace carom
