// A plane against any convex shape. The distance of a shape from a plane is that of its farthest point, which every
// kind knows in closed form.
#include "collision/contact_candidates.h"
#include "collision/contact_key_points.h"
#include "collision/contact_pairs.h"

namespace carom {

void plane_any(const Placed& pa, const Placed& pb, Real margin, Manifold& manifold) {
  const Plane& plane = std::get<Plane>(*pa.geometry);
  const Vec3 normal = pa.rotation * plane.normal;
  const Real offset = plane.offset + dot(normal, pa.position);
  ContactCandidates candidates;
  for (const KeyPoint& p : KeyPoints(pb, -normal, -offset - margin)) {
    const Real gap = dot(normal, p.point) - offset - p.radius;
    if (gap <= margin) candidates.add(p.point - (p.radius + 0.5 * gap) * normal, gap, p.name);
  }
  manifold.normal = normal;
  candidates.choose(pb.rotation.column(std::abs(dot(normal, pb.rotation.column(0))) < 0.9 ? 0 : 1), manifold);
}

}  // namespace carom
