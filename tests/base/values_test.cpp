// Small values: handles, results, errors, the state hash, the stopwatch.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>
#include <thread>

#include "base/state_hash.h"
#include "base/stopwatch.h"
#include "carom/base/error.h"
#include "carom/base/handle.h"

namespace carom {
namespace {

TEST(Handle, DefaultIsNullAndNothingElseIs) {
  EXPECT_FALSE(BodyHandle{});
  EXPECT_FALSE((BodyHandle{0, 7}));
  EXPECT_TRUE((BodyHandle{1, 0}));
  EXPECT_EQ(BodyHandle{}, BodyHandle{});
}

TEST(Handle, GenerationTellsSuccessorsOfASlotApart) {
  EXPECT_NE((BodyHandle{3, 0}), (BodyHandle{3, 1}));
  EXPECT_EQ((BodyHandle{3, 1}), (BodyHandle{3, 1}));
  const std::set<BodyHandle> handles{{1, 0}, {1, 1}, {2, 0}, {1, 0}};
  EXPECT_EQ(handles.size(), 3U);
}

TEST(Result, HoldsAValue) {
  Result<int> result(5);
  EXPECT_TRUE(result);
  EXPECT_EQ(result.value(), 5);
  EXPECT_TRUE(result.message().empty());
}

TEST(Result, FailureHoldsItsMessageAndNoValue) {
  const auto result = Result<std::string>::failure("scene.json:3: bad");
  EXPECT_FALSE(result);
  EXPECT_EQ(result.message(), "scene.json:3: bad");
  EXPECT_THROW(result.value(), Error);
}

TEST(Error, CarriesTheMessage) {
  try {
    fail("World::step: dt must be positive");
    FAIL() << "fail returned";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "World::step: dt must be positive");
  }
  EXPECT_NO_THROW(require(true, "never"));
  EXPECT_THROW(require(false, "always"), Error);
}

std::uint64_t hash_of(std::initializer_list<double> values) {
  StateHash hash;
  for (const double value : values) hash.add(value);
  return hash.value();
}

TEST(StateHash, EqualInputGivesEqualHash) {
  EXPECT_EQ(hash_of({1.5, -2, 0}), hash_of({1.5, -2, 0}));
  EXPECT_EQ(hash_of({}), hash_of({}));
}

TEST(StateHash, LastBitOrderLengthAndSignOfZeroChangeIt) {
  EXPECT_NE(hash_of({1.0}), hash_of({std::nextafter(1.0, 2.0)}));
  EXPECT_NE(hash_of({1, 2}), hash_of({2, 1}));
  EXPECT_NE(hash_of({0}), hash_of({}));
  EXPECT_NE(hash_of({0}), hash_of({0, 0}));
  EXPECT_NE(hash_of({0.0}), hash_of({-0.0}));
}

TEST(StateHash, FlippingAnyBitOfAnyWordChangesItInAboutHalfItsBits) {
  const std::uint64_t words[] = {0, 1, 0x3ff0000000000000ULL, ~0ULL};
  const auto hash_words = [&](std::size_t flipped_word, int bit) {
    StateHash hash;
    for (std::size_t i = 0; i < std::size(words); ++i)
      hash.add(i == flipped_word ? words[i] ^ std::uint64_t{1} << bit : words[i]);
    return hash.value();
  };
  StateHash plain;
  for (const std::uint64_t word : words) plain.add(word);
  int changed_bits = 0;
  for (std::size_t i = 0; i < std::size(words); ++i) {
    for (int bit = 0; bit < 64; ++bit) {
      const int changed = std::popcount(plain.value() ^ hash_words(i, bit));
      EXPECT_GT(changed, 8);  // 64 coin tosses give 8 heads or fewer once in 1e9
      changed_bits += changed;
    }
  }
  // The mean of 256 × 64 fair tosses is 32 ± 0.25 a hash; six deviations either side.
  EXPECT_NEAR(changed_bits / 256.0, 32, 1.5);
}

TEST(Stopwatch, LapsAddUpAndStartAnew) {
  Stopwatch watch;
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_GE(watch.lap(), 0.002);
  EXPECT_GE(watch.lap(), 0);
}

}  // namespace
}  // namespace carom
