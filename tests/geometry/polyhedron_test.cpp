#include "geometry/polyhedron.h"

#include <gtest/gtest.h>

#include "carom/base/error.h"

namespace carom {
namespace {

TEST(Polyhedron, BoxHasItsSixFacesTwelveEdgesAndEightCorners) {
  const Polyhedron box = Polyhedron::box({1, 2, 3});
  EXPECT_EQ(box.vertices().size(), 8u);
  EXPECT_EQ(box.edges().size(), 12u);
  ASSERT_EQ(box.faces().size(), 6u);
  for (std::int32_t f = 0; f < 6; ++f) {
    const Polyhedron::Face& face = box.faces()[static_cast<std::size_t>(f)];
    const int axis = f / 2;
    EXPECT_EQ(face.normal[axis], f % 2 == 0 ? -1 : 1);
    EXPECT_EQ(face.offset, axis + 1);
  }
}

TEST(Polyhedron, EdgesRunCounterClockwiseAroundTheirLeftFace) {
  const Polyhedron box = Polyhedron::box({1, 2, 3});
  const auto vertex = [&](std::int32_t v) { return box.vertices()[static_cast<std::size_t>(v)]; };
  for (const Polyhedron::Edge& e : box.edges()) {
    const Vec3 along = vertex(e.head) - vertex(e.tail);
    // The left face lies to the left of the edge, seen from outside.
    const Vec3 inward = cross(box.faces()[static_cast<std::size_t>(e.left)].normal, along);
    EXPECT_GT(dot(inward, -vertex(e.tail)), 0);
    const Vec3 right_inward = cross(box.faces()[static_cast<std::size_t>(e.right)].normal, -along);
    EXPECT_GT(dot(right_inward, -vertex(e.tail)), 0);
  }
}

TEST(Polyhedron, FaceEdgesJoinConsecutiveFaceVertices) {
  const Polyhedron box = Polyhedron::box({1, 1, 1});
  for (std::int32_t f = 0; f < 6; ++f) {
    const auto loop = box.face_vertices(f);
    const auto edges = box.face_edges(f);
    ASSERT_EQ(loop.size(), edges.size());
    for (std::size_t k = 0; k < loop.size(); ++k)
      EXPECT_EQ(box.other_end(edges[k], loop[k]), loop[(k + 1) % loop.size()]);
  }
}

TEST(Polyhedron, EdgesAroundAVertexShareAFaceWithTheNext) {
  const Polyhedron box = Polyhedron::box({1, 1, 1});
  for (std::int32_t v = 0; v < 8; ++v) {
    const auto ring = box.vertex_edges(v);
    ASSERT_EQ(ring.size(), 3u);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto& e = box.edges()[static_cast<std::size_t>(ring[k])];
      const auto& next = box.edges()[static_cast<std::size_t>(ring[(k + 1) % 3])];
      EXPECT_TRUE(e.left == next.left || e.left == next.right || e.right == next.left || e.right == next.right);
    }
  }
}

TEST(Polyhedron, ClimbingFindsTheFarthestVertexFromAnywhere) {
  const Polyhedron box = Polyhedron::box({1, 2, 3});
  for (std::int32_t start = 0; start < 8; ++start) EXPECT_EQ(box.farthest_vertex({1, -1, 1}, start), 5);
}

TEST(Polyhedron, OpenSurfacesAreRefused) {
  const std::vector<std::int32_t> triangle[] = {{0, 1, 2}};
  EXPECT_THROW(Polyhedron({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, triangle), Error);
}

}  // namespace
}  // namespace carom
