// Convex hulls of points, by Qhull.
#pragma once

#include <memory>
#include <span>

#include "carom/base/error.h"
#include "geometry/polyhedron.h"

namespace carom {

/// The hull of any points, or what is wrong with them. Its vertices are points of the input, bit for bit and in their
/// order; facets that are flat to `kFlat` of the size are one face. Time n log n, memory proportional to n.
Result<std::shared_ptr<const Polyhedron>> make_hull(std::span<const Vec3> points);

/// Of the size (the largest width along an axis): what counts as flat. It is far above rounding, so that a cube whose
/// corners carry noise in the last digits still has six faces, and below what a distance query is asked to resolve.
/// Where the points carry noise of just that size, ten times as much is tried, and so on up to 1e-7.
inline constexpr Real kFlat = 1e-11;
/// Of the size: points that are not spread wider than this in every direction have no hull that can collide.
inline constexpr Real kThinnest = 1e-8;

}  // namespace carom
