// What the triangles of shapes are put together with.
#pragma once

#include <array>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "io/shape_mesh.h"
#include "math/trig.h"

namespace carom {

inline std::array<float, 3> to_floats(const Vec3& v) {
  // Adding zero turns -0 into 0, so that equal points have equal bits.
  return {static_cast<float>(v.x + 0.0), static_cast<float>(v.y + 0.0), static_cast<float>(v.z + 0.0)};
}

class MeshBuilder {
 public:
  std::uint32_t vertex(const Vec3& position, const Vec3& normal) {
    mesh_.positions.push_back(to_floats(position));
    mesh_.normals.push_back(to_floats(normal));
    return static_cast<std::uint32_t>(mesh_.positions.size() - 1);
  }
  void triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) { mesh_.triangles.push_back({a, b, c}); }
  /// Corners counter-clockwise, one triangle where two neighbours are the same.
  void quad(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    if (a != b && b != c) triangle(a, b, c);
    if (a != d && d != c) triangle(a, c, d);
  }
  /// A convex polygon, corners counter-clockwise.
  void fan(const std::vector<std::uint32_t>& loop) {
    for (std::size_t k = 1; k + 1 < loop.size(); ++k) triangle(loop[0], loop[k], loop[k + 1]);
  }
  ShapeMesh take() { return std::move(mesh_); }

 private:
  ShapeMesh mesh_;
};

/// Cosine and sine of the steps of a quarter turn, both ends included and exact.
inline std::vector<SinCos> quarter_turn(int steps) {
  std::vector<SinCos> turn{{0, 1}};
  for (int i = 1; i < steps; ++i) turn.push_back(sin_cos(i * std::numbers::pi / (2 * static_cast<Real>(steps))));
  turn.push_back({1, 0});
  return turn;
}

/// A solid of revolution about z, from a disc at the bottom to one at the top, or to a point where `top` is zero. Flat
/// ends, a smooth side.
ShapeMesh turned_mesh(Real bottom, Real top, Real half_height, int steps);

}  // namespace carom
