// Depth of penetration of two convex cores.
//
// G. van den Bergen, "Proximity queries and penetration depth computation on 3D game objects", 2001 (expanding
// polytope). A polytope inside the difference B − A, which holds the origin, grows at the face nearest to the origin.
// That face bounds the depth from below, the support plane parallel to it from above; for polyhedra the two meet after
// finitely many steps. Faces carry inward normals n, so that levels n·w are signed distances: negative inside.
//
// The origin may lie outside by a little (cores that touch): the levels are then positive by that little.
#pragma once

#include <array>
#include <cstdint>

#include "geometry/simplex.h"

namespace carom {

class Epa {
 public:
  /// From a simplex that holds the origin, or nearly. Requires a pair whose difference has a volume.
  Epa(CorePair& pair, const Simplex& start);

  /// The face nearest to the origin: no direction separates the cores by more than its level.
  struct Nearest {
    Vec3 direction;  ///< unit, from A to B
    Real level = 0;
  };
  /// False once nothing can grow any more: the polytope is degenerate or full.
  bool good() const { return nearest_ >= 0; }
  Nearest nearest() const;
  /// The signed distance along the nearest face's direction: never more than its level.
  Real probe();
  /// Grows at the nearest face by the point that `probe` found last.
  void grow();
  /// Leaves the nearest face as it is and goes on to the next.
  void settle();

 private:
  static constexpr int kMostPoints = 256, kMostFaces = 512;

  struct Face {
    Vec3 normal;  // inward, unit
    Real level = 0;
    std::array<std::int16_t, 3> points{};      // counter-clockwise seen from outside
    std::array<std::int16_t, 3> neighbours{};  // the k-th across the edge from the k-th point to the next
    bool alive = false, settled = false;
  };
  /// An edge that the growing point sees from outside on one side only.
  struct HorizonEdge {
    std::int16_t from, to, outer;
    int outer_edge;
  };

  bool make_tetrahedron(const Simplex& start);
  void link_tetrahedron();
  int new_face(std::int16_t p, std::int16_t q, std::int16_t r);
  bool expand();
  bool collect_horizon(const Vec3& w);
  bool close_horizon(std::int16_t apex);
  void choose_nearest();
  Face& face(int i) { return faces_[static_cast<std::size_t>(i)]; }
  const Face& face(int i) const { return faces_[static_cast<std::size_t>(i)]; }
  const DifferencePoint& point(int i) const { return points_[static_cast<std::size_t>(i)]; }

  CorePair& pair_;
  std::array<DifferencePoint, kMostPoints> points_;
  std::array<Face, kMostFaces> faces_;
  std::array<HorizonEdge, kMostFaces> horizon_;
  std::array<std::int16_t, kMostFaces> stack_, dead_, free_;
  int point_count_ = 0, face_count_ = 0, horizon_count_ = 0, dead_count_ = 0, free_count_ = 0;
  int nearest_ = -1;
  DifferencePoint probed_;
};

}  // namespace carom
