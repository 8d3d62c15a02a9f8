#include "io/closest.h"

#include <gtest/gtest.h>

namespace carom {
namespace {

const std::vector<std::string> kWords = {"mass", "density", "inertia", "cubejam", "cubeglass"};

TEST(Closest, FindsSlipsOfTheFinger) {
  EXPECT_EQ(did_you_mean("mas", kWords), "; did you mean mass?");
  EXPECT_EQ(did_you_mean("desnity", kWords), "; did you mean density?");
  EXPECT_EQ(did_you_mean("Inertia", kWords), "; did you mean inertia?");
}

TEST(Closest, TakesTheBeginningOfAWord) {
  EXPECT_EQ(closest_words("cube", kWords), (std::vector<std::string>{"cubejam", "cubeglass"}));
}

TEST(Closest, IsSilentWhereNothingIsClose) {
  EXPECT_EQ(did_you_mean("colour", kWords), "");
  EXPECT_EQ(did_you_mean("", kWords), "");
  EXPECT_EQ(did_you_mean(std::string(10'000, 'm'), kWords), "");
}

}  // namespace
}  // namespace carom
