#include "study/validate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "study/kind.h"

namespace carom {
namespace {

KeyResult judge(ScoreMode mode, const CaseValue& measured, const CaseValue& expected, Real good) {
  return compare({"k", mode, good, "any suite", expected}, measured);
}

using List = std::vector<Real>;

TEST(ValidateModes, RelIsTheLargestRelativeErrorOfAComponent) {
  EXPECT_NEAR(*judge(ScoreMode::Rel, 1.1, 1.0, 0.2).error, 0.1, 1e-15);
  EXPECT_NEAR(*judge(ScoreMode::Rel, List{1, 12}, List{1, 10}, 0.1).error, 0.2, 1e-15);
  EXPECT_NEAR(*judge(ScoreMode::Rel, 1e-3, 0.0, 0.1).error, 1e-3, 1e-18) << "nothing to be relative to";
}

TEST(ValidateModes, AbsIsTheLargestErrorOfAComponent) {
  EXPECT_NEAR(*judge(ScoreMode::Abs, List{1, -2, 3}, List{1, 2, 3.5}, 1).error, 4, 1e-15);
}

TEST(ValidateModes, RelVecComparesLengths) {
  EXPECT_NEAR(*judge(ScoreMode::RelVec, List{3, 4.5}, List{3, 4}, 1).error, 0.1, 1e-15);
}

TEST(ValidateModes, ExactTakesNumbersWordsAndTruth) {
  EXPECT_EQ(judge(ScoreMode::Exact, std::string("tips"), std::string("tips"), 0).verdict, Verdict::Pass);
  EXPECT_EQ(judge(ScoreMode::Exact, std::string("tips"), std::string("slides"), 0).verdict, Verdict::Miss);
  EXPECT_EQ(judge(ScoreMode::Exact, true, true, 0).verdict, Verdict::Pass);
  EXPECT_EQ(judge(ScoreMode::Exact, 3.0, 4.0, 0).verdict, Verdict::Miss);
  EXPECT_EQ(judge(ScoreMode::Exact, 1.0, true, 0).verdict, Verdict::Miss);
}

TEST(ValidateModes, QuatIsAnAngleWhateverTheSign) {
  const Real half = 0.05;
  const List turned{std::cos(half), std::sin(half), 0, 0}, same{-1, 0, 0, 0};
  EXPECT_NEAR(*judge(ScoreMode::Quat, turned, same, 1).error, 0.1, 1e-15);
}

TEST(ValidateModes, LeComparesTheValueItself) {
  EXPECT_EQ(judge(ScoreMode::Le, 0.01, 0.5, 0.02).verdict, Verdict::Pass);
  EXPECT_EQ(judge(ScoreMode::Le, 0.03, 0.5, 0.02).verdict, Verdict::Miss);
}

TEST(ValidateModes, JambAsksThatTheLawHasNoAnswer) {
  EXPECT_EQ(judge(ScoreMode::Jamb, std::string(kJamb), std::string("why"), 0).verdict, Verdict::Pass);
  EXPECT_EQ(judge(ScoreMode::Jamb, List{1, 2, 3}, std::string("why"), 0).verdict, Verdict::Miss);
  EXPECT_EQ(judge(ScoreMode::RelVec, std::string(kJamb), List{1, 2, 3}, 1e9).verdict, Verdict::Miss);
}

TEST(ValidateModes, WhatIsNotANumberOrHasAnotherSizeMisses) {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_EQ(judge(ScoreMode::Abs, nan, 1.0, 1e9).verdict, Verdict::Miss);
  EXPECT_EQ(judge(ScoreMode::Abs, List{1, nan, 1}, List{1, 1, 1}, 1e9).verdict, Verdict::Miss);
  EXPECT_EQ(judge(ScoreMode::RelVec, List{1, nan}, List{1, 1}, 1e9).verdict, Verdict::Miss);
  EXPECT_EQ(judge(ScoreMode::Abs, List{1, 2}, List{1, 2, 3}, 1e9).verdict, Verdict::Miss);
  EXPECT_EQ(judge(ScoreMode::Le, nan, 1.0, 1e9).verdict, Verdict::Miss);
  EXPECT_EQ(judge(ScoreMode::Quat, List{1, 0}, List{1, 0}, 1e9).verdict, Verdict::Miss);
}

TEST(ValidateModes, WithoutAMeasuredOrAnExpectedValueNothingCounts) {
  const CaseScore known{"k", ScoreMode::Abs, 1, "", 1.0}, unknown{"k", ScoreMode::Abs, 1, "", {}};
  EXPECT_EQ(compare(known, std::nullopt).verdict, Verdict::Unsupported);
  const std::optional<CaseValue> one(1.0);
  EXPECT_EQ(compare(unknown, one).verdict, Verdict::Measured);
}

TEST(Validate, ASceneThatTheTimeLimitEndsIsAMissAndSaysSo) {
  ValidateSettings settings;
  settings.kind = "freefall";
  settings.suite = "exact";
  settings.time_limit = 1e-9;
  const Result<std::vector<CaseResult>> results = validate(settings);
  ASSERT_TRUE(results) << results.message();
  ASSERT_FALSE(results.value().empty());
  EXPECT_TRUE(results.value()[0].gave_up);
  EXPECT_EQ(results.value()[0].verdict(), Verdict::Miss);
  EXPECT_NE(validation_text(results.value()).find("gave up at the time limit"), std::string::npos);
}

TEST(Validate, ACaseMissesIfOneKeyDoes) {
  CaseResult result;
  EXPECT_EQ(result.verdict(), Verdict::Unsupported);
  const auto with = [&](Verdict verdict) {
    KeyResult key;
    key.verdict = verdict;
    result.results.push_back(key);
    return result.verdict();
  };
  EXPECT_EQ(with(Verdict::Unsupported), Verdict::Unsupported);
  EXPECT_EQ(with(Verdict::Measured), Verdict::Measured);
  EXPECT_EQ(with(Verdict::Pass), Verdict::Pass);
  EXPECT_EQ(with(Verdict::Miss), Verdict::Miss);
}

TEST(Validate, ACaseForAnotherSuiteIsTriedWithThatOneUnlessASuiteIsAskedFor) {
  ValidateSettings settings;
  settings.kind = "revival";
  const Result<std::vector<CaseResult>> results = validate(settings);
  ASSERT_TRUE(results) << results.message();
  ASSERT_FALSE(results.value().empty());
  for (const CaseResult& result : results.value()) {
    EXPECT_EQ(result.suite, "schmidl") << result.id;
    EXPECT_EQ(result.verdict(), Verdict::Pass) << result.id;
  }
  settings.suite = "exact";
  const Result<std::vector<CaseResult>> with_exact = validate(settings);
  ASSERT_TRUE(with_exact) << with_exact.message();
  for (const CaseResult& result : with_exact.value()) EXPECT_EQ(result.verdict(), Verdict::Unsupported) << result.id;
}

TEST(Validate, KindsHaveDifferentNames) {
  for (const KindInfo& kind : kind_registry()) EXPECT_EQ(find_kind(kind.name), &kind);
}

}  // namespace
}  // namespace carom
