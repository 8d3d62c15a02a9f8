// `carom validate` as a user sees it.
#include <gtest/gtest.h>

#include "contact_commands.h"
#include "program.h"

namespace carom::test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

Json shipped_cases() { return Json::parse(read_file(fs::path(CAROM_SCENES_DIR) / "../cases/cases.json")); }

/// Measured values by id and key.
std::map<std::string, Json> measured(const std::string& out) {
  std::map<std::string, Json> values;
  for (const Json& result : Json::parse(out))
    for (const Json& key : result["results"])
      values[result["id"].get<std::string>() + " " + key["key"].get<std::string>()] = key["measured"];
  return values;
}

/// Impacts and the executive toy: what needs no scene.
const std::vector<std::string>& contact_kinds() {
  static const std::vector<std::string> kinds{"impact3d",    "impact_planar", "impact3d_rod", "impact_sphere",
                                              "impact_box",  "painleve",      "office_toy",   "contact_qp",
                                              "qp_artifact", "lcp_plank"};
  return kinds;
}

TEST(Validate, EveryImpactAndEveryContactProblemIsGood) {
  const TemporaryFolder folder;
  int keys = 0;
  for (const std::string& kind : contact_kinds()) {
    const Outcome outcome = run_program({"validate", "--kind", kind, "--json"}, folder.path());
    EXPECT_EQ(outcome.status, 0) << outcome.out;
    for (const Json& result : Json::parse(outcome.out)) {
      EXPECT_EQ(result["kind"], kind);
      EXPECT_EQ(result["pass"], true) << result;
      for (const Json& key : result["results"]) {
        EXPECT_EQ(key["pass"], true) << key;
        EXPECT_LE(key["error"].get<double>(), key["good"].get<double>()) << key;
        ++keys;
      }
    }
  }
  // 23 impacts under six laws, two keys of the rod; four rows of balls by two methods; six optima in pyramid and cone,
  // linear and angular; two of the slider; two planks with two supports.
  EXPECT_EQ(keys, 23 * 6 + 2 + 4 * 2 + 6 * 4 + 2 + 2 * 2);
  EXPECT_TRUE(folder.is_empty());
}

/// Nothing is looked up: the same values come out where nothing is known.
TEST(Validate, MeasuresTheSameWithoutExpectedValues) {
  const TemporaryFolder folder;
  Json cases = shipped_cases();
  Json bare = cases;
  for (Json& entry : bare["cases"]) entry.erase("expected");
  write_json(folder.file("cases.json"), cases);
  write_json(folder.file("bare.json"), bare);
  std::vector<std::string> kinds = contact_kinds();
  kinds.insert(kinds.end(), {"freefall", "free_body", "incline_stop", "bowling", "tip_or_slide", "overhang",
                             "terrain_jump", "coin_disk", "rattleback"});
  for (const std::string& kind : kinds) {
    const Outcome known = run_program({"validate", "cases.json", "--kind", kind, "--json"}, folder.path());
    const Outcome unknown = run_program({"validate", "bare.json", "--kind", kind, "--json"}, folder.path());
    EXPECT_EQ(unknown.status, 0);
    EXPECT_EQ(measured(known.out), measured(unknown.out));
    for (const Json& result : Json::parse(unknown.out)) EXPECT_TRUE(result["pass"].is_null());
  }
}

/// Answers follow the setup: with one speed changed, the stored answer is missed.
TEST(Validate, AMissIsReportedAndEndsWithOne) {
  const TemporaryFolder folder;
  Json cases = shipped_cases();
  Json one = {{"schema", "carom-cases-1"}, {"cases", {cases["cases"][0]}}};
  one["cases"][0]["setup"]["body1"]["v"][2] = -2.5;
  write_json(folder.file("c.json"), one);
  const Outcome outcome = run_program({"validate", "c.json"}, folder.path());
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(contains(outcome.out, "0 passed, 1 missed")) << outcome.out;
}

TEST(Validate, WithoutScoresEverythingMeasuredIsPrinted) {
  const TemporaryFolder folder;
  Json entry = shipped_cases()["cases"][0];
  entry.erase("score");
  entry.erase("expected");
  write_json(folder.file("c.json"), {{"schema", "carom-cases-1"}, {"cases", {entry}}});
  const Outcome outcome = run_program({"validate", "c.json", "--json"}, folder.path());
  EXPECT_EQ(outcome.status, 0);
  const auto values = measured(outcome.out);
  for (const char* key : {"A-3D-02 poisson.p", "A-3D-02 stronge.dE", "A-3D-02 poisson.after.body2.w"})
    EXPECT_TRUE(values.contains(key)) << key;
}

/// Of the kinds that run a scene these hold with the default suite; each says so once a suite.
TEST(Validate, OneBodyOnAPlaneIsGoodWithTheDefaultSuite) {
  const TemporaryFolder folder;
  for (const char* kind :
       {"freefall", "free_body", "incline_stop", "isotropy", "tip_or_slide", "roll_incline", "bowling"}) {
    const Outcome outcome = run_program({"validate", "--kind", kind, "--suite", "sequential", "--json"}, folder.path());
    EXPECT_EQ(outcome.status, 0) << outcome.out;
    for (const Json& result : Json::parse(outcome.out)) {
      EXPECT_EQ(result["suite"], "sequential");
      EXPECT_EQ(result["pass"], true) << result;
    }
  }
}

TEST(Validate, ScenesThatWereRunRunAgain) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program({"validate", "--kind", "isotropy", "--artifacts", "runs", "--json"}, folder.path()).status, 0);
  const Outcome again =
      run_program({"run", "runs/E-ISO-2.exact.scene.json", "--trajectory", "t.csv", "--json"}, folder.path());
  ASSERT_EQ(again.status, 0) << again.err;
  const std::vector<std::string> kept = lines_of(read_file(folder.file("runs/E-ISO-2.exact.trajectory.csv"))),
                                 repeated = lines_of(read_file(folder.file("t.csv")));
  EXPECT_EQ(kept.front(), repeated.front());
  EXPECT_EQ(kept.at(2), repeated.at(2));
}

TEST(Validate, KindsThatDoNotExistYetAreListedAndDoNotCount) {
  const TemporaryFolder folder;
  const Json entry = {{"id", "X-1"}, {"kind", "levitation"}, {"setup", Json::object()}};
  write_json(folder.file("c.json"), {{"schema", "carom-cases-1"}, {"cases", {entry}}});
  const Outcome outcome = run_program({"validate", "c.json"}, folder.path());
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(contains(outcome.out, "not supported yet, not counted:\n  X-1  levitation")) << outcome.out;
}

TEST(Validate, ArtifactsRunAgainThroughTheirOwnCommand) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program(
      {"validate", "--kind", "impact_box", "--artifacts", "runs", "--html", "v.html", "--json"}, folder.path());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Outcome again =
      run_program({"impact", "runs/A-BOX-1.impact.json", "--law", "stronge", "--json"}, folder.path());
  ASSERT_EQ(again.status, 0) << again.err;
  const Json direct = measured(outcome.out).at("A-BOX-1 stronge.p"), repeated = Json::parse(again.out)["impulse"];
  // The file holds masses in place of their inverses: round-off.
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(direct[i], repeated[i], 1e-13);
  EXPECT_TRUE(fs::exists(folder.file("runs/A-BOX-1.stronge.csv")));
  const std::string page = read_file(folder.file("v.html"));
  EXPECT_TRUE(contains(page, "A-BOX-2"));
  EXPECT_FALSE(contains(page, "<script"));
}

TEST(Validate, IdsCannotLeadOutOfTheFolderOfArtifacts) {
  const TemporaryFolder folder;
  Json entry = shipped_cases()["cases"][0];
  entry["id"] = "../escaped";
  write_json(folder.file("c.json"), {{"schema", "carom-cases-1"}, {"cases", {entry}}});
  EXPECT_EQ(run_program({"validate", "c.json", "--artifacts", "runs"}, folder.path()).status, 0);
  EXPECT_FALSE(fs::exists(folder.file("escaped.impact.json")));
  EXPECT_TRUE(fs::exists(folder.file("runs/_._escaped.impact.json")));
}

TEST(Validate, BadCasesAreRefusedWithTheirPathAndNothingIsWritten) {
  struct Broken {
    const char* pointer;  // where
    Json value;           // null: taken away
    const char* message;
  };
  const Broken table[] = {
      {"/schema", "carom-cases-2", "schema: found the string \"carom-cases-2\", expected one of carom-cases-1"},
      {"/cases/0/kind", Json(), "cases[0].kind: found nothing"},
      {"/cases/0/colour", "red", "cases[0].colour: found the unknown key"},
      {"/cases/0/score/0/mode", "near", "cases[0].score[0].mode: found the string \"near\""},
      {"/cases/0/score/0/good", -1, "cases[0].score[0].good: found -1"},
      {"/cases/0/setup", "none", "cases[0].setup: found the string \"none\", expected an object"},
      {"/cases/0/setup/mu", -0.5, "cases[0].setup.mu: found -0.5"},
      {"/cases/0/setup/e", Json(), "cases[0].setup.e: found nothing"},
      {"/cases/0/setup/body1/m", 0, "cases[0].setup.body1.m: found 0, expected a positive number"},
      {"/cases/0/setup/body1/I", {1, 2, 3}, "cases[0].setup.body1.I[0]: found 1"},
  };
  for (const Broken& broken : table) {
    const TemporaryFolder input, folder;
    Json file = {{"schema", "carom-cases-1"}, {"cases", {shipped_cases()["cases"][0]}}};
    const Json::json_pointer pointer(broken.pointer);
    if (broken.value.is_null())
      file[pointer.parent_pointer()].erase(pointer.back());
    else
      file[pointer] = broken.value;
    write_json(input.file("c.json"), file);
    const Outcome outcome = run_program(
        {"validate", input.file("c.json"), "--html", "v.html", "--artifacts", "runs", "--json"}, folder.path());
    EXPECT_EQ(outcome.status, 2) << broken.pointer;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(contains(outcome.err, "c.json: " + std::string(broken.message))) << outcome.err;
    EXPECT_TRUE(folder.is_empty()) << broken.pointer;
  }
}

TEST(Validate, AllSuitesMakeAMatrixInEveryForm) {
  const TemporaryFolder folder;
  write_json(folder.file("r.json"), Json::array());
  const Outcome outcome = run_program({"validate", "--kind", "freefall", "--suite", "all", "--html", "v.html",
                                       "--markdown", "m.md", "--reasons", "r.json"},
                                      folder.path());
  const std::string suites = run_program({"suites"}, folder.path()).out;
  const Outcome all = run_program({"validate", "--kind", "freefall", "--suite", "all", "--json"}, folder.path());
  for (const Json& result : Json::parse(all.out)) {
    const std::string suite = result["suite"];
    EXPECT_TRUE(contains(suites, suite)) << suite;
    for (const std::string& text : {outcome.out, read_file(folder.file("v.html")), read_file(folder.file("m.md"))}) {
      EXPECT_TRUE(contains(text, suite)) << text;
      EXPECT_TRUE(contains(text, "E-FALL-1")) << text;
    }
  }
}

TEST(Validate, BadReasonsAreRefusedBeforeAnythingRuns) {
  const TemporaryFolder folder;
  write_json(folder.file("r.json"), {{{"case", "E-FALL-1"}}});
  const Outcome outcome =
      run_program({"validate", "--suite", "all", "--markdown", "m.md", "--reasons", "r.json"}, folder.path());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(contains(outcome.err, "r.json: [0].suite: found nothing")) << outcome.err;
  EXPECT_FALSE(fs::exists(folder.file("m.md")));
}

/// A body that never stops has no stopping distance: that is a miss, not a part that does not exist.
TEST(Validate, WhatARunDoesNotShowIsAMiss) {
  const TemporaryFolder folder;
  Json cases = shipped_cases();
  Json one = {{"schema", "carom-cases-1"}, {"cases", Json::array()}};
  for (const Json& entry : cases["cases"])
    if (entry["id"] == "E-LAD-1") one["cases"].push_back(entry);
  one["cases"][0]["setup"]["g"] = 0;  // nothing pulls it down, and it never leaves the wall
  write_json(folder.file("c.json"), one);
  const Outcome outcome = run_program({"validate", "c.json", "--json"}, folder.path());
  EXPECT_EQ(outcome.status, 1);
  for (const Json& key : Json::parse(outcome.out)[0]["results"]) {
    EXPECT_TRUE(key["measured"].is_null()) << key;
    EXPECT_EQ(key["pass"], false) << key;
  }
}

TEST(Validate, OptionsOfTheSuiteAreNamedBesideIt) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program(
      {"validate", "--kind", "freefall", "--set", "integrator=euler", "--set", "law=poisson", "--json"}, folder.path());
  for (const Json& result : Json::parse(outcome.out)) {
    EXPECT_EQ(result["suite"], "exact integrator=euler, law=poisson");
    EXPECT_EQ(result["pass"], false) << "a first-order step misses the parabola";
  }
  const Outcome unknown = run_program({"validate", "--set", "colour=red"}, folder.path());
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(contains(unknown.err, "--set: exact: ")) << unknown.err;
  EXPECT_EQ(run_program({"validate", "--set", "law"}, folder.path()).status, 2);
}

TEST(Validate, RefusesUnknownKindsAndSuites) {
  const TemporaryFolder folder;
  const Outcome kind = run_program({"validate", "--kind", "impact2d"}, folder.path());
  EXPECT_EQ(kind.status, 2);
  EXPECT_TRUE(contains(kind.err, "did you mean impact3d?")) << kind.err;
  EXPECT_EQ(run_program({"validate", "--suite", "sequentail"}, folder.path()).status, 2);
}

}  // namespace
}  // namespace carom::test
