#include "carom/io/impact_file.h"

#include "io/json_view.h"
#include "io/problem_keys.h"
#include "io/problem_reader.h"
#include "io/text_file.h"

namespace carom {
namespace {

/// What problems may ask for and impacts not. At least one of the bodies can be moved.
void check_contact(const JsonView& root, const ContactProblem& problem) {
  const JsonView contact = root.find("contacts")->items().front();
  const ContactPoint& c = problem.contacts.front();
  const auto has_mass = [](const ProblemBody& body) {
    return body.role == BodyRole::Dynamic || body.role == BodyRole::Frozen;
  };
  if (!has_mass(problem.bodies[0]) && !has_mass(problem.bodies[1]))
    root.find("bodies")->complain("two bodies that no impulse moves", "at least one with mass and inertia");
  if (c.target != 0) contact.find("target")->complain("a target velocity", "none or 0: an impact ends by its law");
  if (c.tangent_target[0] != 0 || c.tangent_target[1] != 0)
    contact.find("tangent_target")->complain("a target velocity", "none or zeros: an impact ends by its law");
  for (const char* key : {"rolling_friction", "spinning_friction"})
    if (const auto v = contact.find(key); v && v->number() != 0) v->expected("none or 0: impact laws act at a point");
}

std::string read_impact(const JsonView& root, ContactProblem& problem) {
  if (!root.matches(problem_keys::kImpact)) return {};
  const auto impact = root.find("carom_impact"), as_problem = root.find("carom_problem");
  if (impact && as_problem) root.complain("both carom_impact and carom_problem", "one of them");
  if (!impact && !as_problem) root.missing("carom_impact", "1, the version of the impact format");
  for (const auto& version : {impact, as_problem})
    if (version && (version->kind() != JsonKind::Number || version->number() != 1))
      version->expected("1, the version of the impact format");
  if (!root.ok() || !root.find("bodies")->is_list_of(2, "a list of two bodies") ||
      !root.find("contacts")->is_list_of(1, "a list of one contact"))
    return {};
  std::string note = read_problem_parts(root, problem);
  if (root.ok()) check_contact(root, problem);
  return note;
}

}  // namespace

Result<ContactProblem> parse_impact(std::string_view text, const std::string& origin, std::string* note) {
  const Result<JsonDocument> document = parse_json(text, origin);
  if (!document) return Result<ContactProblem>::failure(document.message());
  std::string error;
  ContactProblem problem;
  const std::string noted = read_impact(JsonView(document.value(), error), problem);
  if (!error.empty()) return Result<ContactProblem>::failure(error);
  const std::string wrong = check(problem);
  if (!wrong.empty()) return Result<ContactProblem>::failure(origin + ": " + wrong);
  if (note != nullptr) *note = noted.empty() ? "" : origin + ": " + noted;
  return problem;
}

Result<ContactProblem> load_impact(const std::string& path, std::string* note) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return Result<ContactProblem>::failure(text.message());
  return parse_impact(text.value(), path, note);
}

}  // namespace carom
