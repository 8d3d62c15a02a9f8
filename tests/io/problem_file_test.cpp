#include "carom/io/problem_file.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace carom {
namespace {

/// Two bodies on the ground, with numbers that have no short decimal form.
ContactProblem awkward_problem() {
  ContactProblem problem;
  problem.dt = 1.0 / 60;
  problem.gravity = 9.81;
  ProblemBody ground, cube, platter, frozen;
  ground.role = BodyRole::Fixed;
  cube.inverse_mass = 1 / 8.0;
  cube.inverse_inertia = Mat3::diagonal({0.5, 0.25, 0.125});
  cube.velocity = {std::sqrt(2.0), -0.0, 1e-300};
  cube.angular_velocity = {1.0 / 3, -1e17, 5e-324};
  platter.role = BodyRole::Kinematic;
  platter.angular_velocity = {0, 0, 0.1};
  frozen = cube;
  frozen.role = BodyRole::Frozen;
  frozen.velocity = frozen.angular_velocity = {};
  problem.bodies = {ground, cube, platter, frozen};

  ContactPoint contact;
  contact.id = 18446744073709551615ULL;
  contact.a = 0;
  contact.b = 1;
  contact.normal = normalized(Vec3{0.1, 0.2, 0.97});
  contact.tangent = default_tangent(contact.normal);
  contact.ra = {0.1, 0.2, 0.3};
  contact.rb = {-1.0 / 7, std::nextafter(1.0, 2.0), -0.5};
  contact.mu = 0.3;
  contact.mu_static = 0.35;
  contact.restitution = 0.1;
  contact.target = -1e-3 / 3;
  contact.tangent_target = {0.25, -1.0 / 3};
  ContactPoint second = contact;
  second.a = 2;
  second.b = 3;
  second.id = 7;
  problem.contacts = {contact, second};

  RowBlock block;
  block.id = 99;
  block.a = 1;
  block.b = 3;
  block.rows = 2;
  for (std::size_t k = 0; k < 2; ++k) {
    block.jacobian_a[k].linear = {1, 0.1, static_cast<Real>(k)};
    block.jacobian_b[k].angular = {-1, 1.0 / 3, 0};
    block.target[k] = 0.125;
    block.lower[k] = k == 0 ? -std::numeric_limits<Real>::infinity() : -5;
    block.upper[k] = std::numeric_limits<Real>::infinity();
  }
  problem.row_blocks = {block};
  return problem;
}

void expect_same_bits(const Vec3& a, const Vec3& b) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i])) << a[i];
}

ContactProblem read_back(const ContactProblem& problem) {
  const Result<ContactProblem> result =
      parse_problem(problem_json(problem, "a \"quoted\" description"), "x.problem.json");
  EXPECT_TRUE(result) << result.message();
  return result ? result.value() : ContactProblem{};
}

TEST(ProblemFile, BodiesSurviveTheRoundTrip) {
  const ContactProblem before = awkward_problem(), after = read_back(before);
  EXPECT_EQ(after.dt, before.dt);
  EXPECT_EQ(after.gravity, before.gravity);
  ASSERT_EQ(after.bodies.size(), before.bodies.size());
  for (std::size_t i = 0; i < before.bodies.size(); ++i) {
    EXPECT_EQ(after.bodies[i].role, before.bodies[i].role);
    // Powers of two: their inverses are exact.
    EXPECT_EQ(after.bodies[i].inverse_mass, before.bodies[i].inverse_mass);
    EXPECT_EQ(after.bodies[i].inverse_inertia, before.bodies[i].inverse_inertia);
    expect_same_bits(after.bodies[i].velocity, before.bodies[i].velocity);
    expect_same_bits(after.bodies[i].angular_velocity, before.bodies[i].angular_velocity);
  }
}

TEST(ProblemFile, ContactsSurviveTheRoundTripBitForBit) {
  const ContactProblem before = awkward_problem(), after = read_back(before);
  ASSERT_EQ(after.contacts.size(), before.contacts.size());
  for (std::size_t i = 0; i < before.contacts.size(); ++i) {
    const ContactPoint &a = after.contacts[i], &b = before.contacts[i];
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(a.a, b.a);
    EXPECT_EQ(a.b, b.b);
    expect_same_bits(a.normal, b.normal);
    expect_same_bits(a.tangent, b.tangent);
    expect_same_bits(a.ra, b.ra);
    expect_same_bits(a.rb, b.rb);
    EXPECT_EQ(a.mu, b.mu);
    EXPECT_EQ(a.mu_static, b.mu_static);
    EXPECT_EQ(a.restitution, b.restitution);
    EXPECT_EQ(a.target, b.target);
    EXPECT_EQ(a.tangent_target, b.tangent_target);
  }
}

TEST(ProblemFile, RowsOfOneIdComeBackAsOneBlock) {
  const ContactProblem before = awkward_problem(), after = read_back(before);
  ASSERT_EQ(after.row_blocks.size(), 1U);
  const RowBlock &a = after.row_blocks[0], &b = before.row_blocks[0];
  EXPECT_EQ(a.rows, 2);
  for (std::size_t k = 0; k < 2; ++k) {
    expect_same_bits(a.jacobian_a[k].linear, b.jacobian_a[k].linear);
    expect_same_bits(a.jacobian_b[k].angular, b.jacobian_b[k].angular);
    EXPECT_EQ(a.lower[k], b.lower[k]);
    EXPECT_EQ(a.upper[k], b.upper[k]);
  }
}

TEST(ProblemFile, EmptyProblemIsAProblem) { EXPECT_TRUE(read_back(ContactProblem{}).contacts.empty()); }

struct BrokenProblem {
  const char* text;
  const char* message;
};

constexpr const char* kBody = R"({"mass": 1, "inertia": [[1,0,0],[0,1,0],[0,0,1]]})";

std::string with_contact(const std::string& contact) {
  return std::string(R"({"carom_problem": 1, "bodies": [{"fixed": true}, )") + kBody + R"(], "contacts": [)" + contact +
         "]}";
}

std::string refusal(const std::string& text) {
  const Result<ContactProblem> problem = parse_problem(text, "x.problem.json");
  EXPECT_FALSE(problem) << text;
  return problem.message();
}

TEST(ProblemFile, RefusesBrokenContacts) {
  const BrokenProblem cases[] = {
      {R"({"a": 0, "b": 1, "normal": [0,0,0], "rb": [0,0,0]})", "contacts[0].normal: found a vector of length 0"},
      {R"({"a": 0, "b": 1, "normal": [0,0,1.00001], "rb": [0,0,0]})", "expected a unit vector, to within 1e-6"},
      {R"({"a": 0, "b": 2, "normal": [0,0,1], "rb": [0,0,0]})", "contacts[0].b: found 2, expected the index of a body"},
      {R"({"a": -1, "b": 1, "normal": [0,0,1], "rb": [0,0,0]})", "contacts[0].a: found -1"},
      {R"({"a": 1, "b": 1, "normal": [0,0,1], "rb": [0,0,0]})", "contacts[0]: found the same body on both sides"},
      {R"({"a": 0, "b": 1, "normal": [0,0,1]})", "contacts[0].rb: found nothing"},
      {R"({"a": 0, "b": 1, "normal": [0,0,1], "rb": [0,0,0], "friction": -1})", "contacts[0].friction: found -1"},
      {R"({"a": 0, "b": 1, "normal": [0,0,1], "rb": [0,0,0], "tangent": [1,0,1]})",
       "contacts[0].tangent: found a tangent"},
      {R"({"a": 0, "b": 1, "normal": [0,0,1], "rb": [0,0,0], "restitution": 2})", "contacts[0].restitution: found 2"},
      {R"({"a": 0, "b": 1, "normal": [0,0,1], "rb": [0,0,0], "rolling_friction": -2})", "rolling_friction: found -2"},
      {R"({"a": 0, "b": 1, "normal": [0,0,1], "rb": [0,0,0], "spinning_friction": "x"})", "spinning_friction: found"},
      {R"({"a": 0, "b": 1, "normal": [0,0,1], "rb": [0,0,0], "mu": 2})", "contacts[0].mu: found the unknown key"},
  };
  for (const BrokenProblem& broken : cases) {
    const std::string message = refusal(with_contact(broken.text));
    EXPECT_NE(message.find(broken.message), std::string::npos) << message;
  }
}

TEST(ProblemFile, RefusesBrokenBodies) {
  const BrokenProblem cases[] = {
      {R"({"mass": 1})", "bodies[0]: found no mass and inertia"},
      {R"({"mass": -1, "inertia": [[1,0,0],[0,1,0],[0,0,1]]})", "bodies[0].mass: found -1"},
      {R"({"mass": 0, "inertia": [[1,0,0],[0,1,0],[0,0,1]]})", "bodies[0].mass: found 0"},
      {R"({"mass": 1, "inertia": [[1,0,0],[0,-1,0],[0,0,1]]})", "bodies[0].inertia: found a tensor"},
      {R"({"mass": 1, "inertia": [[1,2,0],[0,1,0],[0,0,1]]})", "bodies[0].inertia: found"},
      {R"({"fixed": true, "kinematic": true})", "bodies[0]: found more than one"},
      {R"({"fixed": true, "velocity": [1, 0, 0]})", "bodies[0]: found a velocity"},
      {R"({"fixed": 1})", "bodies[0].fixed: found 1, expected true or false"},
  };
  for (const BrokenProblem& broken : cases) {
    const std::string message =
        refusal(std::string(R"({"carom_problem": 1, "bodies": [)") + broken.text + R"(], "contacts": []})");
    EXPECT_NE(message.find(broken.message), std::string::npos) << message;
  }
}

TEST(ProblemFile, NormalsThatAreNearlyUnitAreNormalisedWithANote) {
  std::string note = "left over";
  const auto read = [&](const char* normal) {
    return parse_problem(with_contact(std::string(R"({"a": 0, "b": 1, "rb": [0,0,-1], "normal": )") + normal + "}"),
                         "x.problem.json", &note);
  };
  const Result<ContactProblem> exact = read("[0,0,1]"), off = read("[0,0,1.0000005]");
  ASSERT_TRUE(off) << off.message();
  EXPECT_EQ(off.value().contacts[0].normal, (Vec3{0, 0, 1}));
  EXPECT_EQ(
      note,
      "x.problem.json: 1 of the contacts' normals were off unit length by up to 5.0e-07 and have been normalised");
  ASSERT_TRUE(read("[0,0,1.0000000001]"));  // digits that a file does not carry
  EXPECT_EQ(note, "");
}

TEST(ProblemFile, TheArmOfAFixedBodyMayBeLeftOut) {
  const Result<ContactProblem> problem =
      parse_problem(with_contact(R"({"a": 0, "b": 1, "normal": [0,0,1], "rb": [0,0,-1]})"), "x");
  ASSERT_TRUE(problem) << problem.message();
  EXPECT_EQ(problem.value().contacts[0].mu_static, 0);
}

TEST(ProblemFile, RollingAndSpinningFrictionAndTheWayDownAreReadBack) {
  const Result<ContactProblem> problem = parse_problem(
      with_contact(
          R"({"a": 0, "b": 1, "normal": [0,0,1], "rb": [0,0,-1], "rolling_friction": 0.01, "spinning_friction": 0.02})"),
      "x");
  ASSERT_TRUE(problem) << problem.message();
  ContactProblem with_down = problem.value();
  with_down.down = {0, -1, 0};
  const ContactProblem back = read_back(with_down);
  EXPECT_EQ(back.contacts[0].rolling_friction, 0.01);
  EXPECT_EQ(back.contacts[0].spinning_friction, 0.02);
  EXPECT_EQ(back.down, (Vec3{0, -1, 0}));
}

}  // namespace
}  // namespace carom
