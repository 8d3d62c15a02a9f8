#include "geometry/polyhedron.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "carom/base/error.h"

namespace carom {

Polyhedron::Polyhedron(std::vector<Vec3> vertices, std::span<const std::vector<std::int32_t>> loops) {
  const char* problem = build(std::move(vertices), loops);
  if (problem != nullptr) fail(std::string("Polyhedron: ") + problem);
}

Result<std::shared_ptr<const Polyhedron>> Polyhedron::make(std::vector<Vec3> vertices,
                                                           std::span<const std::vector<std::int32_t>> loops) {
  // Not make_shared: the constructor that leaves it empty is private.
  const std::shared_ptr<Polyhedron> made(new Polyhedron);
  const char* problem = made->build(std::move(vertices), loops);
  if (problem != nullptr) return Result<std::shared_ptr<const Polyhedron>>::failure(problem);
  return std::shared_ptr<const Polyhedron>(made);
}

const char* Polyhedron::build(std::vector<Vec3> vertices, std::span<const std::vector<std::int32_t>> loops) {
  vertices_ = std::move(vertices);
  face_vertices_.begins.push_back(0);
  for (const std::vector<std::int32_t>& loop : loops)
    if (const char* problem = add_face(loop)) return problem;
  if (const char* problem = join_edges()) return problem;
  if (const char* problem = order_edges_around_vertices()) return problem;
  if (vertices_.size() + faces_.size() != edges_.size() + 2) return "a convex surface has no holes and is in one piece";
  raise_faces();
  return nullptr;
}

Polyhedron Polyhedron::box(const Vec3& h) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i)
    corners.push_back({(i & 1) != 0 ? h.x : -h.x, (i & 2) != 0 ? h.y : -h.y, (i & 4) != 0 ? h.z : -h.z});
  static const std::vector<std::int32_t> kLoops[] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                                     {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  return {std::move(corners), kLoops};
}

const char* Polyhedron::add_face(const std::vector<std::int32_t>& loop) {
  if (loop.size() < 3) return "a face needs three vertices";
  // Newell's sum over the loop is right for any polygon, flat up to rounding; taken about a vertex, so that a body far
  // from its frame's origin loses no digits.
  const auto at = [&](std::size_t k) { return vertices_[static_cast<std::size_t>(loop[k % loop.size()])]; };
  Vec3 area;
  for (std::size_t k = 1; k + 1 < loop.size(); ++k) area += cross(at(k) - at(0), at(k + 1) - at(0));
  if (!(squared_norm(area) > 0)) return "a face without area";
  Face face;
  face.normal = normalized(area);
  faces_.push_back(face);
  face_vertices_.items.insert(face_vertices_.items.end(), loop.begin(), loop.end());
  face_vertices_.begins.push_back(static_cast<std::int32_t>(face_vertices_.items.size()));
  return nullptr;
}

const char* Polyhedron::join_edges() {
  struct HalfEdge {
    std::int32_t low, high;  // vertices, in order of their numbers
    std::int32_t face, slot;
    bool forward;
  };
  std::vector<HalfEdge> halves;
  halves.reserve(face_vertices_.items.size());
  for (std::int32_t f = 0; f < static_cast<std::int32_t>(faces_.size()); ++f) {
    const std::span<const std::int32_t> loop = face_vertices(f);
    for (std::size_t k = 0; k < loop.size(); ++k) {
      const std::int32_t from = loop[k], to = loop[(k + 1) % loop.size()];
      const auto slot = face_vertices_.begins[static_cast<std::size_t>(f)] + static_cast<std::int32_t>(k);
      halves.push_back({std::min(from, to), std::max(from, to), f, slot, from < to});
    }
  }
  std::sort(halves.begin(), halves.end(), [](const HalfEdge& x, const HalfEdge& y) {
    return std::tie(x.low, x.high, y.forward) < std::tie(y.low, y.high, x.forward);
  });
  face_edges_.items.assign(halves.size(), -1);
  face_edges_.begins = face_vertices_.begins;
  if (halves.size() % 2 != 0) return "an edge must border two faces";
  for (std::size_t i = 0; i < halves.size(); i += 2) {
    const HalfEdge &forward = halves[i], &back = halves[i + 1];
    if (forward.low != back.low || forward.high != back.high || !forward.forward || back.forward)
      return "an edge must border two faces that run along it in opposite directions";
    const auto edge = static_cast<std::int32_t>(edges_.size());
    edges_.push_back({forward.low, forward.high, forward.face, back.face});
    face_edges_.items[static_cast<std::size_t>(forward.slot)] = edge;
    face_edges_.items[static_cast<std::size_t>(back.slot)] = edge;
  }
  return nullptr;
}

const char* Polyhedron::order_edges_around_vertices() {
  std::vector<std::int32_t> first(vertices_.size(), -1), degree(vertices_.size(), 0);
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    for (const std::int32_t v : {edges_[e].tail, edges_[e].head}) {
      if (first[static_cast<std::size_t>(v)] < 0) first[static_cast<std::size_t>(v)] = static_cast<std::int32_t>(e);
      ++degree[static_cast<std::size_t>(v)];
    }
  }
  vertex_edges_.begins.push_back(0);
  for (std::size_t v = 0; v < vertices_.size(); ++v) {
    if (degree[v] < 3) return "three edges must meet in every vertex";
    const auto vertex = static_cast<std::int32_t>(v);
    std::int32_t edge = first[v];
    for (std::int32_t k = 0; k < degree[v]; ++k) {
      vertex_edges_.items.push_back(edge);
      // Across the face that has this edge leave the vertex: the edge before it in the loop arrives there.
      const Edge& e = edges_[static_cast<std::size_t>(edge)];
      const std::span<const std::int32_t> loop = face_edges(e.tail == vertex ? e.left : e.right);
      const auto here = static_cast<std::size_t>(std::find(loop.begin(), loop.end(), edge) - loop.begin());
      edge = loop[(here + loop.size() - 1) % loop.size()];
    }
    if (edge != first[v]) return "the faces round a vertex must form one ring";
    vertex_edges_.begins.push_back(static_cast<std::int32_t>(vertex_edges_.items.size()));
  }
  return nullptr;
}

void Polyhedron::raise_faces() {
  // Vertices of a large face lie in its plane up to rounding, and those of a merged one up to the tolerance of the
  // merging. With the plane through the highest of all the solid lies behind every face. A surface that is convex only
  // up to a tolerance may stop a climb too early, so all vertices are asked where that is not too much work.
  constexpr std::size_t kFew = 4'000'000;
  const bool ask_all = vertices_.size() * faces_.size() <= kFew;
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    Face& face = faces_[f];
    const std::int32_t highest = farthest_vertex(face.normal, face_vertices(static_cast<std::int32_t>(f))[0]);
    face.offset = dot(face.normal, vertices_[static_cast<std::size_t>(highest)]);
    if (!ask_all) continue;
    for (const Vec3& v : vertices_) face.offset = std::max(face.offset, dot(face.normal, v));
  }
}

std::int32_t Polyhedron::farthest_vertex(const Vec3& direction, std::int32_t start) const {
  std::int32_t best = start;
  Real height = dot(direction, vertices_[static_cast<std::size_t>(best)]);
  for (bool higher = true; higher;) {
    higher = false;
    for (const std::int32_t edge : vertex_edges(best)) {
      const std::int32_t next = other_end(edge, best);
      const Real there = dot(direction, vertices_[static_cast<std::size_t>(next)]);
      if (there > height) {
        best = next, height = there, higher = true;
        break;
      }
    }
  }
  return best;
}

}  // namespace carom
