// Any two convex shapes: the direction of least distance or least overlap is the normal, and what both surfaces have in
// common across it are the points.
//
// The normal of least distance comes out of an iteration. Where a flat side lies along it up to rounding, the side's
// own normal takes its place, which is exact.
#include <cmath>

#include "collision/contact_candidates.h"
#include "collision/contact_key_points.h"
#include "collision/contact_pairs.h"
#include "collision/contact_side.h"
#include "collision/patch_overlap.h"
#include "geometry/distance.h"
#include "geometry/support.h"

namespace carom {
namespace {

constexpr Real kSameSeparation = 1e-12;  // of the size: a side that separates as well as the normal does
constexpr Real kSameDirection = 0.999;   // cosine between such a side and the normal
constexpr Real kOverFace = 0.9999;       // cosine between the normal and a side over which points may touch next
constexpr Real kInside = 1e-9;           // of a figure

Vec3 farthest(const Placed& shape, const Vec3& direction) {
  return shape.position + shape.rotation * support(*shape.geometry, transposed_times(shape.rotation, direction));
}

/// Two shapes near the origin, and the pair of points that are nearest or deepest.
struct Touch {
  Placed a, b;
  SurfacePair nearest;
  Real size = 0;  // of the shapes, seen from the points

  Touch(const Placed& pa, const Placed& pb)
      : a{pa.geometry, {}, pa.rotation}, b{pb.geometry, pb.position - pa.position, pb.rotation} {}

  /// False where they are farther apart than the margin.
  bool find_nearest(Real margin) {
    // Along the line between the origins, which often shows at once that they are apart.
    const Real length = norm(b.position);
    if (length > 0) {
      const Vec3 n = b.position / length;
      if (dot(n, farthest(b, -n) - farthest(a, n)) > margin) return false;
    }
    SideAnswer answer = look_from_sides(a, b, margin, nearest);
    if (answer == SideAnswer::Unknown) {
      answer = look_from_sides(b, a, margin, nearest);
      if (answer == SideAnswer::Settled) nearest = {nearest.on_b, nearest.on_a, -nearest.normal, nearest.distance};
    }
    if (answer == SideAnswer::Apart) return false;
    if (answer == SideAnswer::Unknown) nearest = signed_distance(a, b);
    size = norm(nearest.on_a) + norm(nearest.on_b - b.position);
    return nearest.distance <= margin;
  }

  /// Puts the side's normal in the place of the normal where it separates the shapes as well; `other` is what it meets.
  void align_with(const Patch& side, bool of_a, const Patch& other) {
    const Vec3 normal = of_a ? side.normal : -side.normal;
    if (!side.is_flat() || dot(normal, nearest.normal) < kSameDirection) return;
    const Vec3 on_side = side.kind == Patch::Kind::Disc ? side.center : side.vertices[0];
    const Vec3 lowest = of_a ? farthest(b, -normal) : farthest(a, normal);
    const Real separation = (of_a ? 1 : -1) * dot(normal, lowest - on_side);
    if (separation < nearest.distance - kSameSeparation * size) return;
    Vec3 middle = 0.5 * (nearest.on_a + nearest.on_b);
    if (other.kind == Patch::Kind::Point) {
      // What is smooth or pointed touches in its farthest point, if that is over the side at all.
      const ContactFrame frame(normal);
      const SeenPatch seen(side, frame);
      if (!seen.covers(seen.seen(lowest), kInside * side.size)) return;
      middle = lowest + (of_a ? -0.5 : 0.5) * separation * normal;
    }
    nearest = {middle - 0.5 * separation * normal, middle + 0.5 * separation * normal, normal, separation};
  }
};

/// A flat side that the normal is square to.
bool lies_along(const SeenPatch& side, const ContactFrame& frame) {
  return side.is_flat() && std::abs(dot(side.patch().normal, frame.normal)) >= kOverFace;
}

/// Points of one shape beside its patch that are near enough to touch a flat side of the other next.
void add_next_points(const Placed& shape, const SeenPatch& side, bool shape_is_a, const ContactFrame& frame,
                     Real margin, ContactCandidates& candidates) {
  if (!lies_along(side, frame)) return;
  const Vec3 towards = shape_is_a ? frame.normal : -frame.normal;
  // Heights over the side differ little from the height of its middle, along a normal that is nearly its own.
  const Vec3 on_side = side.kind() == Patch::Kind::Disc ? side.patch().center : side.patch().vertices[0];
  const Real least = dot(towards, on_side) - margin - (1 - kOverFace) * side.size();
  for (const KeyPoint& p : KeyPoints(shape, towards, least)) {
    const Vec3 surface = p.point + p.radius * towards;
    const Across at = side.seen(surface);
    const Real own = dot(frame.normal, surface), other = side.height(at);
    const Real gap = shape_is_a ? other - own : own - other;
    if (gap > margin || !side.covers(at, kInside * side.size())) continue;
    const Vec3 point = at.x * frame.x + at.y * frame.y + 0.5 * (own + other) * frame.normal;
    if (!candidates.has_near(point, 1e-3 * side.size())) candidates.add(point, gap, point_name(shape_is_a, p.name));
  }
}

}  // namespace

void convex_convex(const Placed& pa, const Placed& pb, Real margin, Manifold& manifold) {
  Touch touch(pa, pb);
  if (!touch.find_nearest(margin)) return;
  Patch patch_a, patch_b;
  find_patch(touch.a, touch.nearest.normal, patch_a);
  find_patch(touch.b, -touch.nearest.normal, patch_b);
  touch.align_with(patch_a, true, patch_b);
  touch.align_with(patch_b, false, patch_a);
  const SurfacePair& nearest = touch.nearest;
  const ContactFrame frame(nearest.normal);
  const SeenPatch seen_a(patch_a, frame), seen_b(patch_b, frame);
  ContactCandidates candidates;
  const Across at = seen_a.seen(nearest.on_a);
  const bool over_side = lies_along(seen_a, frame) || lies_along(seen_b, frame);
  add_overlap(seen_a, seen_b, frame, {nearest.distance, margin, over_side ? nullptr : &at}, candidates);
  if (candidates.least_gap() > nearest.distance + kSameSeparation * touch.size)
    candidates.add(0.5 * (nearest.on_a + nearest.on_b), nearest.distance, name_at(at, seen_a, seen_b, kNearestPoint));
  add_next_points(touch.a, seen_b, true, frame, margin, candidates);
  add_next_points(touch.b, seen_a, false, frame, margin, candidates);
  manifold.normal = nearest.normal;
  const int column = std::abs(dot(nearest.normal, pa.rotation.column(0))) < 0.9 ? 0 : 1;
  candidates.choose(pa.rotation.column(column), manifold);
  for (int i = 0; i < manifold.count; ++i) manifold.points[static_cast<std::size_t>(i)].point += pa.position;
}

}  // namespace carom
