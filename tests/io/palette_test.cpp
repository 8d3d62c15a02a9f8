#include "io/palette.h"

#include <gtest/gtest.h>

#include <set>

#include "io/export_run.h"

namespace carom {
namespace {

Cast dynamic_bodies(const std::vector<std::string>& names) {
  Cast cast;
  for (const std::string& name : names) test::add_body(cast, name, BodyType::Dynamic, Shape::sphere(1));
  return cast;
}

TEST(Palette, CopiesShareAColourWhereThereAreOthers) {
  const auto colours = body_colours(dynamic_bodies({"ruby[0]", "ruby[1]", "amber[0]", "ruby[2]"}));
  EXPECT_EQ(palette()[colours[0]].name, "ruby");
  EXPECT_EQ(palette()[colours[2]].name, "amber");
  EXPECT_EQ(colours[1], colours[0]);
  EXPECT_EQ(colours[3], colours[0]);
}

TEST(Palette, CopiesDifferWhereThereIsNothingElse) {
  const auto colours = body_colours(dynamic_bodies({"cube[0]", "cube[1]", "cube[2]"}));
  EXPECT_EQ(std::set(colours.begin(), colours.end()).size(), 3U);
}

TEST(Palette, BodiesThatFeelNothingAreNeutral) {
  Cast cast = dynamic_bodies({"a", "b", "c", "d", "e", "f", "g", "h", "i"});
  test::add_body(cast, "floor", BodyType::Fixed, Shape::box({1, 1, 1}));
  test::add_body(cast, "platter", BodyType::Kinematic, Shape::box({1, 1, 1}));
  const auto colours = body_colours(cast);
  EXPECT_EQ(palette()[colours[9]].name, "stone");
  EXPECT_EQ(palette()[colours[10]].name, "slate");
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_NE(colours[i], colours[9]);
    EXPECT_NE(colours[i], colours[10]);
  }
}

TEST(Palette, LightIsLinearInItsShares) {
  EXPECT_EQ((PaletteColour{"black and white", {0, 255, 0}}.linear()), (std::array<float, 3>{0, 1, 0}));
  // Half of white on the screen, 188 of 255, is half of the light, to the four digits kept and the byte's step.
  EXPECT_NEAR((PaletteColour{"grey", {188, 188, 188}}.linear()[0]), 0.5, 0.005);
}

}  // namespace
}  // namespace carom
