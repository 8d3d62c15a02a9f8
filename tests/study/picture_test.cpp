#include "study/picture.h"

#include <gtest/gtest.h>

#include "carom/geometry/shape.h"

namespace carom {
namespace {

BodyHandle add_ball(World& world, const Vec3& position, const char* name) {
  BodyDef def;
  def.name = name;
  def.type = BodyType::Dynamic;
  def.shape = Shape::sphere(0.5);
  def.mass = 1;
  def.pose.position = position;
  return world.add_body(def);
}

/// Where the centres of balls are drawn, in the order of drawing.
std::vector<std::pair<double, double>> circles(const std::string& svg) {
  std::vector<std::pair<double, double>> found;
  for (std::size_t at = svg.find("<circle"); at != std::string::npos; at = svg.find("<circle", at + 1)) {
    const std::size_t x = svg.find("cx=\"", at) + 4, y = svg.find("cy=\"", at) + 4;
    found.emplace_back(std::stod(svg.substr(x)), std::stod(svg.substr(y)));
  }
  return found;
}

TEST(Picture, NearerBodiesAreDrawnOverFartherOnes) {
  World world;
  add_ball(world, {0, 0, 0}, "near");  // the eye looks from +x
  add_ball(world, {-3, 0.2, 0}, "far");
  Picture picture(world);
  picture.add_moment(world);
  const auto drawn = circles(picture.svg({.azimuth = 0, .elevation = 0}));
  ASSERT_EQ(drawn.size(), 2U);
  // Seen from +x, +y is to the right: the far one comes first.
  EXPECT_GT(drawn[0].first, drawn[1].first);
}

TEST(Picture, UpIsUpAndEverythingShownIsInside) {
  World world;
  add_ball(world, {0, 0, 5}, "high");
  add_ball(world, {0, 40, 0}, "low");
  Picture picture(world);
  picture.add_moment(world);
  const PictureView view{.azimuth = 0, .elevation = 0};
  const auto drawn = circles(picture.svg(view));
  ASSERT_EQ(drawn.size(), 2U);
  EXPECT_LT(drawn[0].second, drawn[1].second);
  for (const auto& [x, y] : drawn) {
    EXPECT_TRUE(x > 0 && x < view.width && y > 0 && y < view.height) << x << ' ' << y;
  }
}

TEST(Picture, EarlierMomentsAreFaint) {
  World world({.gravity = {0, 0, 0}});
  const BodyHandle ball = add_ball(world, {0, 0, 0}, "ball");
  Picture picture(world);
  picture.add_moment(world, 0.25);
  world.set_velocity(ball, {1, 0, 0}, {});
  for (int i = 0; i < 10; ++i) world.step(0.1);
  picture.add_moment(world);
  picture.add_path({{0, 0, 0}, {1, 0, 0}}, 0);
  const std::string svg = picture.svg();
  EXPECT_EQ(circles(svg).size(), 2U);
  EXPECT_NE(svg.find("<g opacity=\"0.25\">"), std::string::npos);
  EXPECT_NE(svg.find("<polyline"), std::string::npos);
}

/// Three sides of a cube are seen, each as one polygon.
TEST(Picture, ABoxShowsThreeSides) {
  World world;
  BodyDef def;
  def.type = BodyType::Dynamic;
  def.shape = Shape::box({1, 1, 1});
  def.mass = 1;
  world.add_body(def);
  Picture picture(world);
  picture.add_moment(world);
  const std::string svg = picture.svg();
  std::size_t polygons = 0;
  for (std::size_t at = svg.find("<polygon"); at != std::string::npos; at = svg.find("<polygon", at + 1)) ++polygons;
  EXPECT_EQ(polygons, 3U);
}

/// What turns under a ball would otherwise cover its earlier places and its way.
TEST(Picture, WhatCarriesBodiesIsDrawnOnceAndUnderTheirWays) {
  World world;
  BodyDef platter;
  platter.type = BodyType::Kinematic;
  platter.shape = Shape::box({4, 4, 0.2});
  platter.pose.position.z = -0.6;
  world.add_body(platter);
  add_ball(world, {0, 0, 0}, "ball");
  Picture picture(world);
  picture.add_moment(world, 0.25);
  picture.add_moment(world);
  picture.add_path({{0, 0, 0}, {1, 0, 0}}, 1);
  const std::string svg = picture.svg();
  EXPECT_EQ(circles(svg).size(), 2U);
  const std::size_t way = svg.find("<polyline");
  ASSERT_NE(way, std::string::npos);
  EXPECT_LT(svg.find("<polygon"), way);
  EXPECT_EQ(svg.find("<polygon", way), std::string::npos);
}

}  // namespace
}  // namespace carom
