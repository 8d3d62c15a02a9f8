#include "geometry/support_set.h"

#include <algorithm>
#include <span>

namespace carom {
namespace {

/// Keeps the nearest few of what is offered.
class Nearest {
 public:
  explicit Nearest(Kinks& kinks) : kinks_(kinks) {}

  void circle(const Vec3& axis, Real level, Real off) {
    insert(circle_off_, kinks_.circle_count, off,
           [&](int to, int from) { kinks_.circles[at(to)] = from < 0 ? Kink{axis, level} : kinks_.circles[at(from)]; });
  }
  void normal(const Vec3& n, Real off) {
    insert(normal_off_, kinks_.normal_count, off,
           [&](int to, int from) { kinks_.normals[at(to)] = from < 0 ? n : kinks_.normals[at(from)]; });
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  template <class Move>
  static void insert(std::array<Real, Kinks::kMost>& offs, int& count, Real off, const Move& move) {
    int slot = std::min(count, Kinks::kMost - 1);
    if (count == Kinks::kMost && offs[at(slot)] <= off) return;
    count = std::min(count + 1, Kinks::kMost);
    for (; slot > 0 && offs[at(slot - 1)] > off; --slot) offs[at(slot)] = offs[at(slot - 1)], move(slot, slot - 1);
    offs[at(slot)] = off;
    move(slot, -1);
  }

  Kinks& kinks_;
  std::array<Real, Kinks::kMost> circle_off_{}, normal_off_{};
};

Vec3 axis_vector(int i, Real length) {
  Vec3 v;
  v[i] = length;
  return v;
}

void box_kinks(const Vec3& n, Real angle, Nearest& nearest) {
  for (int i = 0; i < 3; ++i) {
    if (std::abs(n[i]) < angle) nearest.circle(axis_vector(i, 1), 0, std::abs(n[i]));
    const Vec3 face = axis_vector(i, std::copysign(1.0, n[i]));
    const Real off = norm(n - face);
    if (off < angle) nearest.normal(face, off);
  }
}

void polyhedron_kinks(const Polyhedron& p, const Vec3& n, std::int32_t vertex, Real angle, Nearest& nearest) {
  for (const std::int32_t e : p.vertex_edges(vertex)) {
    const Polyhedron::Edge& edge = p.edges()[static_cast<std::size_t>(e)];
    const Vec3 along = normalized(p.vertices()[static_cast<std::size_t>(edge.head)] -
                                  p.vertices()[static_cast<std::size_t>(edge.tail)]);
    const Real slope = std::abs(dot(along, n));
    if (slope < angle) nearest.circle(along, 0, slope);
    // Each face round the vertex is on the left of one edge that leaves it or on the right of one that arrives.
    const Vec3& face = p.faces()[static_cast<std::size_t>(edge.tail == vertex ? edge.left : edge.right)].normal;
    const Real off = norm(n - face);
    if (off < angle) nearest.normal(face, off);
  }
}

Vec3 nearest_on_segment(const Vec3& p, const Vec3& q, const Vec3& x) {
  const Vec3 d = q - p;
  return p + std::clamp(dot(x - p, d) / squared_norm(d), 0.0, 1.0) * d;
}

Vec3 nearest_on_face(const Polyhedron& p, std::int32_t face, const Vec3& x) {
  const Vec3& n = p.faces()[static_cast<std::size_t>(face)].normal;
  const std::span<const std::int32_t> loop = p.face_vertices(face);
  const auto corner = [&](std::size_t k) { return p.vertices()[static_cast<std::size_t>(loop[k % loop.size()])]; };
  bool outside = false;
  Vec3 best;
  Real least = 1e300;
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const Vec3 from = corner(k), to = corner(k + 1);
    if (dot(cross(n, to - from), x - from) >= 0) continue;
    outside = true;
    const Vec3 foot = nearest_on_segment(from, to, x);
    if (squared_norm(x - foot) < least) least = squared_norm(x - foot), best = foot;
  }
  return outside ? best : x - dot(n, x - corner(0)) * n;
}

SupportSet polyhedron_set(const Polyhedron& p, const Vec3& n, std::int32_t vertex, Real angle) {
  const auto at = [&](std::int32_t v) { return p.vertices()[static_cast<std::size_t>(v)]; };
  SupportSet set;
  set.p = at(vertex);
  Real least_slope = angle;
  for (const std::int32_t e : p.vertex_edges(vertex)) {
    const Polyhedron::Edge& edge = p.edges()[static_cast<std::size_t>(e)];
    const std::int32_t face = edge.tail == vertex ? edge.left : edge.right;
    if (norm(n - p.faces()[static_cast<std::size_t>(face)].normal) <= angle) {
      set.kind = SupportSet::Kind::Face;
      set.face = face;
      return set;
    }
    const Vec3 along = at(edge.head) - at(edge.tail);
    const Real slope = std::abs(dot(along, n)) / norm(along);
    if (slope > least_slope) continue;
    least_slope = slope;
    set.kind = SupportSet::Kind::Segment;
    set.p = at(edge.tail), set.q = at(edge.head);
  }
  return set;
}

SupportSet box_set(const Vec3& half_size, const Vec3& n, Real angle) {
  SupportSet set;
  int free = 0;
  for (int i = 0; i < 3; ++i) {
    const bool flat = std::abs(n[i]) <= angle;
    set.p[i] = set.q[i] = std::copysign(half_size[i], n[i]);
    if (flat) set.q[i] = -set.p[i], ++free;
    if (!flat) set.face = i;
  }
  set.kind = free == 0 ? SupportSet::Kind::Point : (free == 1 ? SupportSet::Kind::Segment : SupportSet::Kind::Face);
  return set;
}

/// Of a cylinder or a cone.
SupportSet round_set(const Core& core, const Vec3& n, Real angle) {
  const Real across = std::sqrt(n.x * n.x + n.y * n.y);
  const bool cone = core.kind == Core::Kind::Cone;
  SupportSet set;
  if (across <= angle && (!cone || n.z < 0)) {
    set.kind = SupportSet::Kind::Disc;
    set.p = {0, 0, std::copysign(core.size.z, n.z)};
    set.radius = core.size.x;
    return set;
  }
  const Vec3 rim{core.size.x * n.x / across, core.size.x * n.y / across, -core.size.z};
  const Vec3 top = cone ? Vec3{0, 0, core.size.z} : Vec3{rim.x, rim.y, core.size.z};
  const Real off = cone ? n.z - cone_sine(core) : n.z;
  set.p = off > 0 ? top : rim;
  if (std::abs(off) <= angle) {
    set.kind = SupportSet::Kind::Segment;
    set.p = rim, set.q = top;
  }
  return set;
}

}  // namespace

Kinks kinks_near(const Core& core, const Vec3& n, std::int32_t vertex, Real angle) {
  Kinks kinks;
  Nearest nearest(kinks);
  const Real across = std::sqrt(n.x * n.x + n.y * n.y);
  switch (core.kind) {
    case Core::Kind::Segment:
      if (std::abs(n.z) < angle) nearest.circle({0, 0, 1}, 0, std::abs(n.z));
      break;
    case Core::Kind::Box:
      box_kinks(n, angle, nearest);
      break;
    case Core::Kind::Cylinder:
      if (std::abs(n.z) < angle) nearest.circle({0, 0, 1}, 0, std::abs(n.z));
      if (across < angle) nearest.normal({0, 0, std::copysign(1.0, n.z)}, across);
      break;
    case Core::Kind::Cone: {
      const Real off = std::abs(n.z - cone_sine(core));
      // Near the pole a small step in z is a large angle: the circle itself may lie there.
      if (off < angle * std::max(across, angle)) nearest.circle({0, 0, 1}, cone_sine(core), off);
      if (across < angle && n.z < 0) nearest.normal({0, 0, -1}, across);
      break;
    }
    case Core::Kind::Polyhedron:
      polyhedron_kinks(*core.polyhedron, n, vertex, angle, nearest);
      break;
    case Core::Kind::Point:
    case Core::Kind::Ellipsoid:
      break;
  }
  return kinks;
}

Mat3 curvature(const Core& core, const Vec3& n, const Vec3& farthest) {
  Mat3 h;
  if (core.kind == Core::Kind::Ellipsoid) {
    const Vec3& r = core.size;
    const Vec3 squared{r.x * r.x, r.y * r.y, r.z * r.z};
    const Vec3 turned{squared.x * n.x, squared.y * n.y, squared.z * n.z};
    const Real reach = std::sqrt(dot(turned, n));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        h(i, j) = ((i == j ? squared[i] : 0) - (turned[i] / reach) * (turned[j] / reach)) / reach;
  } else if (core.kind == Core::Kind::Cylinder || (core.kind == Core::Kind::Cone && farthest.z < 0)) {
    // The rim: the farthest point turns with the direction's part across the axis.
    const Real across = std::sqrt(n.x * n.x + n.y * n.y);
    if (across > 0) {
      const Real x = n.x / across, y = n.y / across, s = core.size.x / across;
      h(0, 0) = s * y * y, h(1, 1) = s * x * x, h(0, 1) = h(1, 0) = -s * x * y;
    }
  }
  return h;
}

SupportSet support_set(const Core& core, const Vec3& n, std::int32_t vertex, Real angle) {
  SupportSet set;
  switch (core.kind) {
    case Core::Kind::Segment:
      set.p = {0, 0, std::copysign(core.size.z, n.z)}, set.q = -set.p;
      if (std::abs(n.z) <= angle && core.size.z > 0) set.kind = SupportSet::Kind::Segment;
      return set;
    case Core::Kind::Box:
      return box_set(core.size, n, angle);
    case Core::Kind::Cylinder:
    case Core::Kind::Cone:
      return round_set(core, n, angle);
    case Core::Kind::Polyhedron:
      return polyhedron_set(*core.polyhedron, n, vertex, angle);
    case Core::Kind::Point:
    case Core::Kind::Ellipsoid:
      break;
  }
  set.p = support(core, n, vertex);
  return set;
}

Vec3 farthest_point(const Core& core, const SupportSet& set, const Vec3& direction) {
  switch (set.kind) {
    case SupportSet::Kind::Point:
      return set.p;
    case SupportSet::Kind::Segment:
      return dot(direction, set.q - set.p) > 0 ? set.q : set.p;
    case SupportSet::Kind::Disc: {
      const Real across = std::sqrt(direction.x * direction.x + direction.y * direction.y);
      const Real s = across > 0 ? set.radius / across : 0;
      return {s * direction.x, s * direction.y, set.p.z};
    }
    case SupportSet::Kind::Face:
      break;
  }
  if (core.kind == Core::Kind::Polyhedron) {
    Vec3 best;
    Real most = -1e300;
    for (const std::int32_t v : core.polyhedron->face_vertices(set.face)) {
      const Vec3& x = core.polyhedron->vertices()[static_cast<std::size_t>(v)];
      if (dot(direction, x) > most) most = dot(direction, x), best = x;
    }
    return best;
  }
  Vec3 corner = set.p;
  for (int i = 0; i < 3; ++i)
    if (i != set.face) corner[i] = std::copysign(core.size[i], direction[i]);
  return corner;
}

Vec3 nearest_point(const Core& core, const SupportSet& set, const Vec3& x) {
  switch (set.kind) {
    case SupportSet::Kind::Point:
      return set.p;
    case SupportSet::Kind::Segment:
      return nearest_on_segment(set.p, set.q, x);
    case SupportSet::Kind::Disc: {
      const Real across = std::sqrt(x.x * x.x + x.y * x.y);
      const Real s = across > set.radius ? set.radius / across : 1;
      return {s * x.x, s * x.y, set.p.z};
    }
    case SupportSet::Kind::Face:
      break;
  }
  if (core.kind == Core::Kind::Polyhedron) return nearest_on_face(*core.polyhedron, set.face, x);
  Vec3 y = set.p;
  for (int i = 0; i < 3; ++i)
    if (i != set.face) y[i] = std::clamp(x[i], -core.size[i], core.size[i]);
  return y;
}

}  // namespace carom
