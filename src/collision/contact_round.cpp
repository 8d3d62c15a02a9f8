// A sphere against a sphere or a capsule: the distance of its centre from a point or a segment.
#include <algorithm>
#include <cmath>

#include "collision/contact_pairs.h"
#include "geometry/segment.h"

namespace carom {
namespace {

/// A point with a radius against a point with a radius. Coinciding centres separate along `fallback`.
void add_round_pair(const Vec3& ca, Real ra, const Vec3& cb, Real rb, const Vec3& fallback, Real margin,
                    std::uint16_t feature, Manifold& m) {
  const Vec3 d = cb - ca;
  const Real distance = norm(d);
  const Real gap = distance - ra - rb;
  if (gap > margin) return;
  // The direction between centres that differ by rounding is no direction.
  const Real rounding = 1e-14 * (ra + rb) + 1e-15 * (norm(ca) + norm(cb));
  m.normal = distance > rounding ? d / distance : fallback;
  m.add(ca + (ra + 0.5 * gap) * m.normal, gap, feature);
}

Segment axis_of(const Capsule& c, const Placed& p) { return {p.position, p.rotation.column(2), c.half_length}; }

}  // namespace

void sphere_sphere(const Placed& pa, const Placed& pb, Real margin, Manifold& m) {
  const Sphere& a = std::get<Sphere>(*pa.geometry);
  const Sphere& b = std::get<Sphere>(*pb.geometry);
  add_round_pair(pa.position, a.radius, pb.position, b.radius, {0, 0, 1}, margin, 0, m);
}

void sphere_capsule(const Placed& pa, const Placed& pb, Real margin, Manifold& m) {
  const Sphere& a = std::get<Sphere>(*pa.geometry);
  const Capsule& b = std::get<Capsule>(*pb.geometry);
  const Segment axis = axis_of(b, pb);
  const Real t = std::clamp(dot(pa.position - axis.center, axis.direction), -axis.half_length, axis.half_length);
  add_round_pair(pa.position, a.radius, axis.at(t), b.radius, pb.rotation.column(0), margin, 0, m);
}

}  // namespace carom
