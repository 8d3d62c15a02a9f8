#include "io/scenery.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "io/shape_key.h"
#include "io/walls.h"

namespace carom {
namespace {

/// As a share of a box's smallest width: enough to catch light, too little to be taken for the shape.
constexpr Real kEdgeRadius = 0.03;

std::string kind(const Shape& shape) {
  constexpr std::array<const char*, std::variant_size_v<Shape::Geometry>> kNames{
      "sphere", "box", "capsule", "plane", "cylinder", "cone", "ellipsoid", "hull", "compound"};
  return kNames[shape.geometry().index()];
}

}  // namespace

Scenery make_scenery(const Cast& cast, const PoseTracks& tracks) {
  std::map<std::pair<std::string, bool>, std::size_t> meshes;
  std::map<std::size_t, std::size_t> colours;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> prototypes;
  std::map<std::string, int> numbers;
  const std::vector<std::size_t> colours_of_bodies = body_colours(cast);
  const std::vector<bool> walls = find_walls(cast, tracks);
  const Real plane_extent = std::max(1.0, 1.5 * tracks.reach());

  Scenery scenery;
  for (std::size_t i = 0; i < cast.bodies.size(); ++i) {
    const Shape& shape = *cast.bodies[i].shape;
    // Fixed boxes are floors and walls that meet at their edges: rounded ones would leave grooves.
    const bool rounded = std::holds_alternative<Box>(shape.geometry()) && cast.bodies[i].type != BodyType::Fixed;
    const auto [mesh, is_new_mesh] = meshes.try_emplace({shape_key(shape), rounded}, scenery.meshes.size());
    if (is_new_mesh) {
      const int number = numbers[kind(shape)]++;
      scenery.meshes.push_back({number == 0 ? kind(shape) : kind(shape) + "_" + std::to_string(number),
                                make_mesh(shape, {rounded ? kEdgeRadius : 0, plane_extent})});
    }
    const std::size_t paint = walls[i] ? glass_colour() : colours_of_bodies[i];
    const auto [colour, is_new_colour] = colours.try_emplace(paint, scenery.colours.size());
    if (is_new_colour) scenery.colours.push_back(palette()[paint]);
    const auto [prototype, is_new] = prototypes.try_emplace({mesh->second, colour->second}, scenery.prototypes.size());
    if (is_new) scenery.prototypes.push_back({mesh->second, colour->second});
    scenery.prototype_of.push_back(prototype->second);
  }
  return scenery;
}

}  // namespace carom
