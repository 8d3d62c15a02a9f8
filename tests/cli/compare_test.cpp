// `carom compare` as a user sees it.
#include <gtest/gtest.h>

#include "contact_commands.h"
#include "program.h"

namespace carom::test {
namespace {

using Json = nlohmann::json;

std::vector<std::string> registered_solvers() {
  std::vector<std::string> names;
  for (const std::string& line : lines_of(run_program({"solvers"}, "/").out))
    if (!line.empty() && line.front() != ' ') names.push_back(line);
  return names;
}

TEST(Compare, ListsEverySolverWithItsErrorsOrItsRefusal) {
  const TemporaryFolder folder;
  write_json(folder.file("p.problem.json"), falling_ball());
  const Outcome outcome = run_program({"compare", "p.problem.json", "--json"}, folder.path());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json answer = Json::parse(outcome.out);
  EXPECT_EQ(answer["restitution_acts"], true);
  std::vector<std::string> names;
  for (const Json& row : answer["solvers"]) {
    names.push_back(row["solver"]);
    if (row.contains("refusal")) continue;
    EXPECT_TRUE(row["residual_coulomb"].is_null()) << row;
    EXPECT_NEAR(row["kinetic_energy_before"], 13.0, 1e-12);
    EXPECT_LT(row["kinetic_energy_after"], 13.0);
    EXPECT_LT(row["momentum_error"], 1e-12) << "one contact with the ground leaves nothing unexplained";
    EXPECT_GE(row["seconds"], 0);
  }
  EXPECT_EQ(names, registered_solvers());
  EXPECT_TRUE(contains(outcome.out, "asks for friction"));
}

TEST(Compare, PageHasACurveASolverAndNeedsNothingElse) {
  const TemporaryFolder folder;
  Json problem = falling_ball();
  problem["contacts"][0]["restitution"] = 0;
  write_json(folder.file("p.problem.json"), problem);
  const Outcome outcome =
      run_program({"compare", "p.problem.json", "--solvers", "sequential,pq", "--html", "c.html"}, folder.path());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "wrote c.html"));
  const std::string page = read_file(folder.file("c.html"));
  EXPECT_TRUE(contains(page, "<svg"));
  EXPECT_TRUE(contains(page, "prefers-color-scheme: dark"));
  for (const char* name : {">sequential</text>", ">pq</text>", "<title>sequential: "})
    EXPECT_TRUE(contains(page, name)) << name;
  for (const char* foreign : {"<script", "http://", "https://", "shock"})
    EXPECT_FALSE(contains(page, foreign)) << foreign;
}

TEST(Compare, RefusesUnknownSolvers) {
  const TemporaryFolder folder;
  write_json(folder.file("p.problem.json"), falling_ball());
  const Outcome outcome = run_program({"compare", "p.problem.json", "--solvers", "pq,shok"}, folder.path());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(contains(outcome.err, "did you mean shock?")) << outcome.err;
}

}  // namespace
}  // namespace carom::test
