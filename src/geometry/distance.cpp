// Distances by GJK, depths by EPA, both brought to the last digits by an ascent of the separation (ascent.h). What has
// a closed form takes it: planes, and pairs of spheres and capsules.
#include "geometry/distance.h"

#include <array>

#include "carom/base/error.h"
#include "geometry/ascent.h"
#include "geometry/epa.h"
#include "geometry/gjk.h"
#include "geometry/segment.h"

namespace carom {
namespace {

/// Some unit vector square to a unit vector, or any where that is zero.
Vec3 any_square_to(const Vec3& n) {
  const Vec3 u = cross(n, std::abs(n.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0});
  return squared_norm(u) > 0 ? normalized(u) : Vec3{0, 0, 1};
}

Real separation(CorePair& pair, const Vec3& n) { return dot(n, pair.least(n).w); }

/// Points and segments.
Separation flat_cores(CorePair& pair) {
  const Segment a{{}, {0, 0, 1}, pair.a().size.z};
  const Segment b{pair.offset(), pair.direction_from_b({0, 0, 1}), pair.b().size.z};
  const SegmentPair nearest = closest(a, b);
  Separation s;
  s.witness = {a.at(nearest.s), b.at(nearest.t)};
  const bool inside_a = std::abs(nearest.s) < a.half_length, inside_b = std::abs(nearest.t) < b.half_length;
  // The way from one to the other is square to an axis wherever it does not start from its end; so it has digits even
  // where the distance has none.
  Vec3 d = s.witness.b - s.witness.a;
  if (inside_a) d -= dot(d, a.direction) * a.direction;
  if (inside_b) d -= dot(d, b.direction) * b.direction;
  const Vec3 across = cross(a.direction, b.direction);
  if (inside_a && inside_b && squared_norm(across) > 1e-24) d = std::copysign(1.0, dot(d, across)) * across;
  const bool any = !(squared_norm(d) > 0);
  if (any) d = any_square_to(a.half_length > 0 ? a.direction : b.direction);
  s.direction = normalized(d);
  s.value = any ? 0 : separation(pair, s.direction);
  return s;
}

/// Tops of the separation that have been climbed, so that none is climbed twice.
class Tops {
 public:
  bool full() const { return count_ == kMost; }
  void add(const Vec3& start, const Vec3& top) {
    if (!full()) tops_[static_cast<std::size_t>(count_++)] = {start, top};
  }
  bool within(const Vec3& n, Real angle) const {
    for (int i = 0; i < count_; ++i)
      for (const Vec3& m : tops_[static_cast<std::size_t>(i)])
        if (squared_norm(n - m) < angle * angle) return true;
    return false;
  }

 private:
  static constexpr int kMost = 24;
  std::array<std::array<Vec3, 2>, kMost> tops_;
  int count_ = 0;
};

/// Grows a polytope until its bound and the best separation found meet. Cores without curvature get there exactly. With
/// curvature the bound comes down slowly around every top; a face that is near a climbed one has nothing to add, and
/// one that is far from all of them is climbed if it may lead higher.
Separation penetrating(CorePair& pair, const Simplex& start) {
  constexpr int kExtraSteps = 128;                 // after the first climb
  constexpr Real kEnough = 1e-9, kSettled = 1e-6;  // of the scale
  constexpr Real kSame = 0.03, kApart = 0.35;      // radians
  constexpr Real kPromising = 0.3;                 // of the depth: a face that lies so near its plane may lead higher
  const bool curved = pair.a().is_curved() || pair.b().is_curved();
  const Real coarse = curved ? 2e-2 : 1e-13;  // of the scale: near enough to start climbing

  Separation best;
  Tops tops;
  const auto climb = [&](const Vec3& from) {
    const Separation top = ascend(pair, from);
    if (top.value > best.value) best = top;
    tops.add(from, top.direction);
  };
  Real probed = -1e300;
  Vec3 direction{0, 0, 1};
  Epa epa(pair, start);
  bool climbed = false;
  for (int extra = 0; epa.good() && extra < kExtraSteps; extra += climbed ? 1 : 0) {
    const Epa::Nearest nearest = epa.nearest();
    if (climbed && nearest.level <= best.value + kEnough * pair.scale()) break;
    const Real value = epa.probe(), gap = nearest.level - value;
    if (value > probed) probed = value, direction = nearest.direction;
    if (!climbed) {
      if (gap <= coarse * pair.scale()) {
        climb(nearest.direction);
        climbed = true;
        if (!curved) break;
        // Around a round side the bound comes down everywhere at once, and late; the ends might be nearer.
        for (const Vec3& axis : {Vec3{0, 0, 1}, pair.direction_from_b({0, 0, 1})})
          for (const Vec3& end : {axis, -axis})
            if (separation(pair, end) > best.value) climb(end);
      }
    } else if (gap <= kSettled * pair.scale() && tops.within(nearest.direction, kSame)) {
      epa.settle();
      continue;
    } else if (value > best.value ||
               (gap < kPromising * std::abs(best.value) && !tops.full() && !tops.within(nearest.direction, kApart))) {
      climb(nearest.direction);
    }
    epa.grow();
  }
  return climbed ? best : ascend(pair, direction);
}

/// Of two answers the larger; of equal ones that whose points match.
const Separation& better(const Separation& a, const Separation& b, Real rounding) {
  if (std::abs(a.value - b.value) <= rounding) return a.mismatch <= b.mismatch ? a : b;
  return a.value > b.value ? a : b;
}

Separation any_cores(CorePair& pair, const Vec3& start) {
  const bool curved = pair.a().is_curved() || pair.b().is_curved();
  const GjkResult near = gjk(pair, start, curved ? 1e-4 : 1e-15);
  const Real scale = pair.scale();
  // Corners, edges and faces that are well apart need no more digits than GJK has.
  if (!curved && near.distance > 1e-3 * scale && near.distance - near.lower <= kMatched * scale)
    return {near.direction, near.distance, near.simplex.witness(), 0};

  Separation best;
  if (near.distance > 0) best = ascend(pair, near.direction);
  if (near.distance > 1e-7 * scale && best.mismatch <= kMatched * scale) return best;
  // What is not proven: once more from a better start. Too near for the direction between the points to mean much, the
  // faces of the difference know it.
  if (curved && near.distance > 1e-7 * scale) {
    const GjkResult nearer = gjk(pair, near.direction, 1e-15);
    if (nearer.distance > 0) best = better(best, ascend(pair, nearer.direction), 1e-15 * scale);
    if (best.mismatch <= kMatched * scale) return best;
  }
  return better(best, penetrating(pair, near.simplex), 1e-15 * scale);
}

SurfacePair in_world(const Placed& a, const CorePair& pair, const Separation& answer) {
  const Vec3& n = answer.direction;
  SurfacePair s;
  s.normal = a.rotation * n;
  s.distance = answer.value - pair.radii();
  s.on_a = a.position + a.rotation * (answer.witness.a + pair.a().radius * n);
  s.on_b = a.position + a.rotation * (answer.witness.b - pair.b().radius * n);
  return s;
}

SurfacePair from_plane(const Plane& plane, const Placed& a, const Placed& b) {
  const Vec3 normal = a.rotation * plane.normal;
  // Relative to the plane's frame, so that nothing is lost far from the origin.
  const Vec3 deepest =
      b.position - a.position + b.rotation * support(*b.geometry, -transposed_times(b.rotation, normal));
  SurfacePair s;
  s.normal = normal;
  s.distance = dot(normal, deepest) - plane.offset;
  s.on_b = a.position + deepest;
  s.on_a = a.position + (deepest - s.distance * normal);
  return s;
}

SurfacePair swapped(SurfacePair s) {
  std::swap(s.on_a, s.on_b);
  s.normal = -s.normal;
  return s;
}

}  // namespace

SurfacePair signed_distance(const Placed& a, const Placed& b) {
  DistanceHint hint;
  return signed_distance(a, b, hint);
}

SurfacePair signed_distance(const Placed& a, const Placed& b, DistanceHint& hint) {
  const Plane* plane_a = std::get_if<Plane>(a.geometry);
  const Plane* plane_b = std::get_if<Plane>(b.geometry);
  require(plane_a == nullptr || plane_b == nullptr, "signed_distance: two planes have no distance");
  if (plane_a != nullptr) return from_plane(*plane_a, a, b);
  if (plane_b != nullptr) return swapped(from_plane(*plane_b, b, a));

  CorePair pair(a, b);
  if (pair.a().is_flat() && pair.b().is_flat()) return in_world(a, pair, flat_cores(pair));
  pair.start_at(hint.vertex_a, hint.vertex_b);
  Vec3 start = hint.normal_local;
  if (!(squared_norm(start) > 0)) start = pair.offset();
  if (!(squared_norm(start) > 0)) start = {1, 0, 0};
  const Separation answer = any_cores(pair, start);
  hint = {answer.direction, pair.vertex_a(), pair.vertex_b()};
  return in_world(a, pair, answer);
}

}  // namespace carom
