// `carom solve` as a user sees it.
#include <gtest/gtest.h>

#include "contact_commands.h"
#include "program.h"

namespace carom::test {
namespace {

using Json = nlohmann::json;

class Solve : public ::testing::Test {
 protected:
  void write(const Json& problem) const { write_json(folder_.file("p.problem.json"), problem); }
  Outcome solve(std::vector<std::string> more) const {
    more.insert(more.begin(), {"solve", "p.problem.json", "--solver"});
    return run_program(more, folder_.path());
  }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

Json without_restitution() {
  Json problem = falling_ball();
  problem["contacts"][0]["restitution"] = 0;
  return problem;
}

TEST_F(Solve, JsonHasTheKeysOfTheFormatAndTheClosedForm) {
  write(without_restitution());
  const Outcome outcome = solve({"sequential", "--set", "iterations=100", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const Json answer = Json::parse(outcome.out);
  EXPECT_EQ(answer["solver"], "sequential");
  EXPECT_EQ(answer["cone"], "exact");
  // A ball with slip s: j_n = m |v_n|, j_t = min(μ j_n, 2 m s / 7) against the slip. Tolerance: that of the solver.
  EXPECT_NEAR(answer["impulses"][0][2], 4.0, 1e-6);
  EXPECT_NEAR(answer["impulses"][0][0], -0.8, 1e-6);
  EXPECT_NEAR(answer["velocities"][0][0], 2.6, 1e-6);
  EXPECT_NEAR(answer["velocities"][0][2], 0.0, 1e-6);
  EXPECT_NEAR(answer["angular_velocities"][0][1], 0.08 / 0.008, 1e-5);
  EXPECT_EQ(answer["velocities"].size(), 2U);
  const Json& report = answer["report"];
  for (const char* key : {"iterations", "residual_model", "residual_coulomb", "rms_coulomb", "converged", "seconds",
                          "kinetic_energy_before", "kinetic_energy_after", "max_penetrating_velocity",
                          "max_cone_violation", "max_complementarity"})
    EXPECT_TRUE(report.contains(key)) << key;
  EXPECT_EQ(report["converged"], true);
  EXPECT_NEAR(report["kinetic_energy_before"], 13.0, 1e-12);
  EXPECT_LT(report["residual_coulomb"], 1e-6);
}

TEST_F(Solve, ExactComesToEightDigitsWhereEveryContactIsAboutToSlip) {
  const Outcome outcome = run_program({"solve", CAROM_TEST_DATA_DIR "/problems/toppling.problem.json", "--solver",
                                       "exact", "--set", "tolerance=1e-8", "--tolerance", "1e-8", "--json"},
                                      folder().path());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_LE(Json::parse(outcome.out)["report"]["residual_coulomb"], 1e-8);
}

TEST_F(Solve, CoulombResidualIsNullWhereRestitutionActs) {
  write(falling_ball());
  const Outcome outcome = solve({"pq", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json answer = Json::parse(outcome.out);
  EXPECT_TRUE(answer["report"]["residual_coulomb"].is_null());
  EXPECT_TRUE(answer["report"]["rms_coulomb"].is_null());
  EXPECT_NEAR(answer["velocities"][0][2], 1.0, 1e-12);  // e v_n, one bounce: round-off
  EXPECT_EQ(answer["report"]["approach_left"], 0);
}

TEST_F(Solve, EndsWithOneWhereTheToleranceIsNotMetAndStillPrintsTheAnswer) {
  Json problem = without_restitution();
  Json& contacts = problem["contacts"];
  contacts[0]["rb"] = {0.3, 0.2, -0.1};  // couples the directions, so that one sweep is not enough
  for (const double x : {-0.3, 0.1}) {
    contacts.push_back(contacts[0]);
    contacts.back()["rb"] = {x, -0.2, -0.1};
  }
  write(problem);
  const Outcome outcome = solve({"sequential", "--set", "iterations=1", "--json"});
  EXPECT_EQ(outcome.status, 1);
  const Json answer = Json::parse(outcome.out);
  EXPECT_EQ(answer["report"]["converged"], false);
  EXPECT_GT(answer["report"]["residual_model"], 1e-6);
  EXPECT_EQ(solve({"sequential", "--set", "iterations=1", "--tolerance", "1e6"}).status, 0);
  EXPECT_EQ(solve({"sequential", "--set", "iterations=10000"}).status, 0);
}

TEST_F(Solve, StartsFromTheImpulsesOfAnEarlierAnswer) {
  write(without_restitution());
  const Outcome cold = solve({"sequential", "--set", "iterations=100", "--json"});
  write_json(folder().file("warm.json"), Json::parse(cold.out));
  const Outcome warm = solve({"sequential", "--json", "--warm", "warm.json"});
  EXPECT_EQ(warm.status, 0) << warm.err;
  EXPECT_LE(Json::parse(warm.out)["report"]["iterations"], 2);

  write_json(folder().file("warm.json"), {{"impulses", {{1, 2, 3}, {4, 5, 6}}}});
  const Outcome refused = solve({"sequential", "--warm", "warm.json"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(contains(refused.err, "warm.json: impulses: found a list of 2 values, expected 1")) << refused.err;
}

TEST_F(Solve, RefusesWhatTheSolverCannotDo) {
  write(falling_ball());
  const auto expect_refused = [&](const std::vector<std::string>& arguments, const std::string& message) {
    const Outcome outcome = solve(arguments);
    EXPECT_EQ(outcome.status, 2) << message;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(contains(outcome.err, message)) << outcome.err;
  };
  expect_refused({"seqential"}, "did you mean sequential?");
  expect_refused({"sequential", "--cone", "pyramid"}, "--cone: found pyramid, which sequential does not do");
  expect_refused({"sequential", "--cone", "octagon"}, "octagon");
  expect_refused({"sequential", "--set", "iterations"}, "expected key=value");
  expect_refused({"sequential", "--set", "iterations=-1"}, "iterations");
  expect_refused({"sequential", "--set", "sweeps=3"}, "Options of sequential");
  expect_refused({"sequential", "--tolerance", "-1"}, "--tolerance");
  expect_refused({"sequential", "--tolerance", "nan"}, "--tolerance");
  expect_refused({"frictionless"}, "contacts[0] asks for friction, which this solver does not do");
}

TEST_F(Solve, ANormalThatIsNotQuiteUnitIsNotedAndTaken) {
  Json problem = without_restitution();
  problem["contacts"][0]["normal"] = {0, 0, 1.0000005};
  write(problem);
  const Outcome outcome = solve({"sequential", "--json"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(contains(outcome.err, "normalised")) << outcome.err;
  EXPECT_NEAR(Json::parse(outcome.out)["impulses"][0][2], 4.0, 1e-6);
}

TEST_F(Solve, TextNamesEverythingAPersonWouldAskFor) {
  write(without_restitution());
  const Outcome outcome = solve({"sequential"});
  for (const char* part : {"sequential: 2 bodies, 1 contact,", "solved", "residual, Coulomb", "energy after", "v_ref"})
    EXPECT_TRUE(contains(outcome.out, part)) << part << "\n" << outcome.out;
}

}  // namespace
}  // namespace carom::test
