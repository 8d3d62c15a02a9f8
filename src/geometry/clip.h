// Clipping of a small convex polygon by half spaces, with ids that say which edges meet in a vertex.
#pragma once

#include <array>

#include "carom/math/types.h"

namespace carom {

/// A vertex and the ids of the edges that enter and leave it: stable names for contact points.
struct ClipVertex {
  Vec3 point;
  unsigned char edge_in = 0, edge_out = 0;
};

/// Room for a quadrilateral clipped by four planes.
struct ClipPolygon {
  std::array<ClipVertex, 8> vertices;
  int count = 0;
};

/// Keeps the part where dot(normal, x) ≤ offset; the new edge gets the id `plane_id`. Vertices beyond the plane by no
/// more than `tolerance` stay as they are, so that nearly aligned edges do not give two points where one is meant.
inline ClipPolygon clip(const ClipPolygon& polygon, const Vec3& normal, Real offset, Real tolerance,
                        unsigned char plane_id) {
  ClipPolygon out;
  const auto push = [&out](const ClipVertex& v) {
    if (out.count < 8) out.vertices[static_cast<std::size_t>(out.count++)] = v;
  };
  for (int i = 0; i < polygon.count; ++i) {
    const ClipVertex& p = polygon.vertices[static_cast<std::size_t>(i)];
    const ClipVertex& q = polygon.vertices[static_cast<std::size_t>((i + 1) % polygon.count)];
    const Real dp = dot(normal, p.point) - offset, dq = dot(normal, q.point) - offset;
    const bool p_in = dp <= tolerance, q_in = dq <= tolerance;
    if (p_in) push(p);
    // Cut only edges that really cross: one end beyond the tolerance, the other short of the plane.
    if (p_in != q_in && dp * dq < 0) {
      const Vec3 cut = p.point + (dp / (dp - dq)) * (q.point - p.point);
      // Leaving the half space the polygon turns onto the plane's edge; entering it comes from there.
      push(dp < 0 ? ClipVertex{cut, p.edge_out, plane_id} : ClipVertex{cut, plane_id, p.edge_out});
    }
  }
  return out;
}

}  // namespace carom
