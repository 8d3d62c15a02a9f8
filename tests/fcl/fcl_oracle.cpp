// FCL's library is built with Eigen's vectors aligned for SSE; without that its objects have another layout here.
#undef EIGEN_DONT_VECTORIZE
#include <ccd/ccd.h>
#include <fcl/fcl.h>

#include <exception>
#include <memory>

#include "fcl_oracle.h"

namespace carom::test {
namespace {

using FclShape = std::shared_ptr<fcl::CollisionGeometryd>;

fcl::Vector3d to_fcl(const Vec3& v) { return {v.x, v.y, v.z}; }
Vec3 from_fcl(const fcl::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

FclShape convex(const Polyhedron& p, Real scale) {
  auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
  for (const Vec3& v : p.vertices()) vertices->push_back(to_fcl(scale * v));
  auto faces = std::make_shared<std::vector<int>>();
  for (std::int32_t f = 0; f < static_cast<std::int32_t>(p.faces().size()); ++f) {
    const auto loop = p.face_vertices(f);
    faces->push_back(static_cast<int>(loop.size()));
    for (const std::int32_t v : loop) faces->push_back(v);
  }
  return std::make_shared<fcl::Convexd>(vertices, static_cast<int>(p.faces().size()), faces);
}

FclShape convert(const Sphere& s, Real scale) { return std::make_shared<fcl::Sphered>(scale * s.radius); }
FclShape convert(const Box& b, Real scale) { return std::make_shared<fcl::Boxd>(to_fcl(2 * scale * b.half_size)); }
FclShape convert(const Capsule& c, Real scale) {
  return std::make_shared<fcl::Capsuled>(scale * c.radius, 2 * scale * c.half_length);
}
FclShape convert(const Plane& p, Real scale) {
  return std::make_shared<fcl::Halfspaced>(to_fcl(p.normal), scale * p.offset);
}
FclShape convert(const Cylinder& c, Real scale) {
  return std::make_shared<fcl::Cylinderd>(scale * c.radius, 2 * scale * c.half_height);
}
FclShape convert(const Cone& c, Real scale) {
  return std::make_shared<fcl::Coned>(scale * c.radius, 2 * scale * c.half_height);
}
FclShape convert(const Ellipsoid& e, Real scale) { return std::make_shared<fcl::Ellipsoidd>(to_fcl(scale * e.radii)); }
FclShape convert(const Hull& h, Real scale) { return convex(*h.polyhedron, scale); }
FclShape convert(const Compound& /*compound*/, Real /*scale*/) { return nullptr; }

fcl::Transform3d to_fcl(const Pose& pose, const Vec3& origin, Real scale) {
  fcl::Transform3d t = fcl::Transform3d::Identity();
  const Quat& q = pose.orientation;
  t.linear() = Eigen::Quaterniond(q.w, q.x, q.y, q.z).toRotationMatrix();
  t.translation() = to_fcl(scale * (pose.position - origin));
  return t;
}

/// FCL has no distances to half spaces, but the depth of what is inside.
std::optional<FclAnswer> depth_in_half_space(const fcl::CollisionGeometryd& a, const fcl::Transform3d& at_a,
                                             const fcl::CollisionGeometryd& b, const fcl::Transform3d& at_b) {
  fcl::CollisionRequestd request(1, true);
  fcl::CollisionResultd result;
  fcl::collide(&a, at_a, &b, at_b, request, result);
  if (!result.isCollision()) return std::nullopt;
  const fcl::Contactd& contact = result.getContact(0);
  const Real depth = contact.penetration_depth;
  // FCL's normal points from the first to the second.
  const Vec3 half = (0.5 * depth) * from_fcl(contact.normal), middle = from_fcl(contact.pos);
  return FclAnswer{-depth, middle + half, middle - half};
}

/// A point of the shape that lies farthest in a direction, in its frame.
Vec3 farthest(const Shape::Geometry& shape, const Vec3& n) {
  const Vec3 out = normalized(Vec3{n.x, n.y, 0});
  const auto end = [&](Real half) { return Vec3{0, 0, std::copysign(half, n.z)}; };
  if (const auto* s = std::get_if<Sphere>(&shape)) return s->radius * normalized(n);
  if (const auto* b = std::get_if<Box>(&shape))
    return times(b->half_size, {std::copysign(1.0, n.x), std::copysign(1.0, n.y), std::copysign(1.0, n.z)});
  if (const auto* c = std::get_if<Capsule>(&shape)) return end(c->half_length) + c->radius * normalized(n);
  if (const auto* c = std::get_if<Cylinder>(&shape)) return end(c->half_height) + c->radius * out;
  if (const auto* c = std::get_if<Cone>(&shape)) {
    const Vec3 apex{0, 0, c->half_height}, rim = c->radius * out - apex;
    return dot(n, apex) > dot(n, rim) ? apex : rim;
  }
  if (const auto* e = std::get_if<Ellipsoid>(&shape)) return times(e->radii, normalized(times(e->radii, n)));
  Vec3 best;
  Real most = -1e300;
  for (const Vec3& v : std::get<Hull>(shape).polyhedron->vertices())
    if (dot(n, v) > most) most = dot(n, v), best = v;
  return best;
}

struct CcdShape {
  const Shape::Geometry* shape;
  Pose pose;
  Vec3 origin;
  Real scale;
};

void ccd_support(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* point) {
  const auto& at = *static_cast<const CcdShape*>(object);
  const Vec3 n{ccdVec3X(direction), ccdVec3Y(direction), ccdVec3Z(direction)};
  const Vec3 local = farthest(*at.shape, rotate(conjugate(at.pose.orientation), n));
  const Vec3 x = at.scale * ((at.pose.position - at.origin) + rotate(at.pose.orientation, local));
  ccdVec3Set(point, x.x, x.y, x.z);
}

/// Depths by libccd's own EPA: FCL's ends the program where an assertion of it fails, which is often.
std::optional<FclAnswer> ccd_depth(const ConvexPair& pair, Real scale) {
  const Vec3 origin = pair.pose_a.position;
  const CcdShape a{&pair.a, pair.pose_a, origin, scale}, b{&pair.b, pair.pose_b, origin, scale};
  ccd_t ccd;
  CCD_INIT(&ccd);
  ccd.support1 = ccd_support, ccd.support2 = ccd_support;
  ccd.max_iterations = 500;
  ccd.epa_tolerance = 1e-7;
  ccd_real_t depth = 0;
  ccd_vec3_t direction, position;
  if (ccdGJKPenetration(&a, &b, &ccd, &depth, &direction, &position) != 0) return std::nullopt;
  const Vec3 half = (0.5 * depth) * Vec3{ccdVec3X(&direction), ccdVec3Y(&direction), ccdVec3Z(&direction)};
  const Vec3 middle{ccdVec3X(&position), ccdVec3Y(&position), ccdVec3Z(&position)};
  return FclAnswer{-depth, middle + half, middle - half};
}

}  // namespace

std::optional<FclAnswer> fcl_distance(const ConvexPair& pair) {
  // FCL's tolerances are lengths, and its coordinates the world's: it gets the pair at the size of one, at the origin.
  const Real scale = 1 / pair.larger();
  const FclShape a = std::visit([&](const auto& s) { return convert(s, scale); }, pair.a);
  const FclShape b = std::visit([&](const auto& s) { return convert(s, scale); }, pair.b);
  const Vec3 origin = pair.pose_a.position;
  const fcl::Transform3d at_a = to_fcl(pair.pose_a, origin, scale), at_b = to_fcl(pair.pose_b, origin, scale);
  std::optional<FclAnswer> answer;
  try {
    if (std::holds_alternative<Plane>(pair.a) || std::holds_alternative<Plane>(pair.b)) {
      answer = depth_in_half_space(*a, at_a, *b, at_b);
    } else {
      fcl::DistanceRequestd request(true);
      request.gjk_solver_type = fcl::GST_LIBCCD;
      request.distance_tolerance = 1e-9;
      fcl::DistanceResultd result;
      fcl::distance(a.get(), at_a, b.get(), at_b, request, result);
      answer = {result.min_distance, from_fcl(result.nearest_points[0]), from_fcl(result.nearest_points[1])};
      // Overlap, and no more than that, is what a negative distance means here.
      if (result.min_distance <= 0) answer = ccd_depth(pair, scale);
    }
  } catch (const std::exception&) {
    return std::nullopt;
  }
  if (answer) {
    if (!std::isfinite(answer->distance + norm(answer->on_a) + norm(answer->on_b))) return std::nullopt;
    answer->distance /= scale;
    answer->on_a = origin + answer->on_a / scale, answer->on_b = origin + answer->on_b / scale;
  }
  return answer;
}

}  // namespace carom::test
