// Separating axes (S. Gottschalk 1996), then the incident face clipped by the sides of the reference face.
//
// Where a face separates the boxes, or nearly does, its normal is taken, whatever edges might say: seen from afar a
// pair of edges gives one point, and boxes stopped at one point begin to spin. Edges count once the boxes overlap as
// seen from every face, and no face that looks nearly their way shows about the same gap.
#include "fast/box_pair.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "collision/pairs.h"
#include "geometry/distance.h"
#include "geometry/segment.h"

namespace carom::fast {
namespace {

constexpr int kFaceAxes = 6;
/// Of the smallest half size: how much better another axis must be than that of the last search, or an edge than a
/// face. Points are then off by no more than this.
constexpr Real kKeepAxis = 1e-3, kKeepFace = 1e-2;
constexpr Real kParallel = 1e-4;  // squared sine of the angle below which two edges give no axis
constexpr std::uint16_t kEdgeFeature = 0x8000, kClosestFeature = 0xC000;

struct Boxes {
  Vec3 half_a, half_b;
  Mat3 rotation;  // of b in a's frame
  Mat3 absolute;  // its entries without their signs
  Vec3 offset;    // from a to b, in a's frame
};

struct Axis {
  Real separation = -1e300;
  Real score = -1e300;
  Vec3 normal;  // a's frame, from a to b
  int index = -1;
};

/// False where the axis separates the boxes by more than `known`; that is what `best` then says.
bool consider(Real distance, Real reach, const Vec3& direction, int index, Real bonus, Real known, Axis& best) {
  const Real separation = std::abs(distance) - reach;
  if (separation > known) {
    best.separation = separation;
    return false;
  }
  if (separation + bonus > best.score)
    best = {separation, separation + bonus, distance >= 0 ? direction : -direction, index};
  return true;
}

bool try_faces(const Boxes& x, int preferred, Real tolerance, Real known, Axis& best) {
  const auto bonus = [&](int index) { return index == preferred ? tolerance : 0; };
  for (int i = 0; i < 3; ++i) {
    Vec3 direction;
    direction[i] = 1;
    const Real reach = x.half_a[i] + dot(x.absolute.row(i), x.half_b);
    if (!consider(x.offset[i], reach, direction, i, bonus(i), known, best)) return false;
  }
  for (int j = 0; j < 3; ++j) {
    const Vec3 direction = x.rotation.column(j);
    const Real reach = x.half_b[j] + dot(x.absolute.column(j), x.half_a);
    if (!consider(dot(direction, x.offset), reach, direction, 3 + j, bonus(3 + j), known, best)) return false;
  }
  return true;
}

bool try_edges(const Boxes& x, int preferred, Real tolerance, Real known, Axis& best) {
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const Real length2 = 1 - x.rotation(i, j) * x.rotation(i, j);
      if (length2 < kParallel) continue;
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const Real scale = 1 / std::sqrt(length2);
      const Real reach = scale * (x.half_a[i1] * x.absolute(i2, j) + x.half_a[i2] * x.absolute(i1, j) +
                                  x.half_b[j1] * x.absolute(i, j2) + x.half_b[j2] * x.absolute(i, j1));
      // The axis of a crossed with that of b.
      const Real distance = scale * (x.rotation(i1, j) * x.offset[i2] - x.rotation(i2, j) * x.offset[i1]);
      Vec3 direction;
      direction[i1] = -scale * x.rotation(i2, j);
      direction[i2] = scale * x.rotation(i1, j);
      const int index = kFaceAxes + 3 * i + j;
      const Real bonus = index == preferred ? tolerance : 0;
      if (!consider(distance, reach, direction, index, bonus, known, best)) return false;
    }
  }
  return true;
}

/// A vertex of the incident face, in the reference box's frame, and what made it.
struct Corner {
  Vec3 at;
  unsigned in = 0, out = 0;  // sides that meet there
};

struct Outline {
  std::array<Corner, 8> corners;
  int count = 0;
  void push(const Corner& c) {
    if (count < 8) corners[static_cast<std::size_t>(count++)] = c;
  }
};

/// Keeps what lies within sign · at[axis] ≤ limit.
void cut(Outline& outline, int axis, Real sign, Real limit, unsigned side) {
  bool all_inside = true;
  for (int k = 0; k < outline.count; ++k)
    all_inside = all_inside && sign * outline.corners[static_cast<std::size_t>(k)].at[axis] <= limit;
  if (all_inside) return;
  const Outline before = outline;
  outline.count = 0;
  for (int k = 0; k < before.count; ++k) {
    const Corner& p = before.corners[static_cast<std::size_t>(k)];
    const Corner& q = before.corners[static_cast<std::size_t>((k + 1) % before.count)];
    const Real dp = sign * p.at[axis] - limit, dq = sign * q.at[axis] - limit;
    if (dp <= 0) outline.push(p);
    if ((dp < 0 && dq > 0) || (dp > 0 && dq < 0)) {
      const Vec3 at = p.at + (dp / (dp - dq)) * (q.at - p.at);
      outline.push(dp < 0 ? Corner{at, p.out, side} : Corner{at, side, p.out});
    }
  }
}

/// Points of the incident box over a face of the reference box. `rotation` and `offset` are of the incident box in the
/// reference box's frame, `outward` the face's normal there.
void add_face_points(const Vec3& reference_half, const Vec3& incident_half, const Mat3& rotation, const Vec3& offset,
                     int axis, Real outward, const Placed& reference, bool reference_is_a, Real known,
                     Manifold& manifold) {
  // The incident face looks most against the reference face.
  const Vec3 facing = outward * rotation.row(axis);
  int face = 0;
  for (int j = 1; j < 3; ++j)
    if (std::abs(facing[j]) > std::abs(facing[face])) face = j;
  const Real side = facing[face] > 0 ? -1 : 1;
  const int u = (face + 1) % 3, v = (face + 2) % 3;
  const Vec3 center = offset + (side * incident_half[face]) * rotation.column(face);
  const Vec3 du = incident_half[u] * rotation.column(u), dv = incident_half[v] * rotation.column(v);
  Outline outline;
  outline.count = 4;
  outline.corners[0] = {center + du + dv, 3, 0};
  outline.corners[1] = {center - du + dv, 0, 1};
  outline.corners[2] = {center - du - dv, 1, 2};
  outline.corners[3] = {center + du - dv, 2, 3};
  for (unsigned k = 0; k < 4; ++k) {
    const int across = (axis + (k < 2 ? 1 : 2)) % 3;
    cut(outline, across, k % 2 == 0 ? 1 : -1, reference_half[across], 4 + k);
  }
  const unsigned name = (reference_is_a ? 0U : 1U) << 12 |
                        static_cast<unsigned>(2 * axis + (outward > 0 ? 1 : 0)) << 9 |
                        static_cast<unsigned>(2 * face + (side > 0 ? 1 : 0)) << 6;
  // All of them where one is near: a body that is stopped at one corner soon comes down on the others.
  Real least = 1e300;
  for (int k = 0; k < outline.count; ++k) {
    const Corner& c = outline.corners[static_cast<std::size_t>(k)];
    const Real gap = outward * c.at[axis] - reference_half[axis];
    least = std::min(least, gap);
    Vec3 middle = c.at;
    middle[axis] -= 0.5 * outward * gap;
    manifold.add(reference.position + reference.rotation * middle, gap,
                 static_cast<std::uint16_t>(name | c.in << 3 | c.out));
  }
  if (least > known) manifold.count = 0;
}

void add_face(const Boxes& x, const Placed& a, const Placed& b, const Axis& axis, Real known, Manifold& manifold) {
  manifold.normal = a.rotation * axis.normal;
  const int i = axis.index % 3;
  if (axis.index < 3) {
    add_face_points(x.half_a, x.half_b, x.rotation, x.offset, i, axis.normal[i] > 0 ? 1 : -1, a, true, known, manifold);
  } else {
    const Real outward = dot(x.rotation.column(i), axis.normal) > 0 ? -1 : 1;
    add_face_points(x.half_b, x.half_a, transposed(x.rotation), -transposed_times(x.rotation, x.offset), i, outward, b,
                    false, known, manifold);
  }
}

/// The face that looks most along an edge axis, if it may stand for it.
bool find_face_like(const Boxes& x, const Axis& edge, Axis& face) {
  constexpr Real kAlike = 0.9;  // cosine
  Real most = kAlike;
  for (int i = 0; i < 6; ++i) {
    Vec3 direction;
    if (i < 3)
      direction[i] = 1;
    else
      direction = x.rotation.column(i - 3);
    const Real cosine = dot(direction, edge.normal);
    if (std::abs(cosine) <= most) continue;
    most = std::abs(cosine);
    face = {edge.separation, edge.score, cosine > 0 ? direction : -direction, i};
  }
  return face.index >= 0;
}

Real least_gap(const Manifold& manifold) {
  Real least = 1e300;
  for (int i = 0; i < manifold.count; ++i) least = std::min(least, manifold.points[static_cast<std::size_t>(i)].gap);
  return least;
}

bool is_deeper(const Manifold& manifold, Real gap) { return least_gap(manifold) < gap; }

/// False where the incident face reaches over the reference face with a far corner only: its neighbour is the near one.
bool is_near(const Manifold& manifold, const Axis& face, Real size) {
  constexpr Real kFar = 0.05;
  return least_gap(manifold) <= face.separation + kFar * size;
}

/// The middle of the edge along axis i that lies farthest in direction d, box's frame.
Vec3 edge_towards(const Vec3& half, int i, const Vec3& d, unsigned& corner) {
  Vec3 middle;
  corner = 0;
  for (int k = 1; k <= 2; ++k) {
    const int j = (i + k) % 3;
    middle[j] = d[j] >= 0 ? half[j] : -half[j];
    corner = 2 * corner + (d[j] >= 0 ? 1U : 0U);
  }
  return middle;
}

/// One point where two edges cross; none where they pass each other beyond their ends.
void add_edge_point(const Boxes& x, const Placed& a, const Axis& axis, Real known, Manifold& manifold) {
  const int i = (axis.index - kFaceAxes) / 3, j = (axis.index - kFaceAxes) % 3;
  unsigned corner_a = 0, corner_b = 0;
  Vec3 along_a;
  along_a[i] = 1;
  const Segment edge_a{edge_towards(x.half_a, i, axis.normal, corner_a), along_a, x.half_a[i]};
  const Vec3 middle_b = edge_towards(x.half_b, j, -transposed_times(x.rotation, axis.normal), corner_b);
  const Segment edge_b{x.offset + x.rotation * middle_b, x.rotation.column(j), x.half_b[j]};
  const SegmentPair nearest = closest(edge_a, edge_b);
  if (!nearest.inside) return;
  const Vec3 pa = edge_a.at(nearest.s), pb = edge_b.at(nearest.t);
  const Real gap = dot(axis.normal, pb - pa);
  if (gap > known) return;
  manifold.normal = a.rotation * axis.normal;
  manifold.add(a.position + a.rotation * (0.5 * (pa + pb)), gap,
               static_cast<std::uint16_t>(kEdgeFeature | static_cast<unsigned>(i) << 6 | static_cast<unsigned>(j) << 4 |
                                          corner_a << 2 | corner_b));
}

}  // namespace

Real find_box_points(const Placed& a, const Placed& b, Real known, Manifold& manifold) {
  Boxes x;
  x.half_a = std::get<Box>(*a.geometry).half_size;
  x.half_b = std::get<Box>(*b.geometry).half_size;
  x.rotation = transposed(a.rotation) * b.rotation;
  x.offset = transposed_times(a.rotation, b.position - a.position);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) x.absolute(i, j) = std::abs(x.rotation(i, j));
  const Real smallest = std::min({x.half_a.x, x.half_a.y, x.half_a.z, x.half_b.x, x.half_b.y, x.half_b.z});
  const int preferred = static_cast<int>(manifold.axis) - 1;
  manifold.axis = 0;
  manifold.count = 0;
  Axis face, edge;
  if (!try_faces(x, preferred, kKeepAxis * smallest, known, face)) return face.separation;
  // Edges are asked only where faces overlap by more than they are trusted with, or show nothing.
  if (face.separation > -kKeepFace * smallest) {
    manifold.axis = static_cast<std::uint8_t>(face.index + 1);
    add_face(x, a, b, face, known, manifold);
    if (manifold.count > 0 && !is_deeper(manifold, -kKeepFace * smallest) && is_near(manifold, face, smallest))
      return known;
    manifold.count = 0;
  }
  if (!try_edges(x, preferred, kKeepAxis * smallest, known, edge)) return edge.separation;
  if (edge.index < 0 || edge.score <= face.score + kKeepFace * smallest) {
    manifold.axis = static_cast<std::uint8_t>(face.index + 1);
    add_face(x, a, b, face, known, manifold);
    if (!is_near(manifold, face, smallest)) manifold.count = 0;
  }
  Axis stand_in;
  if (manifold.count == 0 && edge.index >= 0 && find_face_like(x, edge, stand_in)) {
    manifold.axis = static_cast<std::uint8_t>(edge.index + 1);
    add_face(x, a, b, stand_in, known, manifold);
    // A face must not push the boxes apart much farther than the edges do.
    constexpr Real kFarther = 1.5, kOfSize = 0.05;
    if (is_deeper(manifold, kFarther * std::min(edge.separation, 0.0) - kOfSize * smallest) ||
        !is_near(manifold, edge, smallest))
      manifold.count = 0;
  }
  if (manifold.count == 0 && edge.index >= 0) {
    manifold.axis = static_cast<std::uint8_t>(edge.index + 1);
    add_edge_point(x, a, edge, known, manifold);
  }
  if (manifold.count > 0) return known;
  // Corner beside corner, or an edge past its end.
  manifold.axis = 0;
  const SurfacePair nearest = signed_distance(a, b);
  if (nearest.distance > 0) {
    if (nearest.distance > known) return nearest.distance;
    manifold.normal = nearest.normal;
    manifold.add(0.5 * (nearest.on_a + nearest.on_b), nearest.distance, kClosestFeature);
  } else {
    collide(a, b, known, manifold);
  }
  return known;
}

}  // namespace carom::fast
