#include "io/replay_cast.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>

#include "io/replay_bytes.h"
#include "io/shape_key.h"
#include "io/shape_mesh.h"

namespace carom::replay {
namespace {

/// Of a box's smallest width. Light catches on the edges and stacked cubes can be told apart.
constexpr Real kEdgeRadius = 0.06;
/// Rounded edges of a scaled cube differ by this much at most.
constexpr Real kLongestShared = 2;

/// Steps in a quarter turn of so many round bodies: the more there are, the smaller each is on the screen, and the more
/// triangles they are all together.
int round_steps(int bodies) { return bodies > 300 ? 5 : (bodies > 30 ? 8 : 16); }

struct Form {
  Shape shape;
  std::array<float, 3> scale{1, 1, 1};
};

std::array<float, 3> scaled(Real x, Real y, Real z) {
  return {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
}

Form form_of(const Shape& shape) {
  if (const auto* sphere = std::get_if<Sphere>(&shape.geometry()))
    return {Shape(Sphere{1}), scaled(sphere->radius, sphere->radius, sphere->radius)};
  if (const auto* box = std::get_if<Box>(&shape.geometry())) {
    const Vec3 half = box->half_size;
    const auto [least, most] = std::minmax({half.x, half.y, half.z});
    if (most <= kLongestShared * least) return {Shape(Box{{1, 1, 1}}), scaled(half.x, half.y, half.z)};
  }
  if (const auto* ellipsoid = std::get_if<Ellipsoid>(&shape.geometry()))
    return {Shape(Sphere{1}), scaled(ellipsoid->radii.x, ellipsoid->radii.y, ellipsoid->radii.z)};
  if (const auto* cylinder = std::get_if<Cylinder>(&shape.geometry()))
    return {Shape(Cylinder{1, 1}), scaled(cylinder->radius, cylinder->radius, cylinder->half_height)};
  if (const auto* cone = std::get_if<Cone>(&shape.geometry()))
    return {Shape(Cone{1, 1}), scaled(cone->radius, cone->radius, cone->half_height)};
  return {shape, {1, 1, 1}};
}

}  // namespace

DrawnCast make_drawn_cast(const Cast& cast) {
  DrawnCast drawn;
  std::map<std::string, int> known;
  for (const CastBody& body : cast.bodies) {
    const Form form = form_of(*body.shape);
    const auto [entry, is_new] = known.try_emplace(shape_key(form.shape), static_cast<int>(drawn.meshes.size()));
    if (is_new) {
      drawn.meshes.push_back(form.shape);
      drawn.users.push_back(0);
    }
    ++drawn.users[static_cast<std::size_t>(entry->second)];
    drawn.bodies.push_back({entry->second, form.scale});
  }
  return drawn;
}

void append_meshes(const DrawnCast& drawn, Real plane_extent, std::string& out) {
  std::string content;
  put_u32(content, static_cast<std::uint32_t>(drawn.meshes.size()));
  for (std::size_t i = 0; i < drawn.meshes.size(); ++i) {
    const ShapeMesh mesh = make_mesh(drawn.meshes[i], {.edge_radius = kEdgeRadius,
                                                       .plane_extent = plane_extent,
                                                       .round_steps = round_steps(drawn.users[i]),
                                                       .edge_steps = 1});
    put_u32(content, static_cast<std::uint32_t>(mesh.positions.size()));
    put_u32(content, static_cast<std::uint32_t>(mesh.triangles.size()));
    std::vector<float> numbers;
    for (const auto& vectors : {mesh.positions, mesh.normals})
      for (const std::array<float, 3>& v : vectors) numbers.insert(numbers.end(), v.begin(), v.end());
    put_planes(content, std::span<const float>(numbers));
    for (const std::array<std::uint32_t, 3>& triangle : mesh.triangles)
      for (const std::uint32_t corner : triangle) put_u32(content, corner);
  }
  append_section(out, "MESH", content);
}

}  // namespace carom::replay
