#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "carom/io/problem_file.h"
#include "io/json_view.h"
#include "io/problem_keys.h"
#include "io/problem_reader.h"
#include "io/text_file.h"
#include "math/symmetric.h"

namespace carom {
namespace {

BodyRole read_role(const JsonView& view) {
  struct Flag {
    const char* key;
    BodyRole role;
  };
  BodyRole role = BodyRole::Dynamic;
  int count = 0;
  for (const Flag& flag :
       {Flag{"fixed", BodyRole::Fixed}, Flag{"kinematic", BodyRole::Kinematic}, Flag{"frozen", BodyRole::Frozen}}) {
    const auto v = view.find(flag.key);
    if (!v || !v->flag()) continue;
    role = flag.role;
    ++count;
  }
  if (count > 1) view.complain("more than one of fixed, kinematic and frozen", "at most one");
  return role;
}

void read_matter(const JsonView& view, ProblemBody& body) {
  const auto mass = view.find("mass"), inertia = view.find("inertia");
  if (mass) body.inverse_mass = 1 / mass->positive();
  Mat3 tensor = Mat3::identity();
  if (inertia) tensor = inertia->symmetric3();
  if (!view.ok()) return;
  if (inertia && !(principal_moments(tensor).x > 0))
    inertia->complain("a tensor that is not positive definite", "one that is");
  const bool needs_matter = body.role == BodyRole::Dynamic || body.role == BodyRole::Frozen;
  if (needs_matter && (!mass || !inertia)) {
    view.complain("no mass and inertia", "both, or one of \"fixed\": true and \"kinematic\": true");
  } else if (needs_matter) {
    body.inverse_inertia = inverse(tensor);
  } else {
    body.inverse_mass = 0;
  }
}

ProblemBody read_body(const JsonView& view) {
  ProblemBody body;
  if (!view.matches(problem_keys::kBody)) return body;
  body.role = read_role(view);
  read_matter(view, body);
  if (const auto v = view.find("velocity")) body.velocity = v->vec3();
  if (const auto v = view.find("angular_velocity")) body.angular_velocity = v->vec3();
  const bool moves = body.velocity != Vec3{} || body.angular_velocity != Vec3{};
  if (moves && (body.role == BodyRole::Fixed || body.role == BodyRole::Frozen))
    view.complain("a velocity on a body that is at rest", "zero, or \"kinematic\": true");
  return body;
}

std::int32_t read_index(const JsonView& view, std::size_t body_count) {
  const std::uint64_t index = view.natural();
  if (view.ok() && index < body_count) return static_cast<std::int32_t>(index);
  view.expected(fmt::format("the index of a body, less than {}", body_count));
  return 0;
}

/// From the centre of mass to the contact. It has no meaning on a fixed body and may be left out there.
Vec3 read_arm(const JsonView& view, const char* key, const ContactProblem& problem, std::int32_t body) {
  if (const auto v = view.find(key)) return v->vec3();
  if (problem.bodies[static_cast<std::size_t>(body)].role != BodyRole::Fixed)
    view.missing(key, "a vector, because the body is not fixed");
  return {};
}

Vec3 read_tangent(const JsonView& view, const Vec3& normal) {
  constexpr Real kRounding = 1e-6;  // files carry about twelve digits; more than this is a mistake
  constexpr Real kExact = 1e-15;    // orthogonal as far as rounding allows: kept bit for bit
  const Vec3 tangent = view.direction();
  const Real slant = std::abs(dot(tangent, normal));
  if (slant > kRounding) view.complain("a tangent that is not orthogonal to the normal", "one that is");
  if (slant < kExact) return tangent;
  return normalized(tangent - dot(tangent, normal) * normal);
}

void read_friction(const JsonView& view, ContactPoint& contact) {
  if (const auto v = view.find("friction")) contact.mu = v->non_negative();
  contact.mu_static = contact.mu;
  if (const auto v = view.find("static_friction")) {
    contact.mu_static = v->non_negative();
    if (contact.mu_static < contact.mu)
      v->expected(fmt::format("at least the dynamic coefficient, which is {}", contact.mu));
  }
  if (const auto v = view.find("rolling_friction")) contact.rolling_friction = v->non_negative();
  if (const auto v = view.find("spinning_friction")) contact.spinning_friction = v->non_negative();
}

/// Normals as files carry them: whatever is not a unit vector to within 1e-6 is a mistake, and a little less is noted.
class NormalReader {
 public:
  Vec3 read(const JsonView& view) {
    constexpr Real kMistake = 1e-6, kRounding = 1e-9;
    const Vec3 normal = view.vec3();
    const Real off = std::abs(norm(normal) - 1);
    if (view.ok() && !(off <= kMistake))
      view.complain(fmt::format("a vector of length {}", norm(normal)), "a unit vector, to within 1e-6");
    if (off > kRounding) ++noted_;
    worst_ = std::max(worst_, off);
    return view.direction();
  }

  /// Empty if there is nothing to note.
  std::string note() const {
    if (noted_ == 0) return {};
    return fmt::format("{} of the contacts' normals were off unit length by up to {:.1e} and have been normalised",
                       noted_, worst_);
  }

 private:
  std::size_t noted_ = 0;
  Real worst_ = 0;
};

ContactPoint read_contact(const JsonView& view, const ContactProblem& problem, NormalReader& normals) {
  ContactPoint contact;
  if (!view.matches(problem_keys::kContact)) return contact;
  if (const auto v = view.find("id")) contact.id = v->natural();
  contact.a = read_index(*view.find("a"), problem.bodies.size());
  contact.b = read_index(*view.find("b"), problem.bodies.size());
  if (view.ok() && contact.a == contact.b) view.complain("the same body on both sides", "two bodies");
  if (!view.ok()) return contact;
  contact.normal = normals.read(*view.find("normal"));
  const auto tangent = view.find("tangent");
  contact.tangent = tangent ? read_tangent(*tangent, contact.normal) : default_tangent(contact.normal);
  contact.ra = read_arm(view, "ra", problem, contact.a);
  contact.rb = read_arm(view, "rb", problem, contact.b);
  read_friction(view, contact);
  if (const auto v = view.find("restitution")) contact.restitution = v->between(0, 1);
  if (const auto v = view.find("target")) contact.target = v->number();
  if (const auto v = view.find("tangent_target"); v && v->is_list_of(2, "a list of two numbers"))
    contact.tangent_target = {v->items()[0].number(), v->items()[1].number()};
  return contact;
}

RowBlock::HalfRow read_half_row(const JsonView& view) {
  if (!view.is_list_of(6, "a list of six numbers")) return {};
  const std::vector<JsonView> values = view.items();
  return {{values[0].number(), values[1].number(), values[2].number()},
          {values[3].number(), values[4].number(), values[5].number()}};
}

void read_row(const JsonView& view, ContactProblem& problem) {
  if (!view.matches(problem_keys::kRow)) return;
  const JsonView bodies = *view.find("bodies"), jacobian = *view.find("jacobian");
  if (!bodies.is_list_of(2, "a list of two body indices") ||
      !jacobian.is_list_of(2, "a list of two lists of six numbers"))
    return;
  RowBlock row;
  row.rows = 1;
  row.a = read_index(bodies.items()[0], problem.bodies.size());
  row.b = read_index(bodies.items()[1], problem.bodies.size());
  row.jacobian_a[0] = read_half_row(jacobian.items()[0]);
  row.jacobian_b[0] = read_half_row(jacobian.items()[1]);
  row.lower[0] = -std::numeric_limits<Real>::infinity();
  row.upper[0] = std::numeric_limits<Real>::infinity();
  if (const auto v = view.find("id")) row.id = v->natural();
  if (const auto v = view.find("target")) row.target[0] = v->number();
  if (const auto v = view.find("lower")) row.lower[0] = v->number();
  if (const auto v = view.find("upper")) row.upper[0] = v->number();
  if (row.lower[0] > row.upper[0]) view.complain("a lower bound above the upper one", "lower <= upper");
  if (!view.ok()) return;

  std::vector<RowBlock>& blocks = problem.row_blocks;
  const bool continues = !blocks.empty() && row.id != 0 && blocks.back().id == row.id && blocks.back().a == row.a &&
                         blocks.back().b == row.b && blocks.back().rows < 6;
  if (!continues) {
    blocks.push_back(row);
    return;
  }
  RowBlock& block = blocks.back();
  const auto k = static_cast<std::size_t>(block.rows++);
  block.jacobian_a[k] = row.jacobian_a[0];
  block.jacobian_b[k] = row.jacobian_b[0];
  block.target[k] = row.target[0];
  block.lower[k] = row.lower[0];
  block.upper[k] = row.upper[0];
}

std::string read_problem(const JsonView& root, ContactProblem& problem) {
  if (const auto version = root.find("carom_problem"))
    if (version->kind() != JsonKind::Number || version->number() != 1)
      version->expected("1, the version of the problem format");
  if (!root.ok() || !root.matches(problem_keys::kProblem)) return {};
  return read_problem_parts(root, problem);
}

}  // namespace

std::string read_problem_parts(const JsonView& root, ContactProblem& problem) {
  if (const auto v = root.find("description")) v->text();
  if (const auto v = root.find("dt")) problem.dt = v->non_negative();
  if (const auto v = root.find("gravity")) problem.gravity = v->non_negative();
  if (const auto v = root.find("down")) problem.down = v->direction();
  for (const JsonView& body : root.find("bodies")->items()) problem.bodies.push_back(read_body(body));
  NormalReader normals;
  for (const JsonView& contact : root.find("contacts")->items())
    problem.contacts.push_back(read_contact(contact, problem, normals));
  if (const auto rows = root.find("rows"))
    for (const JsonView& row : rows->items()) read_row(row, problem);
  return normals.note();
}

Result<ContactProblem> parse_problem(std::string_view text, const std::string& origin, std::string* note) {
  const Result<JsonDocument> document = parse_json(text, origin);
  if (!document) return Result<ContactProblem>::failure(document.message());
  std::string error;
  ContactProblem problem;
  const std::string noted = read_problem(JsonView(document.value(), error), problem);
  if (!error.empty()) return Result<ContactProblem>::failure(error);
  const std::string wrong = check(problem);
  if (!wrong.empty()) return Result<ContactProblem>::failure(origin + ": " + wrong);
  if (note != nullptr) *note = noted.empty() ? "" : origin + ": " + noted;
  return problem;
}

Result<ContactProblem> load_problem(const std::string& path, std::string* note) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return Result<ContactProblem>::failure(text.message());
  return parse_problem(text.value(), path, note);
}

}  // namespace carom
