// `check` names the path of each kind of bad input.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "carom/contact/classify.h"
#include "support/problems.h"

namespace carom {
namespace {

constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN(), kInfinity = std::numeric_limits<Real>::infinity();

ContactProblem good() {
  ContactProblem problem = test::cube_on_floor({1, 0, -1}, 0.5);
  problem.bodies.push_back(test::cube_body(2));
  problem.row_blocks = {test::ball_joint(1, 2, {1, 0, 0}, {-1, 0, 0})};
  return problem;
}

std::string complaint(const std::function<void(ContactProblem&)>& spoil) {
  ContactProblem problem = good();
  spoil(problem);
  return check(problem);
}

TEST(Check, SaysNothingOfAGoodProblem) {
  EXPECT_EQ(check(good()), "");
  EXPECT_EQ(check(ContactProblem{}), "");
}

TEST(Check, NamesBadBodies) {
  const auto body = [](const std::function<void(ProblemBody&)>& spoil) {
    return complaint([&](ContactProblem& p) { spoil(p.bodies[1]); });
  };
  EXPECT_EQ(body([](auto& b) { b.velocity.y = kNan; }), "bodies[1].velocity: must be finite");
  EXPECT_EQ(body([](auto& b) { b.angular_velocity.z = kInfinity; }), "bodies[1].angular_velocity: must be finite");
  for (const Real mass : {0.0, -1.0, kInfinity, kNan})
    EXPECT_EQ(body([&](auto& b) { b.inverse_mass = mass; }), "bodies[1].mass: must be positive and finite") << mass;
  EXPECT_EQ(body([](auto& b) { b.inverse_inertia(0, 2) = kNan; }), "bodies[1].inertia: must be finite");
  EXPECT_EQ(body([](auto& b) { b.inverse_inertia(0, 2) = 1; }), "bodies[1].inertia: must be symmetric");
  EXPECT_EQ(body([](auto& b) { b.inverse_inertia = {}; }), "bodies[1].inertia: must be positive definite");
  EXPECT_EQ(body([](auto& b) { b.inverse_inertia(1, 1) = -1; }), "bodies[1].inertia: must be positive definite");
}

TEST(Check, MassOfBodiesThatFeelNothingDoesNotMatter) {
  EXPECT_EQ(complaint([](ContactProblem& p) { p.bodies[0].inverse_mass = -1; }), "");
  EXPECT_EQ(complaint([](ContactProblem& p) {
              p.bodies[0].role = BodyRole::Kinematic;
              p.bodies[0].inverse_inertia(0, 1) = 7;
            }),
            "");
  EXPECT_EQ(complaint([](ContactProblem& p) {
              p.bodies[1].role = BodyRole::Frozen;  // may be revived, so its mass does matter
              p.bodies[1].inverse_mass = 0;
            }),
            "bodies[1].mass: must be positive and finite");
}

TEST(Check, NamesBadContacts) {
  const auto contact = [](const std::function<void(ContactPoint&)>& spoil) {
    return complaint([&](ContactProblem& p) { spoil(p.contacts[3]); });
  };
  EXPECT_EQ(contact([](auto& c) { c.a = -1; }), "contacts[3].a: no such body");
  EXPECT_EQ(contact([](auto& c) { c.b = 3; }), "contacts[3].b: no such body");
  EXPECT_EQ(contact([](auto& c) { c.a = c.b; }), "contacts[3].b: a body cannot touch itself");
  EXPECT_EQ(contact([](auto& c) { c.normal = {0, 0, 2}; }), "contacts[3].normal: must have unit length");
  EXPECT_EQ(contact([](auto& c) { c.normal = {}; }), "contacts[3].normal: must have unit length");
  EXPECT_EQ(contact([](auto& c) { c.normal.x = kNan; }), "contacts[3].normal: must have unit length");
  EXPECT_EQ(contact([](auto& c) { c.tangent = {1e-3, 0, 0}; }), "contacts[3].tangent: must have unit length");
  EXPECT_EQ(contact([](auto& c) { c.tangent = c.normal; }), "contacts[3].tangent: must be orthogonal to the normal");
  EXPECT_EQ(contact([](auto& c) { c.ra.y = kNan; }), "contacts[3].ra, rb: must be finite");
  EXPECT_EQ(contact([](auto& c) { c.rb.y = kInfinity; }), "contacts[3].ra, rb: must be finite");
  EXPECT_EQ(contact([](auto& c) { c.mu = -0.1; }), "contacts[3].friction: must not be negative");
  EXPECT_EQ(contact([](auto& c) { c.mu = kNan; }), "contacts[3].friction: must not be negative");
  EXPECT_EQ(contact([](auto& c) { c.mu_static = 0.4; }), "contacts[3].static_friction: must be at least friction");
  for (const Real e : {-0.1, 1.1, kNan})
    EXPECT_EQ(contact([&](auto& c) { c.restitution = e; }), "contacts[3].restitution: must be from 0 to 1") << e;
  EXPECT_EQ(contact([](auto& c) { c.target = kNan; }), "contacts[3].target: must be finite");
  EXPECT_EQ(contact([](auto& c) { c.tangent_target[1] = kInfinity; }), "contacts[3].target: must be finite");
  for (const Real length : {-0.1, kNan, kInfinity}) {
    EXPECT_EQ(contact([&](auto& c) { c.rolling_friction = length; }),
              "contacts[3].rolling_friction: must not be negative");
    EXPECT_EQ(contact([&](auto& c) { c.spinning_friction = length; }),
              "contacts[3].spinning_friction: must not be negative");
  }
}

TEST(Check, NamesBadRows) {
  const auto rows = [](const std::function<void(RowBlock&)>& spoil) {
    const std::string wrong = complaint([&](ContactProblem& p) { spoil(p.row_blocks[0]); });
    return wrong.substr(wrong.find('.') + 1);
  };
  EXPECT_EQ(rows([](auto& r) { r.b = 17; }), "b: no such body");
  EXPECT_EQ(rows([](auto& r) { r.a = 2; }), "b: a body cannot touch itself");
  EXPECT_EQ(rows([](auto& r) { r.rows = 0; }), "rows: must be from 1 to 6");
  EXPECT_EQ(rows([](auto& r) { r.rows = 7; }), "rows: must be from 1 to 6");
  EXPECT_EQ(rows([](auto& r) { r.jacobian_a[2].linear.x = kNan; }), "jacobian: must be finite");
  EXPECT_EQ(rows([](auto& r) { r.jacobian_b[0].angular.x = kInfinity; }), "jacobian: must be finite");
  EXPECT_EQ(rows([](auto& r) { r.target[1] = kNan; }), "target: must be finite");
  EXPECT_EQ(rows([](auto& r) { r.lower[1] = 1, r.upper[1] = 0; }), "lower: must be at most upper");
  EXPECT_EQ(rows([](auto& r) { r.upper[1] = kNan; }), "lower: must be at most upper");
}

TEST(Check, NamesABadDirectionOfGravity) {
  EXPECT_EQ(complaint([](ContactProblem& p) { p.down = {0, 0, -1}; }), "");
  for (const Real length : {0.5, kNan, kInfinity})
    EXPECT_EQ(complaint([&](ContactProblem& p) { p.down.x = length; }), "down: must have unit length, or be zero");
}

TEST(Classify, ContactsRestUpToTheSpeedOfAFallThroughTheTolerance) {
  const Real limit = resting_speed(9.81, 1e-4);
  EXPECT_NEAR(limit * limit, 2 * 9.81 * 1e-4, 1e-17);
  EXPECT_EQ(classify(-1.01 * limit, limit), ContactState::Colliding);
  for (const Real v : {-limit, 0.0, limit}) EXPECT_EQ(classify(v, limit), ContactState::Resting) << v;
  EXPECT_EQ(classify(1.01 * limit, limit), ContactState::Separating);
  EXPECT_EQ(classify(0, 0), ContactState::Resting);
}

TEST(Check, NamesTheFirstThingWrong) {
  EXPECT_EQ(complaint([](ContactProblem& p) {
              p.contacts[2].mu = -1;
              p.contacts[1].mu = -1;
            }),
            "contacts[1].friction: must not be negative");
}

TEST(ContactProblem, CountsBlocksAndRows) {
  ContactProblem problem = good();
  EXPECT_EQ(problem.block_count(), 5U);
  EXPECT_EQ(problem.row_count(), 15U);
  problem.clear();
  EXPECT_EQ(problem.block_count(), 0U);
  EXPECT_EQ(problem.row_count(), 0U);
}

TEST(DefaultTangent, IsAUnitVectorAcrossTheNormal) {
  test::Random random(1);
  for (int i = 0; i < 10000; ++i) {
    const Vec3 n = random.unit(), t = default_tangent(n);
    ASSERT_NEAR(norm(t), 1, 1e-15);
    ASSERT_NEAR(dot(n, t), 0, 1e-15);
  }
  EXPECT_EQ(default_tangent({0, 0, 1}), (Vec3{1, 0, 0}));
}

}  // namespace
}  // namespace carom
