// Options: what is taken, what is refused, and what the refusal says.
#include "carom/base/options.h"

#include <gtest/gtest.h>

#include <limits>

namespace carom {
namespace {

Options options() {
  return Options({
      {"iterations", 30.0, "largest number of sweeps", 1, 1000, true, {}},
      {"tolerance", 1e-6, "m/s", 0, 1, false, {}},
      {"scale", 2.0, "no upper bound", 0.5, 1e300, false, {}},
      {"warm_start", true, "start from the last impulses", 0, 0, false, {}},
      {"cone", std::string("circle"), "shape of the cone", 0, 0, false, {"circle", "pyramid"}},
  });
}

TEST(Options, StartAtTheirDefaults) {
  const Options o = options();
  EXPECT_EQ(o.integer("iterations"), 30);
  EXPECT_EQ(o.number("tolerance"), 1e-6);
  EXPECT_TRUE(o.flag("warm_start"));
  EXPECT_EQ(o.word("cone"), "circle");
}

TEST(Options, TakeValuesInRangeBoundsIncluded) {
  Options o = options();
  for (const double value : {1.0, 17.0, 1000.0}) {
    EXPECT_EQ(o.set("iterations", value), "");
    EXPECT_EQ(o.number("iterations"), value);
  }
  EXPECT_EQ(o.set("tolerance", 0.0), "");
  EXPECT_EQ(o.set("tolerance", 1.0), "");
  EXPECT_EQ(o.set("warm_start", false), "");
  EXPECT_FALSE(o.flag("warm_start"));
  EXPECT_EQ(o.set("cone", std::string("pyramid")), "");
  EXPECT_EQ(o.word("cone"), "pyramid");
}

TEST(Options, RefusedValueLeavesTheOldOne) {
  Options o = options();
  EXPECT_NE(o.set("iterations", 0.0), "");
  EXPECT_NE(o.set("iterations", 1001.0), "");
  EXPECT_NE(o.set("iterations", 2.5), "");
  EXPECT_NE(o.set("iterations", true), "");
  EXPECT_NE(o.set("iterations", std::string("30")), "");
  EXPECT_EQ(o.number("iterations"), 30);
  EXPECT_NE(o.set("cone", std::string("sphere")), "");
  EXPECT_NE(o.set("cone", 1.0), "");
  EXPECT_EQ(o.word("cone"), "circle");
}

TEST(Options, NumbersThatAreNotFiniteAreRefused) {
  Options o = options();
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()}) {
    for (const char* name : {"iterations", "tolerance", "scale"}) EXPECT_NE(o.set(name, value), "") << name << value;
  }
  for (const char* text : {"nan", "inf", "-inf", "1e999"}) EXPECT_NE(o.set_text("scale", text), "") << text;
}

TEST(Options, MessageNamesTheOptionAndWhatItTakes) {
  Options o = options();
  EXPECT_EQ(o.set("iterations", 0.0), "option 'iterations' expects a whole number from 1 to 1000");
  EXPECT_EQ(o.set("scale", 0.0), "option 'scale' expects a number from 0.5");
  EXPECT_EQ(o.set("warm_start", 1.0), "option 'warm_start' expects true or false");
  EXPECT_EQ(o.set("cone", std::string("x")), "option 'cone' expects one of circle pyramid");
}

TEST(Options, UnknownNameListsThoseThatExist) {
  Options o = options();
  const std::string expected = "unknown option 'iteration'; there are: iterations tolerance scale warm_start cone";
  EXPECT_EQ(o.set("iteration", 1.0), expected);
  EXPECT_EQ(o.set_text("iteration", "1"), expected);
}

TEST(Options, TextGivesTheSameValues) {
  Options o = options();
  EXPECT_EQ(o.set_text("tolerance", "2.5e-3"), "");
  EXPECT_EQ(o.number("tolerance"), 2.5e-3);
  for (const char* yes : {"true", "1", "on"}) {
    EXPECT_EQ(o.set("warm_start", false), "");
    EXPECT_EQ(o.set_text("warm_start", yes), "");
    EXPECT_TRUE(o.flag("warm_start")) << yes;
  }
  for (const char* no : {"false", "0", "off"}) {
    EXPECT_EQ(o.set("warm_start", true), "");
    EXPECT_EQ(o.set_text("warm_start", no), "");
    EXPECT_FALSE(o.flag("warm_start")) << no;
  }
  EXPECT_EQ(o.set_text("cone", "pyramid"), "");
  EXPECT_EQ(o.word("cone"), "pyramid");
}

TEST(Options, TextThatIsNotWhollyANumberIsRefusedAndQuoted) {
  Options o = options();
  for (const char* text : {"", " 5", "5 ", "5x", "0x10", "five", "1,5"}) {
    const std::string message = o.set_text("iterations", text);
    EXPECT_EQ(message, "option 'iterations' expects a whole number from 1 to 1000, found '" + std::string(text) + "'");
  }
  EXPECT_NE(o.set_text("warm_start", "yes"), "");
  EXPECT_EQ(o.number("iterations"), 30);
}

TEST(Options, AskingForAnotherTypeOrNameThrows) {
  const Options o = options();
  EXPECT_THROW(o.number("cone"), Error);
  EXPECT_THROW(o.flag("iterations"), Error);
  EXPECT_THROW(o.word("warm_start"), Error);
  EXPECT_THROW(o.number("nothing"), Error);
}

}  // namespace
}  // namespace carom
