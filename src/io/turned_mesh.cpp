#include "io/mesh_builder.h"

namespace carom {
namespace {

struct Direction {
  Real x = 0, y = 0;
};

/// Round the axis, counter-clockwise; the quarters are exact.
std::vector<Direction> circle(int steps) {
  const std::vector<SinCos> turn = quarter_turn(steps);
  std::vector<Direction> directions;
  for (int quarter = 0; quarter < 4; ++quarter)
    for (int i = 0; i < steps; ++i) {
      const Real c = turn[static_cast<std::size_t>(i)].cosine, s = turn[static_cast<std::size_t>(i)].sine;
      const Direction quarters[] = {{c, s}, {-s, c}, {-c, -s}, {s, -c}};
      directions.push_back(quarters[quarter]);
    }
  return directions;
}

}  // namespace

ShapeMesh turned_mesh(Real bottom, Real top, Real half_height, int steps) {
  const std::vector<Direction> directions = circle(steps);
  // The side's normal in the plane of a direction and the axis.
  const Vec3 slant = normalized(Vec3{2 * half_height, 0, bottom - top});
  const auto normal = [&](const Direction& d) { return Vec3{slant.x * d.x, slant.x * d.y, slant.z}; };

  MeshBuilder builder;
  std::vector<std::uint32_t> low, high, floor, roof;
  for (std::size_t i = 0; i < directions.size(); ++i) {
    const Direction d = directions[i], next = directions[(i + 1) % directions.size()];
    low.push_back(builder.vertex({bottom * d.x, bottom * d.y, -half_height}, normal(d)));
    // An apex has a normal for each of the triangles that meet there.
    const Vec3 above = top > 0 ? normal(d) : normalized(normal(d) + normal(next));
    high.push_back(builder.vertex({top * d.x, top * d.y, half_height}, above));
    floor.push_back(builder.vertex({bottom * d.x, bottom * d.y, -half_height}, {0, 0, -1}));
    if (top > 0) roof.push_back(builder.vertex({top * d.x, top * d.y, half_height}, {0, 0, 1}));
  }
  for (std::size_t i = 0; i < directions.size(); ++i) {
    const std::size_t next = (i + 1) % directions.size();
    if (top > 0)
      builder.quad(low[i], low[next], high[next], high[i]);
    else
      builder.triangle(low[i], low[next], high[i]);
  }
  builder.fan({floor.rbegin(), floor.rend()});
  builder.fan(roof);
  return builder.take();
}

}  // namespace carom
