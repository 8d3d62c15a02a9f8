#include "study/validate_matrix.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace carom {
namespace {

CaseResult result(const std::string& id, const std::optional<std::string>& suite, Verdict verdict) {
  CaseResult made;
  made.id = id;
  made.kind = id + "_kind";
  made.suite = suite;
  KeyResult key;
  key.key = "height";
  key.measured = 2.0;
  key.expected = 1.0;
  key.error = 1.0;
  key.good = 0.1;
  key.verdict = verdict;
  made.results = {key};
  return made;
}

std::vector<CaseResult> two_suites() {
  return {result("A", std::nullopt, Verdict::Pass), result("B", "first", Verdict::Pass),
          result("B", "second", Verdict::Miss),     result("C", "first", Verdict::Unsupported),
          result("C", "second", Verdict::Pass),     result("D", "first", Verdict::Measured),
          result("D", "second", Verdict::Measured)};
}

TEST(SuiteMatrix, HasARowForEachCaseThatRanWithSuites) {
  const SuiteMatrix matrix = suite_matrix(two_suites());
  EXPECT_EQ(matrix.suites, (std::vector<std::string>{"first", "second"}));
  ASSERT_EQ(matrix.rows.size(), 3U);
  EXPECT_EQ(matrix.rows[0].id, "B");
  EXPECT_EQ(matrix.rows[0].cells[1], Verdict::Miss);
}

TEST(SuiteMatrix, CountsOnlyWhatWasTriedAndCompared) {
  const SuiteMatrix matrix = suite_matrix(two_suites());
  EXPECT_EQ(matrix.passed(0), 1);
  EXPECT_EQ(matrix.tried(0), 1);
  EXPECT_EQ(matrix.passed(1), 1);
  EXPECT_EQ(matrix.tried(1), 2);
}

TEST(SuiteMatrix, TheMostParticularReasonIsGiven) {
  const std::vector<MissReason> reasons{
      {"B_kind", "*", "any"}, {"B_kind", "second", "of the kind"}, {"B", "*", "of the case"}};
  const std::string text = matrix_markdown(two_suites(), reasons);
  EXPECT_NE(text.find("| of the case |"), std::string::npos) << text;
  EXPECT_EQ(text.find("of the kind"), std::string::npos) << text;
  EXPECT_NE(matrix_markdown(two_suites(), {}).find("not explained yet"), std::string::npos);
}

TEST(SuiteMatrix, EveryFormHoldsEveryCase) {
  for (const std::string& text : {matrix_text(two_suites()), matrix_html(two_suites()), validation_text(two_suites())})
    for (const char* id : {"B", "C", "D", "first", "second"}) EXPECT_NE(text.find(id), std::string::npos) << text;
}

TEST(MissReasons, ABadFileIsRefusedWithThePlace) {
  const std::string path = (std::filesystem::temp_directory_path() / "carom_reasons_test.json").string();
  std::ofstream(path) << R"([{"case": "B", "suite": "*", "why": "so"}, {"case": "C", "suite": 3, "why": "so"}])";
  const auto reasons = load_reasons(path);
  std::filesystem::remove(path);
  ASSERT_FALSE(reasons);
  EXPECT_NE(reasons.message().find("[1].suite"), std::string::npos) << reasons.message();
}

}  // namespace
}  // namespace carom
