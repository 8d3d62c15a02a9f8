// `carom impact` as a user sees it.
#include <gtest/gtest.h>

#include "contact_commands.h"
#include "program.h"

namespace carom::test {
namespace {

using Json = nlohmann::json;

/// A rod whose end is ahead of its centre: friction against the slip presses it into the ground.
Json jamming_rod() {
  return Json::parse(R"({
    "carom_impact": 1,
    "bodies": [{"mass": 1, "inertia": [[0.0833, 0, 0], [0, 0.0833, 0], [0, 0, 0.0833]], "velocity": [1, 0, -0.1],
                "angular_velocity": [0, 0, 0]}, {"fixed": true}],
    "contacts": [{"a": 1, "b": 0, "normal": [0, 0, 1], "rb": [0.2236, 0, -0.4472], "friction": 1.8, "restitution": 0.4}]})");
}

class Impact : public ::testing::Test {
 protected:
  void write(const Json& impact) const { write_json(folder_.file("i.impact.json"), impact); }
  Outcome impact(const std::string& law, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"impact", "i.impact.json", "--law", law};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, folder_.path());
  }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

TEST_F(Impact, EveryLawGivesTheClosedFormOfABall) {
  write(falling_ball());
  // K is diagonal, so all laws agree: j_n = (1 + e) m |v_n| = 6, j_t = min(μ j_n, 2 m s / 7) = 1.2.
  for (const char* law : {"newton", "newton_eq5", "newton_eq6", "poisson", "stronge"}) {
    const Outcome outcome = impact(law, {"--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const Json answer = Json::parse(outcome.out);
    constexpr double kRoundOff = 1e-12;
    EXPECT_NEAR(answer["impulse"][2], 6.0, kRoundOff) << law;
    EXPECT_NEAR(answer["impulse"][0], -1.2, kRoundOff) << law;
    EXPECT_NEAR(answer["velocities"][0][2], 1.0, kRoundOff) << law;
    EXPECT_NEAR(answer["velocities"][0][0], 2.4, kRoundOff) << law;
    EXPECT_NEAR(answer["angular_velocities"][0][1], 15.0, 10 * kRoundOff) << law;
    EXPECT_EQ(answer["velocities"][1], Json({0.0, 0.0, 0.0})) << law;
    EXPECT_EQ(answer["modes"], Json({"slide"})) << law;
    EXPECT_NEAR(answer["compression_impulse"], 4.0, kRoundOff) << law;
    double work = 0;
    for (const auto& [part, joules] : answer["work"].items()) work += joules.get<double>();
    EXPECT_EQ(answer["work"].size(), 4U);
    EXPECT_NEAR(work, answer["energy_change"].get<double>(), 10 * kRoundOff) << law;
  }
}

TEST_F(Impact, AProblemWithOneContactIsAnImpact) {
  Json problem = falling_ball();
  problem["dt"] = 0.01;
  problem["gravity"] = 9.81;
  write(problem);
  EXPECT_EQ(impact("poisson").status, 0);
}

TEST_F(Impact, ALawWithoutAnAnswerSaysSoAndEndsWithOne) {
  write(jamming_rod());
  const Outcome outcome = impact("newton_eq6", {"--json", "--trace", "t.csv"});
  EXPECT_EQ(outcome.status, 1);
  const Json answer = Json::parse(outcome.out);
  EXPECT_EQ(answer["applies"], false);
  EXPECT_TRUE(answer["impulse"].is_null());
  EXPECT_EQ(answer["modes"], Json({"jamb"}));
  EXPECT_FALSE(std::filesystem::exists(folder().file("t.csv")));
  EXPECT_TRUE(contains(impact("newton_eq6").out, "does not apply"));
  EXPECT_EQ(Json::parse(impact("poisson", {"--json"}).out)["modes"][0], "jamb");
}

TEST_F(Impact, TraceLeadsFromTheStartToTheOutcome) {
  write(jamming_rod());
  const Outcome outcome = impact("stronge", {"--json", "--trace", "t.csv"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json answer = Json::parse(outcome.out);
  const std::vector<std::string> lines = lines_of(read_file(folder().file("t.csv")));
  ASSERT_GT(lines.size(), 3U);
  EXPECT_EQ(lines.front(), "pn,px,py,pz,ux,uy,uz");
  EXPECT_EQ(fields_of(lines[1])[0], "0");
  EXPECT_NEAR(std::stod(fields_of(lines[1])[6]), -0.1, 1e-15);
  double last = -1;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const double pn = std::stod(fields_of(lines[i])[0]);
    EXPECT_GE(pn, last);
    last = pn;
  }
  // Round-off of the last step of the path.
  EXPECT_NEAR(std::stod(fields_of(lines.back())[3]), answer["impulse"][2].get<double>(), 1e-12);
  EXPECT_NEAR(std::stod(fields_of(lines.back())[6]), answer["relative_velocity"][2].get<double>(), 1e-12);
}

TEST_F(Impact, BodiesThatDoNotApproachStayAsTheyAre) {
  Json ball = falling_ball();
  ball["bodies"][0]["velocity"] = {3, 0, 2};
  write(ball);
  const Json answer = Json::parse(impact("poisson", {"--json"}).out);
  EXPECT_EQ(answer["approaches"], false);
  EXPECT_EQ(answer["impulse"], Json({0.0, 0.0, 0.0}));
  EXPECT_EQ(answer["energy_change"], 0.0);
}

TEST_F(Impact, RefusesUnknownLawsAndToWriteOverItsInput) {
  write(falling_ball());
  EXPECT_EQ(impact("hertz").status, 2);
  const std::string before = read_file(folder().file("i.impact.json"));
  const Outcome outcome = impact("newton", {"--trace", "i.impact.json"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(read_file(folder().file("i.impact.json")), before);
  EXPECT_EQ(impact("newton", {"--trace", "no/such/folder/t.csv"}).status, 2);
}

}  // namespace
}  // namespace carom::test
