#include "carom/io/cases_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "carom/io/schema.h"
#include "io/cases_keys.h"
#include "schema_validator.h"

namespace carom {
namespace {

using test::Json;

Json shipped() {
  std::ifstream file(std::filesystem::path(CAROM_SCENES_DIR) / "../cases/cases.json");
  return Json::parse(file);
}

TEST(CasesFile, TheShippedOneIsValid) {
  const test::SchemaValidator validator(Json::parse(cases_schema()));
  EXPECT_EQ(validator.check(shipped()), "");
}

TEST(CasesFile, TheBuiltInCasesAreTheShippedOnes) {
  const Result<CaseFile> cases = built_in_cases();
  ASSERT_TRUE(cases) << cases.message();
  const Json file = shipped();
  ASSERT_EQ(cases.value().cases.size(), file["cases"].size());
  EXPECT_EQ(cases.value().cases.size(), file["count"]);
  for (std::size_t i = 0; i < cases.value().cases.size(); ++i) {
    const ValidationCase& entry = cases.value().cases[i];
    EXPECT_EQ(entry.id, file["cases"][i]["id"].get<std::string>());
    EXPECT_EQ(entry.kind, file["cases"][i]["kind"].get<std::string>());
    EXPECT_EQ(entry.scores.size(), file["cases"][i]["score"].size());
    EXPECT_EQ(entry.dt.has_value(), file["cases"][i].contains("dt"));
    for (const CaseScore& score : entry.scores) EXPECT_TRUE(score.expected) << entry.id << " " << score.key;
  }
}

TEST(CasesFile, ExpectedValuesAreFoundByTheirDottedPath) {
  const Result<CaseFile> file =
      parse_cases(R"({"schema": "carom-cases-1", "cases": [{"id": "a", "kind": "k", "setup": {},
    "expected": {"x": 2.5, "deep": {"list": [1, [2, 3]], "word": "tips", "no": false}, "a.b": 7, "gone": null},
    "score": [{"key": "x", "mode": "rel", "good": 0.1}, {"key": "deep.list", "mode": "abs", "good": 0.1},
              {"key": "deep.word", "mode": "exact", "good": 0}, {"key": "deep.no", "mode": "exact", "good": 0},
              {"key": "a.b", "mode": "le", "good": 0.1}, {"key": "gone", "mode": "rel", "good": 0.1},
              {"key": "deep.nothing", "mode": "quat", "good": 0.1}]}]})",
                  "f");
  ASSERT_TRUE(file) << file.message();
  const std::vector<CaseScore>& scores = file.value().cases.at(0).scores;
  EXPECT_EQ(scores.at(0).expected, CaseValue(2.5));
  EXPECT_EQ(scores.at(1).expected, CaseValue(std::vector<Real>{1, 2, 3}));
  EXPECT_EQ(scores.at(2).expected, CaseValue(std::string("tips")));
  EXPECT_EQ(scores.at(3).expected, CaseValue(false));
  EXPECT_EQ(scores.at(4).expected, CaseValue(7.0));
  EXPECT_FALSE(scores.at(5).expected);
  EXPECT_FALSE(scores.at(6).expected);
  EXPECT_EQ(scores.at(6).mode, ScoreMode::Quat);
}

TEST(CasesFile, EveryModeHasItsName) {
  std::set<std::string> names;
  for (const ScoreMode mode : {ScoreMode::Rel, ScoreMode::Abs, ScoreMode::RelVec, ScoreMode::Exact, ScoreMode::Quat,
                               ScoreMode::Le, ScoreMode::Jamb})
    names.insert(score_mode_name(mode));
  EXPECT_EQ(names, std::set<std::string>(cases_keys::mode_names().begin(), cases_keys::mode_names().end()));
  EXPECT_STREQ(score_mode_name(ScoreMode::Le), "le");
  EXPECT_STREQ(score_mode_name(ScoreMode::Jamb), "jamb");
}

TEST(CasesFile, TheSameIdTwiceIsRefused) {
  const Result<CaseFile> file = parse_cases(R"({"schema": "carom-cases-1", "cases": [
    {"id": "a", "kind": "k", "setup": {}}, {"id": "a", "kind": "k", "setup": {}}]})",
                                            "f");
  ASSERT_FALSE(file);
  EXPECT_TRUE(file.message().starts_with("f: cases[1].id: ")) << file.message();
}

}  // namespace
}  // namespace carom
