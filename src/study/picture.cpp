#include "study/picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "carom/base/error.h"
#include "geometry/bounds.h"
#include "io/palette.h"
#include "io/shape_mesh.h"
#include "io/walls.h"

namespace carom {
namespace {

constexpr std::array<int, 3> kFrozen{0x9F, 0xC4, 0xE8};
constexpr std::array<int, 3> kGround{0xD3, 0xD6, 0xDA};  // lighter than the palette's stone: most of a picture is floor
constexpr Real kMargin = 0.06;                           // of the picture, around what is shown

/// A parallel projection. Places are in units of the picture, y down; depth grows towards the eye, in metres.
class Camera {
 public:
  Camera(const PictureView& view, const std::vector<std::pair<Vec3, Real>>& shown) : view_(view) {
    const Real az = view.azimuth * std::numbers::pi / 180, el = view.elevation * std::numbers::pi / 180;
    towards_ = {std::cos(el) * std::cos(az), std::cos(el) * std::sin(az), std::sin(el)};
    right_ = {-std::sin(az), std::cos(az), 0};
    up_ = cross(towards_, right_);
    Real low_x = 1e300, high_x = -1e300, low_y = 1e300, high_y = -1e300;
    for (const auto& [centre, radius] : shown) {
      const Real x = dot(right_, centre), y = dot(up_, centre);
      low_x = std::min(low_x, x - radius), high_x = std::max(high_x, x + radius);
      low_y = std::min(low_y, y - radius), high_y = std::max(high_y, y + radius);
    }
    const Real room = 1 - 2 * kMargin;
    scale_ = std::min(room * view.width / std::max(high_x - low_x, 1e-9),
                      room * view.height / std::max(high_y - low_y, 1e-9));
    middle_x_ = 0.5 * (low_x + high_x);
    middle_y_ = 0.5 * (low_y + high_y);
  }

  Real x(const Vec3& p) const { return 0.5 * view_.width + scale_ * (dot(right_, p) - middle_x_); }
  Real y(const Vec3& p) const { return 0.5 * view_.height - scale_ * (dot(up_, p) - middle_y_); }
  Real depth(const Vec3& p) const { return dot(towards_, p); }
  Real scale() const { return scale_; }
  const Vec3& towards() const { return towards_; }
  /// Over the eye's left shoulder.
  Vec3 light() const { return normalized(towards_ - 0.6 * right_ + 0.9 * up_); }
  /// m: what the picture is wide, for planes without end.
  Real extent() const { return (view_.width + view_.height) / scale_; }
  Vec3 middle() const { return middle_x_ * right_ + middle_y_ * up_; }

 private:
  PictureView view_;
  Vec3 towards_, right_, up_;
  Real scale_ = 1, middle_x_ = 0, middle_y_ = 0;
};

std::string colour_text(const std::array<int, 3>& rgb, Real shade) {
  std::array<int, 3> c{};
  for (std::size_t i = 0; i < 3; ++i)
    c[i] =
        std::clamp(static_cast<int>(std::lround(shade <= 1 ? rgb[i] * shade : 255 - (255 - rgb[i]) / shade)), 0, 255);
  return fmt::format("#{:02x}{:02x}{:02x}", c[0], c[1], c[2]);
}

std::array<int, 3> palette_rgb(std::size_t colour) {
  const auto& c = palette()[colour].srgb;
  return {c[0], c[1], c[2]};
}

/// What is drawn of one body at one moment.
struct Drawn {
  const CastBody* body = nullptr;
  Pose pose;  // of the shape's frame
  std::array<int, 3> rgb{};
  bool glass = false;
  Real depth = 0;
};

std::string draw_ball(const Sphere& sphere, const Drawn& drawn, const Camera& camera) {
  // The gradient's name is its colour: pictures on one page that share it share what it looks like.
  const std::string name = colour_text(drawn.rgb, 1).substr(1);
  const Real r = camera.scale() * sphere.radius;
  return fmt::format(
      "<radialGradient id=\"g{0}\" cx=\"0.36\" cy=\"0.28\" r=\"0.85\"><stop offset=\"0\" stop-color=\"{1}\"/>"
      "<stop offset=\"0.45\" stop-color=\"{2}\"/><stop offset=\"1\" stop-color=\"{3}\"/></radialGradient>"
      "<circle cx=\"{4:.1f}\" cy=\"{5:.1f}\" r=\"{6:.1f}\" fill=\"url(#g{0})\"/>\n",
      name, colour_text(drawn.rgb, 2.2), colour_text(drawn.rgb, 1), colour_text(drawn.rgb, 0.55),
      camera.x(drawn.pose.position), camera.y(drawn.pose.position), r);
}

/// The triangles of a mesh that are seen, those of one flat side as one polygon where they follow each other as a fan.
std::string draw_mesh(const Drawn& drawn, const Camera& camera) {
  MeshDetail detail;
  detail.plane_extent = camera.extent();
  detail.round_steps = 6;
  const ShapeMesh mesh = make_mesh(*drawn.body->shape, detail);
  std::vector<Vec3> points;
  points.reserve(mesh.positions.size());
  for (const auto& p : mesh.positions)
    points.push_back(drawn.pose.position + rotate(drawn.pose.orientation, {p[0], p[1], p[2]}));
  std::string text;
  std::vector<std::uint32_t> loop;
  Vec3 normal;
  const auto flush = [&] {
    if (loop.empty()) return;
    if (dot(normal, camera.towards()) > 1e-6 || drawn.glass) {
      const Real shade = 0.58 + 0.46 * std::max(0.0, dot(normal, camera.light()));
      const std::string colour = colour_text(drawn.rgb, shade);
      text += "<polygon points=\"";
      for (const std::uint32_t i : loop)
        text += fmt::format("{:.1f},{:.1f} ", camera.x(points[i]), camera.y(points[i]));
      text.back() = '"';
      // A line of the same colour closes the seams between neighbours.
      text += drawn.glass ? " class=\"glass\"/>\n" : fmt::format(" fill=\"{0}\" stroke=\"{0}\"/>\n", colour);
    }
    loop.clear();
  };
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vec3 n = normalized(cross(points[b] - points[a], points[c] - points[a]));
    if (!loop.empty() && a == loop.front() && b == loop.back() && dot(n, normal) > 0.9999) {
      loop.push_back(c);
      continue;
    }
    flush();
    loop = {a, b, c};
    normal = n;
  }
  flush();
  return text;
}

std::string draw(const Drawn& drawn, const Camera& camera) {
  const auto* ball = std::get_if<Sphere>(&drawn.body->shape->geometry());
  return ball != nullptr ? draw_ball(*ball, drawn, camera) : draw_mesh(drawn, camera);
}

/// A plane is drawn as a square around what is shown.
Pose plane_pose(const Plane& plane, const Pose& pose, const Camera& camera) {
  const Vec3 normal = rotate(pose.orientation, plane.normal);
  const Vec3 middle = camera.middle() - pose.position;
  return {pose.position + middle - dot(normal, middle) * normal, pose.orientation};
}

}  // namespace

Picture::Picture(const World& world) : cast_(make_cast(world)) {}

void Picture::add_moment(const World& world, Real strength) {
  Moment& moment = moments_.emplace_back();
  capture(world, false, moment.frame);
  moment.strength = strength;
}

void Picture::add_path(std::vector<Vec3> points, std::size_t body) { paths_.push_back({std::move(points), body}); }

std::string Picture::svg(const PictureView& view) const {
  require(!moments_.empty(), "Picture::svg: a moment must have been added");
  std::vector<std::pair<Vec3, Real>> shown;
  if (view.shown) {
    const auto& [low, high] = *view.shown;
    for (int corner = 0; corner < 8; ++corner)
      shown.push_back(
          {{(corner & 1) != 0 ? high.x : low.x, (corner & 2) != 0 ? high.y : low.y, (corner & 4) != 0 ? high.z : low.z},
           0});
  } else {
    for (const Moment& moment : moments_)
      for (std::size_t i = 0; i < cast_.bodies.size(); ++i)
        if (cast_.bodies[i].type != BodyType::Fixed)
          shown.emplace_back(moment.frame.bodies[i].position, bounding_radius(cast_.bodies[i].shape->geometry()));
  }
  const Camera camera(view, shown);
  PoseTracks tracks(cast_);
  for (const Moment& moment : moments_) tracks.add(moment.frame);
  const std::vector<bool> walls = find_walls(cast_, tracks);
  const std::vector<std::size_t> colours = body_colours(cast_);

  const auto layer = [&](const Moment& moment, BodyType type) {
    std::vector<Drawn> bodies;
    for (std::size_t i = 0; i < cast_.bodies.size(); ++i) {
      const CastBody& body = cast_.bodies[i];
      if (body.type != type) continue;
      Drawn drawn{&body, shape_pose(body, moment.frame.bodies[i]), palette_rgb(colours[i]), walls[i], 0};
      if (type == BodyType::Fixed) drawn.rgb = kGround;
      if (view.frozen_blue && type == BodyType::Dynamic)
        drawn.rgb = moment.frame.frozen[i] != 0 ? kFrozen : palette_rgb(colours[i]);
      if (const auto* plane = std::get_if<Plane>(&body.shape->geometry()))
        drawn.pose = plane_pose(*plane, drawn.pose, camera);
      // A plane has no end, and so is behind whatever lies on it.
      drawn.depth = std::holds_alternative<Plane>(body.shape->geometry())
                        ? -std::numeric_limits<Real>::infinity()
                        : camera.depth(moment.frame.bodies[i].position);
      bodies.push_back(drawn);
    }
    std::ranges::stable_sort(bodies, {}, &Drawn::depth);
    std::string text;
    for (const Drawn& drawn : bodies) text += draw(drawn, camera);
    return text;
  };

  std::string text = fmt::format(
      "<svg class=\"picture\" viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" stroke-width=\"0.7\" "
      "stroke-linejoin=\"round\">\n<style>.glass {{ fill: #7fa6bd; fill-opacity: 0.06; stroke: #6f8fa3; "
      "stroke-opacity: 0.6; }}</style><rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#eef1f4\"/>\n",
      view.width, view.height);
  // What carries bodies (a platter, a belt) is drawn once and under their ways.
  text += layer(moments_.back(), BodyType::Fixed) + layer(moments_.back(), BodyType::Kinematic);
  for (const Path& path : paths_) {
    text += fmt::format("<polyline fill=\"none\" stroke-width=\"1.6\" stroke=\"{}\" points=\"",
                        colour_text(palette_rgb(colours[path.body]), 0.8));
    for (const Vec3& p : path.points) text += fmt::format("{:.1f},{:.1f} ", camera.x(p), camera.y(p));
    text += "\"/>\n";
  }
  for (const Moment& moment : moments_) {
    const std::string bodies = layer(moment, BodyType::Dynamic);
    text += moment.strength < 1 ? fmt::format("<g opacity=\"{:.2f}\">{}</g>\n", moment.strength, bodies) : bodies;
  }
  return text + "</svg>\n";
}

}  // namespace carom
