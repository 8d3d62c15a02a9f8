// A convex polyhedron: its vertices, edges and faces, and which of them border each other.
//
// Closest-feature walks, clipping and mass properties all read this one structure. Faces are whole: coplanar facets are
// one face, so that no edge lies inside a flat side.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "carom/base/error.h"
#include "carom/math/types.h"

namespace carom {

class Polyhedron {
 public:
  /// Borders `left`, which sees it run counter-clockwise from tail to head, and `right`, which sees it run back.
  struct Edge {
    std::int32_t tail = 0, head = 0;   // vertices
    std::int32_t left = 0, right = 0;  // faces
  };
  /// The solid lies where dot(normal, x) ≤ offset: no vertex lies above, and the highest lies on it.
  struct Face {
    Vec3 normal;  // unit, outward
    Real offset = 0;
  };

  /// From faces as loops of vertices, counter-clockwise seen from outside. Requires a closed convex surface in which
  /// every edge borders two faces and every vertex is used; planes are fitted to the loops (Newell).
  Polyhedron(std::vector<Vec3> vertices, std::span<const std::vector<std::int32_t>> loops);
  /// As above, with a message where the loops make no such surface.
  static Result<std::shared_ptr<const Polyhedron>> make(std::vector<Vec3> vertices,
                                                        std::span<const std::vector<std::int32_t>> loops);
  /// Centred, axes along the frame's.
  static Polyhedron box(const Vec3& half_size);

  std::span<const Vec3> vertices() const { return vertices_; }
  std::span<const Edge> edges() const { return edges_; }
  std::span<const Face> faces() const { return faces_; }

  /// Counter-clockwise seen from outside.
  std::span<const std::int32_t> face_vertices(std::int32_t face) const { return face_vertices_.of(face); }
  /// The k-th edge joins the k-th of the face's vertices to the next.
  std::span<const std::int32_t> face_edges(std::int32_t face) const { return face_edges_.of(face); }
  /// The edges that meet in a vertex, in order round it.
  std::span<const std::int32_t> vertex_edges(std::int32_t vertex) const { return vertex_edges_.of(vertex); }

  /// The vertex at the other end of an edge.
  std::int32_t other_end(std::int32_t edge, std::int32_t vertex) const {
    const Edge& e = edges_[static_cast<std::size_t>(edge)];
    return e.tail == vertex ? e.head : e.tail;
  }

  /// A vertex that lies farthest in a direction, found by climbing from neighbour to neighbour: a few steps where
  /// `start` is the answer to a similar question.
  std::int32_t farthest_vertex(const Vec3& direction, std::int32_t start = 0) const;

 private:
  /// Lists of varying length, one after the other.
  struct Lists {
    std::vector<std::int32_t> items;
    std::vector<std::int32_t> begins;  // one more than there are lists
    std::span<const std::int32_t> of(std::int32_t list) const {
      const auto begin = static_cast<std::size_t>(begins[static_cast<std::size_t>(list)]);
      return {items.data() + begin, static_cast<std::size_t>(begins[static_cast<std::size_t>(list) + 1]) - begin};
    }
  };

  Polyhedron() = default;
  // Each says what is wrong, or null.
  const char* build(std::vector<Vec3> vertices, std::span<const std::vector<std::int32_t>> loops);
  const char* add_face(const std::vector<std::int32_t>& loop);
  const char* join_edges();
  const char* order_edges_around_vertices();
  void raise_faces();

  std::vector<Vec3> vertices_;
  std::vector<Edge> edges_;
  std::vector<Face> faces_;
  Lists face_vertices_, face_edges_, vertex_edges_;
};

}  // namespace carom
