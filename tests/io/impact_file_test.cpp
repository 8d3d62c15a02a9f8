#include "carom/io/impact_file.h"

#include <gtest/gtest.h>

#include "carom/io/problem_file.h"
#include "carom/io/schema.h"
#include "schema_validator.h"

namespace carom {
namespace {

constexpr const char* kImpact = R"({"carom_impact": 1, "bodies": [
  {"mass": 2, "inertia": [[1, 0, 0], [0, 2, 0], [0, 0, 4]], "velocity": [1, 0, -3], "angular_velocity": [0, 1, 0]},
  {"kinematic": true, "velocity": [0, 0, 1]}],
  "contacts": [{"a": 1, "b": 0, "normal": [0, 0, 1], "ra": [0, 0, 0], "rb": [0, 0, -1], "friction": 0.25,
                "static_friction": 0.5, "restitution": 0.75}]})";

TEST(ImpactFile, HoldsWhatWasWritten) {
  const Result<ContactProblem> impact = parse_impact(kImpact, "i");
  ASSERT_TRUE(impact) << impact.message();
  const ContactProblem& problem = impact.value();
  ASSERT_EQ(problem.bodies.size(), 2U);
  EXPECT_EQ(problem.bodies[0].inverse_mass, 0.5);
  EXPECT_EQ(problem.bodies[0].inverse_inertia, Mat3::diagonal({1, 0.5, 0.25}));
  EXPECT_EQ(problem.bodies[1].role, BodyRole::Kinematic);
  ASSERT_EQ(problem.contacts.size(), 1U);
  EXPECT_EQ(problem.contacts[0].mu_static, 0.5);
  EXPECT_EQ(problem.contacts[0].restitution, 0.75);
}

TEST(ImpactFile, AWrittenProblemWithOneContactIsOne) {
  const std::string text = problem_json(parse_impact(kImpact, "i").value());
  const Result<ContactProblem> again = parse_impact(text, "p");
  ASSERT_TRUE(again) << again.message();
  EXPECT_EQ(again.value().contacts[0].rb, (Vec3{0, 0, -1}));
}

TEST(ImpactFile, ANormalThatIsNotQuiteUnitIsNoted) {
  std::string text = kImpact, note;
  EXPECT_TRUE(parse_impact(text, "i", &note));
  EXPECT_EQ(note, "");
  text.replace(text.find("[0, 0, 1], \"ra\""), 9, "[0, 0, 1.0000004]");
  ASSERT_TRUE(parse_impact(text, "i", &note));
  EXPECT_TRUE(note.starts_with("i: 1 of the contacts' normals")) << note;
}

TEST(ImpactFile, SchemaTakesImpactsAndProblemsWithOneContactAndNothingElse) {
  const test::SchemaValidator validator(test::Json::parse(impact_schema()));
  test::Json impact = test::Json::parse(kImpact);
  EXPECT_EQ(validator.check(impact), "");
  EXPECT_EQ(validator.check(test::Json::parse(problem_json(parse_impact(kImpact, "i").value()))), "");
  test::Json two = impact, none = impact, rows = impact, three = impact;
  two["carom_problem"] = 1;
  none.erase("carom_impact");
  rows["rows"] = test::Json::array();
  three["bodies"].push_back({{"fixed", true}});
  for (const test::Json& broken : {two, none, rows, three}) {
    EXPECT_NE(validator.check(broken), "") << broken;
    EXPECT_FALSE(parse_impact(broken.dump(), "x")) << broken;
  }
}

}  // namespace
}  // namespace carom
