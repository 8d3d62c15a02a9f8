#include "geometry/simplex.h"

namespace carom {
namespace {

Simplex single(const DifferencePoint& p) {
  Simplex s;
  s.points[0] = p;
  s.weights[0] = 1;
  s.count = 1;
  return s;
}

Simplex on_segment(const DifferencePoint& p, const DifferencePoint& q) {
  const Vec3 d = q.w - p.w;
  const Real length2 = squared_norm(d);
  // Measured from the nearer end, where rounding is least.
  const Real t = length2 > 0 ? -dot(p.w, d) / length2 : 0;
  if (t <= 0) return single(p);
  if (t >= 1) return single(q);
  Simplex s;
  s.points[0] = p, s.points[1] = q;
  s.weights[0] = 1 - t, s.weights[1] = t;
  s.count = 2;
  return s;
}

const Simplex& nearer(const Simplex& a, const Simplex& b) {
  return squared_norm(a.nearest()) <= squared_norm(b.nearest()) ? a : b;
}

Simplex on_triangle(const DifferencePoint& p, const DifferencePoint& q, const DifferencePoint& r) {
  // The foot of the origin by areas, about p. Cross products keep their digits on slivers where the products of the
  // normal equations have lost theirs.
  const Vec3 u = q.w - p.w, v = r.w - p.w, n = cross(u, v);
  const Real area2 = squared_norm(n);
  const Simplex edge = nearer(on_segment(p, q), nearer(on_segment(q, r), on_segment(r, p)));
  if (!(area2 > 0)) return edge;
  const Real wq = dot(cross(v, p.w), n) / area2, wr = dot(cross(p.w, u), n) / area2, wp = 1 - wq - wr;
  if (!(wp >= 0 && wq >= 0 && wr >= 0)) return edge;
  Simplex s;
  s.points = {p, q, r, {}};
  s.weights = {wp, wq, wr, 0};
  s.count = 3;
  // Where rounding has spoilt the foot after all, the edges are no worse.
  return nearer(s, edge);
}

Simplex on_tetrahedron(const Simplex& s) {
  constexpr std::size_t kFaces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
  Simplex best;
  for (const auto& f : kFaces) {
    const DifferencePoint &p = s.points[f[0]], &q = s.points[f[1]], &r = s.points[f[2]], &other = s.points[f[3]];
    const Vec3 n = cross(q.w - p.w, r.w - p.w);
    const Real origin_side = -dot(n, p.w), other_side = dot(n, other.w - p.w);
    if (origin_side * other_side > 0) continue;
    const Simplex candidate = on_triangle(p, q, r);
    best = best.count == 0 ? candidate : nearer(best, candidate);
  }
  return best.count == 0 ? s : best;
}

}  // namespace

Vec3 Simplex::nearest() const {
  Vec3 sum;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) sum += weights[i] * points[i].w;
  return sum;
}

Witness Simplex::witness() const {
  Witness w;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    w.a += weights[i] * points[i].a;
    w.b += weights[i] * points[i].b;
  }
  return w;
}

Simplex reduced(const Simplex& s) {
  switch (s.count) {
    case 1:
      return single(s.points[0]);
    case 2:
      return on_segment(s.points[0], s.points[1]);
    case 3:
      return on_triangle(s.points[0], s.points[1], s.points[2]);
    default:
      return on_tetrahedron(s);
  }
}

}  // namespace carom
