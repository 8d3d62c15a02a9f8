#include "geometry/gjk.h"

#include <array>

namespace carom {
namespace {

struct Vertex {
  Vec3 a, b, w;     // support points and w = a − b
  Real weight = 0;  // barycentric
};

struct Simplex {
  std::array<Vertex, 4> v;
  int count = 0;

  Vec3 closest() const {
    Vec3 sum;
    for (int i = 0; i < count; ++i) sum += v[static_cast<std::size_t>(i)].weight * v[static_cast<std::size_t>(i)].w;
    return sum;
  }
};

Simplex point(const Vertex& p) {
  Simplex s;
  s.v[0] = p;
  s.v[0].weight = 1;
  s.count = 1;
  return s;
}

/// The part of the segment pq that is nearest to the origin.
Simplex nearest_on_segment(const Vertex& p, const Vertex& q) {
  const Vec3 d = q.w - p.w;
  const Real length2 = squared_norm(d);
  const Real t = length2 > 0 ? -dot(p.w, d) / length2 : 0;
  if (t <= 0) return point(p);
  if (t >= 1) return point(q);
  Simplex s;
  s.v[0] = p, s.v[1] = q;
  s.v[0].weight = 1 - t, s.v[1].weight = t;
  s.count = 2;
  return s;
}

Simplex nearer(const Simplex& a, const Simplex& b) {
  return squared_norm(a.closest()) <= squared_norm(b.closest()) ? a : b;
}

Simplex nearest_on_triangle(const Vertex& p, const Vertex& q, const Vertex& r) {
  const Vec3 n = cross(q.w - p.w, r.w - p.w);
  const Real area2 = squared_norm(n);
  if (area2 > 0) {
    // Barycentric coordinates of the origin's projection, from the areas of the three sub-triangles.
    const Real wp = dot(cross(q.w, r.w), n) / area2;
    const Real wq = dot(cross(r.w, p.w), n) / area2;
    const Real wr = 1 - wp - wq;
    if (wp >= 0 && wq >= 0 && wr >= 0) {
      Simplex s;
      s.v[0] = p, s.v[1] = q, s.v[2] = r;
      s.v[0].weight = wp, s.v[1].weight = wq, s.v[2].weight = wr;
      s.count = 3;
      return s;
    }
  }
  return nearer(nearest_on_segment(p, q), nearer(nearest_on_segment(q, r), nearest_on_segment(r, p)));
}

/// Count 4 means that the origin lies inside.
Simplex nearest_on_tetrahedron(const Simplex& s) {
  constexpr int kFaces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
  Simplex best;
  for (const auto& f : kFaces) {
    const auto vertex = [&](int i) -> const Vertex& { return s.v[static_cast<std::size_t>(f[i])]; };
    const Vec3 n = cross(vertex(1).w - vertex(0).w, vertex(2).w - vertex(0).w);
    const Real origin_side = -dot(n, vertex(0).w), other_side = dot(n, vertex(3).w - vertex(0).w);
    if (origin_side * other_side > 0) continue;
    const Simplex candidate = nearest_on_triangle(vertex(0), vertex(1), vertex(2));
    best = best.count == 0 ? candidate : nearer(best, candidate);
  }
  return best.count == 0 ? s : best;
}

Simplex reduce(const Simplex& s) {
  switch (s.count) {
    case 1:
      return point(s.v[0]);
    case 2:
      return nearest_on_segment(s.v[0], s.v[1]);
    case 3:
      return nearest_on_triangle(s.v[0], s.v[1], s.v[2]);
    default:
      return nearest_on_tetrahedron(s);
  }
}

}  // namespace

ClosestPoints closest_points(const Support& a, const Support& b, const Vec3& start) {
  constexpr int kMaxIterations = 64;
  constexpr Real kRelative = 1e-14;  // of the squared distance: the rounding of a few products

  const auto support = [&](const Vec3& towards) {
    Vertex v;
    v.a = a(towards);
    v.b = b(-towards);
    v.w = v.a - v.b;
    return v;
  };

  Simplex simplex = point(support(start));
  Vec3 closest = simplex.closest();
  Real scale2 = squared_norm(closest);
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const Real distance2 = squared_norm(closest);
    if (distance2 <= 1e-28 * scale2) return {};
    Vertex next = support(-closest);
    scale2 = std::max(scale2, squared_norm(next.w));
    if (distance2 - dot(closest, next.w) <= kRelative * scale2) break;
    simplex.v[static_cast<std::size_t>(simplex.count++)] = next;
    Simplex reduced = reduce(simplex);
    if (reduced.count == 4) return {};
    const Vec3 candidate = reduced.closest();
    if (squared_norm(candidate) >= distance2) {
      --simplex.count;
      break;  // rounding: no further progress
    }
    simplex = reduced;
    closest = candidate;
  }

  ClosestPoints result;
  for (int i = 0; i < simplex.count; ++i) {
    const Vertex& v = simplex.v[static_cast<std::size_t>(i)];
    result.on_a += v.weight * v.a;
    result.on_b += v.weight * v.b;
  }
  result.distance = norm(result.on_a - result.on_b);
  result.separated = result.distance > 0;
  return result;
}

}  // namespace carom
