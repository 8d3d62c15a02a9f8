#include "geometry/closest_features.h"

#include <algorithm>
#include <span>

namespace carom {
namespace {

constexpr int kMostSteps = 10'000;
constexpr Real kSlope = 1e-13;  // a way down that is flatter than this is rounding
constexpr Real kTouch = 1e-9;   // of the size: nearer than this, corners and edges give no direction

Vec3 vertex(const Polyhedron& p, std::int32_t v) { return p.vertices()[static_cast<std::size_t>(v)]; }
const Polyhedron::Edge& edge(const Polyhedron& p, std::int32_t e) { return p.edges()[static_cast<std::size_t>(e)]; }
const Polyhedron::Face& face(const Polyhedron& p, std::int32_t f) { return p.faces()[static_cast<std::size_t>(f)]; }

Vec3 along(const Polyhedron& p, std::int32_t e) { return vertex(p, edge(p, e).head) - vertex(p, edge(p, e).tail); }

constexpr PolyhedronFeature a_vertex(std::int32_t v) { return {PolyhedronFeature::Kind::Vertex, v}; }
constexpr PolyhedronFeature an_edge(std::int32_t e) { return {PolyhedronFeature::Kind::Edge, e}; }
constexpr PolyhedronFeature a_face(std::int32_t f) { return {PolyhedronFeature::Kind::Face, f}; }

/// The point of a closed feature that is nearest to something, and the smallest feature that it lies in.
struct Foot {
  PolyhedronFeature feature;
  Vec3 point;
};

Foot foot_on_edge(const Polyhedron& p, std::int32_t e, const Vec3& x) {
  const Polyhedron::Edge& at = edge(p, e);
  const Vec3 tail = vertex(p, at.tail), head = vertex(p, at.head), u = head - tail;
  const Real t = dot(x - tail, u) / squared_norm(u);
  if (t <= 0) return {a_vertex(at.tail), tail};
  if (t >= 1) return {a_vertex(at.head), head};
  return {an_edge(e), tail + t * u};
}

Foot foot_on_face(const Polyhedron& p, std::int32_t f, const Vec3& x) {
  const Polyhedron::Face& plane = face(p, f);
  const std::span<const std::int32_t> loop = p.face_vertices(f), sides = p.face_edges(f);
  Foot best{a_face(f), {}};
  Real least = 1e300;
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const Vec3 from = vertex(p, loop[k]), to = vertex(p, loop[k + 1 < loop.size() ? k + 1 : 0]);
    if (dot(cross(plane.normal, to - from), x - from) >= 0) continue;
    const Foot foot = foot_on_edge(p, sides[k], x);
    const Real off = squared_norm(x - foot.point);
    if (off < least) least = off, best = foot;
  }
  if (best.feature.kind == PolyhedronFeature::Kind::Face)
    best.point = x - (dot(plane.normal, x) - plane.offset) * plane.normal;
  return best;
}

/// An edge as a segment from its tail along u.
struct Span {
  Vec3 tail, u;
  Real squared = 0;  // length

  Vec3 at(Real s) const { return tail + s * u; }
};

Span span(const Vec3& tail, const Vec3& head) { return {tail, head - tail, squared_norm(head - tail)}; }

/// Parameters from 0 to 1 of the points nearest to each other. As geometry/segment.h, without the roots.
struct SpanPair {
  Real s = 0, t = 0;
};

SpanPair closest(const Span& a, const Span& b) {
  const Vec3 r = b.tail - a.tail, across = cross(a.u, b.u);
  const Real area2 = squared_norm(across), ab = dot(a.u, b.u), ra = dot(r, a.u), rb = dot(r, b.u);
  const bool crossing = area2 > 1e-24 * a.squared * b.squared;
  SpanPair pair;
  pair.s = std::clamp(crossing ? dot(cross(r, b.u), across) / area2 : ra / a.squared, 0.0, 1.0);
  const Real t = (ab * pair.s - rb) / b.squared;
  pair.t = std::clamp(t, 0.0, 1.0);
  if (pair.t != t) pair.s = std::clamp((ab * pair.t + ra) / a.squared, 0.0, 1.0);
  return pair;
}

/// Which end of an edge a parameter stands for, or the edge itself.
PolyhedronFeature part_of(const Polyhedron& p, std::int32_t e, Real s) {
  if (s <= 0) return a_vertex(edge(p, e).tail);
  if (s >= 1) return a_vertex(edge(p, e).head);
  return an_edge(e);
}

/// An edge of one polyhedron in the frame of another, whose face it meets.
struct EdgeFace {
  Foot on_edge, on_face;
  bool pierced = false;
};

/// The nearest points of an edge and a face are those of a corner and the face, or of two edges.
EdgeFace edge_and_face(const Polyhedron& owner, std::int32_t e, const Vec3& tail, const Vec3& head, const Polyhedron& p,
                       std::int32_t f) {
  const Polyhedron::Face& plane = face(p, f);
  const Real low = dot(plane.normal, tail) - plane.offset, high = dot(plane.normal, head) - plane.offset;
  EdgeFace best;
  Real least = 1e300;
  const auto consider = [&](const Foot& on_edge, const Foot& on_face) {
    const Real off = squared_norm(on_edge.point - on_face.point);
    if (off < least) least = off, best.on_edge = on_edge, best.on_face = on_face;
  };
  if ((low < 0) != (high < 0)) {
    const Vec3 through = tail + (low / (low - high)) * (head - tail);
    best.pierced = foot_on_face(p, f, through).feature.kind == PolyhedronFeature::Kind::Face;
    if (best.pierced) return best;
  }
  consider({a_vertex(edge(owner, e).tail), tail}, foot_on_face(p, f, tail));
  consider({a_vertex(edge(owner, e).head), head}, foot_on_face(p, f, head));
  const Span whole = span(tail, head);
  for (const std::int32_t side : p.face_edges(f)) {
    const Span other = span(vertex(p, edge(p, side).tail), vertex(p, edge(p, side).head));
    const SpanPair nearest = closest(whole, other);
    consider({part_of(owner, e, nearest.s), whole.at(nearest.s)}, {part_of(p, side, nearest.t), other.at(nearest.t)});
  }
  return best;
}

class Walk {
 public:
  Walk(const PlacedPolyhedron& a, const PlacedPolyhedron& b)
      : a_(*a.polyhedron),
        b_(*b.polyhedron),
        offset_(transposed_times(a.rotation, b.position - a.position)),
        rotation_(transposed(a.rotation) * b.rotation) {}

  /// Walks until no step is left; false where the polyhedra turn out to penetrate.
  bool run(FeaturePair& features) {
    if (!nearest_of(features, now_)) return false;
    steps_ = now_.features == features ? 0 : 1;
    while (steps_ < kMostSteps) {
      const Outcome outcome = step();
      if (outcome == Outcome::Penetrates) return false;
      if (outcome == Outcome::Done) break;
      ++steps_;
    }
    features = now_.features;
    return true;
  }

  int steps() const { return steps_; }
  Vec3 on_a() const { return now_.p; }
  Vec3 on_b() const { return now_.q; }
  Vec3 normal() const { return now_.normal; }
  Real distance() const { return now_.distance; }

  /// Whether the features are far enough from each other for rounding not to have ended the walk. Nearer than that,
  /// only faces and edges that cross still have a normal, and a plane square to it must separate the polyhedra.
  bool is_proven() const {
    const Real size = norm(now_.p) + norm(now_.q - offset_);
    if (now_.distance > kTouch * size) return true;
    if (!now_.has_normal || !(now_.distance > 0)) return false;
    const Vec3& n = now_.normal;
    const Vec3 top = vertex(a_, a_.farthest_vertex(n));
    const Vec3 bottom = to_a(vertex(b_, b_.farthest_vertex(-transposed_times(rotation_, n))));
    return dot(n, bottom - top) > now_.distance - 1e-12 * size;
  }

 private:
  enum class Outcome { Moved, Done, Penetrates };

  struct State {
    FeaturePair features;
    Vec3 p, q;  // in A's frame
    Vec3 normal;
    Real distance = 0, squared = 0;  // q − p = distance · normal; negative: below a face, or edges passed each other
    bool has_normal = false;         // of its own, exact however near the features are
  };

  Vec3 to_a(const Vec3& x) const { return rotation_ * x + offset_; }
  Vec3 to_b(const Vec3& x) const { return transposed_times(rotation_, x - offset_); }

  /// Nearest points of two closed features, and the smallest features that hold them; false where they intersect.
  bool nearest_of(const FeaturePair& pair, State& state) const {
    using Kind = PolyhedronFeature::Kind;
    const PolyhedronFeature &fa = pair.a, &fb = pair.b;
    Foot on_a{fa, {}}, on_b{fb, {}};
    if (fa.kind == Kind::Vertex) on_a.point = vertex(a_, fa.index);
    if (fb.kind == Kind::Vertex) on_b.point = to_a(vertex(b_, fb.index));
    if (fa.kind == Kind::Vertex && fb.kind != Kind::Vertex) {
      const Vec3 x = to_b(on_a.point);
      on_b = fb.kind == Kind::Edge ? foot_on_edge(b_, fb.index, x) : foot_on_face(b_, fb.index, x);
      on_b.point = to_a(on_b.point);
    } else if (fb.kind == Kind::Vertex && fa.kind != Kind::Vertex) {
      on_a = fa.kind == Kind::Edge ? foot_on_edge(a_, fa.index, on_b.point) : foot_on_face(a_, fa.index, on_b.point);
    } else if (fa.kind == Kind::Edge && fb.kind == Kind::Edge) {
      const Span s = span(vertex(a_, edge(a_, fa.index).tail), vertex(a_, edge(a_, fa.index).head));
      const Span t = span(to_a(vertex(b_, edge(b_, fb.index).tail)), to_a(vertex(b_, edge(b_, fb.index).head)));
      const SpanPair nearest = closest(s, t);
      on_a = {part_of(a_, fa.index, nearest.s), s.at(nearest.s)};
      on_b = {part_of(b_, fb.index, nearest.t), t.at(nearest.t)};
    } else if (fa.kind != Kind::Vertex) {
      if (!nearest_with_face(fa, fb, on_a, on_b)) return false;
    }
    state.features = {on_a.feature, on_b.feature};
    state.p = on_a.point, state.q = on_b.point;
    measure(state);
    return true;
  }

  /// Distance and normal, from the features themselves where they have a normal: the difference of two points that
  /// nearly touch has no digits left.
  void measure(State& state) const {
    using Kind = PolyhedronFeature::Kind;
    const PolyhedronFeature &fa = state.features.a, &fb = state.features.b;
    state.has_normal = fa.kind == Kind::Face || fb.kind == Kind::Face;
    if (fa.kind == Kind::Face) {
      state.normal = face(a_, fa.index).normal;
      state.distance = dot(state.normal, state.q) - face(a_, fa.index).offset;
    } else if (fb.kind == Kind::Face) {
      state.normal = -(rotation_ * face(b_, fb.index).normal);
      state.distance = dot(face(b_, fb.index).normal, to_b(state.p)) - face(b_, fb.index).offset;
    } else {
      measure_edges(state);
    }
    state.squared = state.distance * state.distance;
  }

  /// Of an edge and a face, or of two faces, which only a start can be: then one of them stands for its first edge.
  bool nearest_with_face(const PolyhedronFeature& fa, const PolyhedronFeature& fb, Foot& on_a, Foot& on_b) const {
    const bool face_is_b = fb.kind == PolyhedronFeature::Kind::Face;
    const Polyhedron &owner = face_is_b ? a_ : b_, &p = face_is_b ? b_ : a_;
    const PolyhedronFeature &of_edge = face_is_b ? fa : fb, &of_face = face_is_b ? fb : fa;
    const std::int32_t e =
        of_edge.kind == PolyhedronFeature::Kind::Edge ? of_edge.index : owner.face_edges(of_edge.index).front();
    const auto there = [&](const Vec3& x) { return face_is_b ? to_b(x) : to_a(x); };
    EdgeFace found = edge_and_face(owner, e, there(vertex(owner, edge(owner, e).tail)),
                                   there(vertex(owner, edge(owner, e).head)), p, of_face.index);
    if (found.pierced) return false;
    if (face_is_b) found.on_edge.point = to_a(found.on_edge.point), found.on_face.point = to_a(found.on_face.point);
    on_a = face_is_b ? found.on_edge : found.on_face;
    on_b = face_is_b ? found.on_face : found.on_edge;
    return true;
  }

  /// Of corners and edges. Rounding leaves an error along the edges, which a long one would feel: it is taken out.
  void measure_edges(State& state) const {
    const PolyhedronFeature &fa = state.features.a, &fb = state.features.b;
    Vec3 u, v;
    if (fa.kind == PolyhedronFeature::Kind::Edge) u = along(a_, fa.index);
    if (fb.kind == PolyhedronFeature::Kind::Edge) v = rotation_ * along(b_, fb.index);
    const Real uu = squared_norm(u), vv = squared_norm(v);
    const Vec3 across = cross(u, v), way = state.q - state.p;
    state.has_normal = squared_norm(across) > 1e-12 * uu * vv;
    Vec3 n = way;
    if (state.has_normal) {
      // Outward by A's faces, which know it even where the edges touch.
      const Vec3 out = face(a_, edge(a_, fa.index).left).normal + face(a_, edge(a_, fa.index).right).normal;
      n = dot(across, out) >= 0 ? across : -across;
    }
    const Vec3& longer = uu >= vv ? u : v;
    if (uu > 0 || vv > 0) n -= (dot(n, longer) / squared_norm(longer)) * longer;
    state.normal = normalized(n);
    state.distance = dot(state.normal, way);
  }

  /// One step on either side, if it brings the features nearer.
  Outcome step() {
    const Vec3 way = now_.distance * now_.normal;
    const Outcome on_a = step_on(a_, now_.features.a, now_.p, way, true);
    if (on_a != Outcome::Done) return on_a;
    return step_on(b_, now_.features.b, to_b(now_.q), -transposed_times(rotation_, way), false);
  }

  /// `point` lies inside `feature`, `way` leads from it to the other side's; both in the frame of `p`.
  Outcome step_on(const Polyhedron& p, const PolyhedronFeature& feature, const Vec3& point, const Vec3& way,
                  bool is_a) {
    const Real reach2 = kSlope * kSlope * squared_norm(way);
    switch (feature.kind) {
      case PolyhedronFeature::Kind::Vertex: {
        std::int32_t steepest = -1;
        Real most = 0;
        for (const std::int32_t e : p.vertex_edges(feature.index)) {
          const Vec3 u = vertex(p, p.other_end(e, feature.index)) - point;
          const Real down = dot(way, u), length2 = squared_norm(u);
          // Compared by squares: the sine of the steepest edge is not needed.
          if (down > 0 && down * down > most * length2) most = down * down / length2, steepest = e;
        }
        return most > reach2 ? try_feature(an_edge(steepest), is_a) : Outcome::Done;
      }
      case PolyhedronFeature::Kind::Edge: {
        const Polyhedron::Edge& e = edge(p, feature.index);
        const Vec3 u = along(p, feature.index);
        const Real left = dot(way, cross(face(p, e.left).normal, u)),
                   right = dot(way, cross(u, face(p, e.right).normal));
        const Real most = std::max(left, right);
        if (!(most > 0 && most * most > reach2 * squared_norm(u))) return Outcome::Done;
        return try_feature(a_face(left > right ? e.left : e.right), is_a);
      }
      case PolyhedronFeature::Kind::Face:
        break;
    }
    if (dot(way, face(p, feature.index).normal) >= 0) return Outcome::Done;
    return through(p, point, way, is_a);
  }

  /// From a point of a face through the inside, to the face by which the way leaves; none before its end: penetration.
  Outcome through(const Polyhedron& p, const Vec3& point, const Vec3& way, bool is_a) {
    Real first = 1;
    std::int32_t exit = -1;
    for (std::int32_t f = 0; f < static_cast<std::int32_t>(p.faces().size()); ++f) {
      const Real out = dot(face(p, f).normal, way);
      if (!(out > 0)) continue;
      const Real t = (face(p, f).offset - dot(face(p, f).normal, point)) / out;
      if (t < first) first = t, exit = f;
    }
    return exit < 0 ? Outcome::Penetrates : try_feature(a_face(exit), is_a);
  }

  Outcome try_feature(const PolyhedronFeature& feature, bool is_a) {
    FeaturePair next = now_.features;
    (is_a ? next.a : next.b) = feature;
    State there;
    if (!nearest_of(next, there)) return Outcome::Penetrates;
    if (!(there.squared < now_.squared)) return Outcome::Done;
    now_ = there;
    return Outcome::Moved;
  }

  const Polyhedron &a_, &b_;
  Vec3 offset_;
  Mat3 rotation_;  // of B in A's frame
  State now_;
  int steps_ = 0;
};

ClosestFeatures by_the_other_route(const PlacedPolyhedron& a, const PlacedPolyhedron& b, int steps) {
  // Handles that own nothing: the polyhedra outlive the query.
  const Shape::Geometry hull_a = Hull{std::shared_ptr<const Polyhedron>(std::shared_ptr<void>(), a.polyhedron)};
  const Shape::Geometry hull_b = Hull{std::shared_ptr<const Polyhedron>(std::shared_ptr<void>(), b.polyhedron)};
  ClosestFeatures result;
  result.nearest = signed_distance({&hull_a, a.position, a.rotation}, {&hull_b, b.position, b.rotation});
  result.steps = steps;
  result.penetrating = result.nearest.distance <= 0;
  result.gave_up = true;
  return result;
}

}  // namespace

ClosestFeatures closest_features(const PlacedPolyhedron& a, const PlacedPolyhedron& b, FeaturePair& features) {
  Walk walk(a, b);
  ClosestFeatures result;
  const bool apart = walk.run(features);
  result.steps = walk.steps();
  if (walk.steps() >= kMostSteps) return by_the_other_route(a, b, walk.steps());
  result.penetrating = !apart || !walk.is_proven();
  if (result.penetrating) return result;
  result.nearest = {a.position + a.rotation * walk.on_a(), a.position + a.rotation * walk.on_b(),
                    a.rotation * walk.normal(), walk.distance()};
  return result;
}

}  // namespace carom
