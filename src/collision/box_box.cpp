// Two boxes: separating axes, then clipping of the incident face or the closest points of two edges.
//
// Fifteen axes suffice to separate two boxes (three faces of each, nine edge pairs: S. Gottschalk, "Separating axis
// theorem", 1996). The axis of largest separation gives the normal. Where the boxes are apart and the nearest features
// are an edge or a vertex beside a face, no axis of the fifteen is the direction of least distance; then the closest
// points are taken instead. A manifold also holds the points that may touch next: where two edges meet but a
// face looks almost the same way, the points over that face, so that a body stopped at one point does not turn into the
// other.
//
// Ridge on ridge: where two parallel edges meet, every direction between a face of the one and a face of the other
// separates the boxes equally well, and the fifteen axes hold only the ends of that range. Two cards that lean on each
// other would then push along the face of one of them. An edge is taken as slightly blunt instead, alike for both
// boxes: the normal is the middle of the range.
#include <cmath>
#include <utility>

#include "collision/contact_pairs.h"
#include "geometry/clip.h"
#include "geometry/distance.h"
#include "geometry/segment.h"

namespace carom {
namespace {

constexpr int kFirstEdgeAxis = 6;
constexpr Real kClipTolerance = 1e-5;  // of a half edge
constexpr Real kFaceLikeEdge = 0.9;    // cosine between an edge axis and a face that may stand for it
constexpr int kRidgeAxis = 15;         // in the place of an axis: what was chosen in the last step
constexpr Real kBlunt = 1e-3;          // of the smallest half edge: how far off a ridge may be and still meet another
constexpr Real kFlat = 0.05;           // sine of the angle below which two faces, not their edges, meet
constexpr Real kParallel = 1e-3;       // sine of the angle below which two edges run alike
constexpr std::uint16_t kVertexFeature = 0x4000;
constexpr std::uint16_t kEdgeFeature = 0x8000;
constexpr std::uint16_t kClosestFeature = 0xC000;
constexpr std::uint16_t kRidgeFeature = 0x1000;  // of an edge
constexpr std::uint16_t kFarEnd = 0x0100;        // of a ridge

struct PlacedBox {
  Vec3 half, center;
  Mat3 rotation;

  Vec3 axis(int i) const { return rotation.column(i); }
};

struct Axis {
  Real separation = -1e300;
  Vec3 normal;  // from a to b
  int index = -1;
};

/// Keeps the best axis; false as soon as one separates by more than the margin.
class AxisSearch {
 public:
  AxisSearch(const PlacedBox& a, const PlacedBox& b, Real margin, int preferred, Real tolerance)
      : a_(a), b_(b), offset_(b.center - a.center), margin_(margin), tolerance_(tolerance), preferred_(preferred) {}

  bool run(Axis& best) {
    const Mat3 r = transposed(a_.rotation) * b_.rotation;
    Mat3 abs_r;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) abs_r(i, j) = std::abs(r(i, j));
    return faces(abs_r, best) && edges(r, abs_r, best);
  }

 private:
  bool faces(const Mat3& abs_r, Axis& best) {
    for (int i = 0; i < 3; ++i) {
      if (!consider(a_.axis(i), a_.half[i] + dot(abs_r.row(i), b_.half), i, 0, best)) return false;
    }
    for (int j = 0; j < 3; ++j) {
      // Ties between the faces of a and b go to a.
      if (!consider(b_.axis(j), b_.half[j] + dot(abs_r.column(j), a_.half), 3 + j, tolerance_, best)) return false;
    }
    return true;
  }

  bool edges(const Mat3& r, const Mat3& abs_r, Axis& best) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const Real length2 = 1 - r(i, j) * r(i, j);
        if (length2 < 1e-6) continue;  // parallel edges: a face axis is as good
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        const Real scale = 1 / std::sqrt(length2);
        const Real reach = scale * (a_.half[i1] * abs_r(i2, j) + a_.half[i2] * abs_r(i1, j) +
                                    b_.half[j1] * abs_r(i, j2) + b_.half[j2] * abs_r(i, j1));
        const Vec3 axis = scale * cross(a_.axis(i), b_.axis(j));
        if (!consider(axis, reach, kFirstEdgeAxis + 3 * i + j, 2 * tolerance_, best)) return false;
      }
    }
    return true;
  }

  /// `handicap` is what the axis must be better by; the axis of the last step has none and gets a bonus.
  bool consider(const Vec3& axis, Real reach, int index, Real handicap, Axis& best) {
    const Real distance = dot(axis, offset_);
    const Real separation = std::abs(distance) - reach;
    if (separation > margin_) return false;
    const Real score = separation - (index == preferred_ ? -2 * tolerance_ : handicap);
    if (score > best_score_) {
      best_score_ = score;
      best = {separation, distance >= 0 ? axis : -axis, index};
    }
    return true;
  }

  const PlacedBox &a_, &b_;
  Vec3 offset_;
  Real margin_, tolerance_;
  int preferred_;
  Real best_score_ = -1e300;
};

/// The face of the box that looks most against n, as a polygon whose edges have the ids 0 to 3; returns its number.
int incident_face(const PlacedBox& box, const Vec3& n, ClipPolygon& polygon) {
  int axis = 0;
  Real best = 0;
  for (int i = 0; i < 3; ++i) {
    const Real d = dot(box.axis(i), n);
    if (std::abs(d) > std::abs(best)) best = d, axis = i;
  }
  const Real side = best > 0 ? -1 : 1;
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  const Vec3 center = box.center + side * box.half[axis] * box.axis(axis);
  const Vec3 du = box.half[u] * box.axis(u), dv = box.half[v] * box.axis(v);
  polygon.vertices[0] = {center + du + dv, 3, 0};
  polygon.vertices[1] = {center - du + dv, 0, 1};
  polygon.vertices[2] = {center - du - dv, 1, 2};
  polygon.vertices[3] = {center + du - dv, 2, 3};
  polygon.count = 4;
  return 2 * axis + (side > 0 ? 1 : 0);
}

/// Points of the incident box over a face of the reference box; `outward` is that face's normal.
class FaceContacts {
 public:
  FaceContacts(const PlacedBox& reference, const PlacedBox& incident, int axis, const Vec3& outward, Real margin,
               bool reference_is_a)
      : reference_(reference),
        incident_(incident),
        axis_(axis),
        outward_(outward),
        margin_(margin),
        plane_(dot(outward, reference.center) + reference.half[axis]),
        name_((reference_is_a ? 0U : 1U) << 12 |
              static_cast<unsigned>(2 * axis + (dot(outward, reference.axis(axis)) > 0 ? 1 : 0)) << 9) {}

  void add_to(Manifold& manifold) const {
    ClipPolygon polygon;
    const int face = incident_face(incident_, outward_, polygon);
    for (int side = 0; side < 4 && polygon.count > 0; ++side) {
      const int k = side_axis(side);
      const Vec3 normal = side_normal(side);
      polygon = clip(polygon, normal, dot(normal, reference_.center) + reference_.half[k],
                     kClipTolerance * reference_.half[k], static_cast<unsigned char>(4 + side));
    }
    for (int i = 0; i < polygon.count; ++i) {
      const ClipVertex& v = polygon.vertices[static_cast<std::size_t>(i)];
      add(v.point, name_ | static_cast<unsigned>(face) << 6 | static_cast<unsigned>(v.edge_in) << 3 | v.edge_out,
          manifold);
    }
    add_other_vertices(face, manifold);
  }

 private:
  int side_axis(int side) const { return (axis_ + (side < 2 ? 1 : 2)) % 3; }
  Vec3 side_normal(int side) const { return (side % 2 == 0 ? 1.0 : -1.0) * reference_.axis(side_axis(side)); }

  void add(const Vec3& point, unsigned feature, Manifold& manifold) const {
    const Real gap = dot(outward_, point) - plane_;
    if (gap <= margin_) manifold.add(point - 0.5 * gap * outward_, gap, static_cast<std::uint16_t>(feature));
  }

  /// Vertices beside the incident face that are near enough to be next.
  void add_other_vertices(int face, Manifold& manifold) const {
    for (unsigned corner = 0; corner < 8; ++corner) {
      const auto side = static_cast<int>(corner >> (face / 2) & 1U);
      if (side == face % 2) continue;  // on the face
      Vec3 point = incident_.center;
      for (int i = 0; i < 3; ++i)
        point += ((corner >> i & 1U) != 0 ? incident_.half[i] : -incident_.half[i]) * incident_.axis(i);
      if (dot(outward_, point) - plane_ > margin_) continue;
      bool over = true;
      for (int k = 1; k <= 2; ++k) {
        const int i = (axis_ + k) % 3;
        over = over && std::abs(dot(reference_.axis(i), point - reference_.center)) <= reference_.half[i];
      }
      if (over) add(point, kVertexFeature | name_ | corner, manifold);
    }
  }

  const PlacedBox &reference_, &incident_;
  int axis_;
  Vec3 outward_;
  Real margin_, plane_;
  unsigned name_;  // which face of which box
};

/// Contacts over the face with index 0 … 5 (a's faces first).
void add_face_contacts(const PlacedBox& a, const PlacedBox& b, int face, const Vec3& normal, Real margin,
                       Manifold& manifold) {
  manifold.normal = normal;
  if (face < 3) {
    FaceContacts(a, b, face, normal, margin, true).add_to(manifold);
  } else {
    FaceContacts(b, a, face - 3, -normal, margin, false).add_to(manifold);
  }
}

/// The face of either box that looks most along the axis, and its normal from a to b.
int most_aligned_face(const PlacedBox& a, const PlacedBox& b, Vec3& normal) {
  int best = 0;
  Real cosine = 0;
  for (int i = 0; i < 6; ++i) {
    const Real d = dot(i < 3 ? a.axis(i) : b.axis(i - 3), normal);
    if (std::abs(d) > std::abs(cosine)) cosine = d, best = i;
  }
  if (std::abs(cosine) < kFaceLikeEdge) return -1;
  const Vec3 axis = best < 3 ? a.axis(best) : b.axis(best - 3);
  normal = cosine > 0 ? axis : -axis;
  return best;
}

/// True where a face would push the boxes apart much farther than the axis of least overlap does.
bool is_much_deeper(const Manifold& manifold, Real separation, Real size) {
  Real deepest = 0;
  for (int i = 0; i < manifold.count; ++i)
    deepest = std::min(deepest, manifold.points[static_cast<std::size_t>(i)].gap);
  return deepest < 1.5 * std::min(separation, 0.0) - 0.05 * size;
}

/// The edge of the box along axis i that lies farthest in direction d.
Segment edge_towards(const PlacedBox& box, int i, const Vec3& d, unsigned& corner) {
  Vec3 center = box.center;
  corner = 0;
  for (int k = 1; k <= 2; ++k) {
    const int j = (i + k) % 3;
    const bool positive = dot(box.axis(j), d) >= 0;
    center += (positive ? box.half[j] : -box.half[j]) * box.axis(j);
    corner = 2 * corner + (positive ? 1U : 0U);
  }
  return {center, box.axis(i), box.half[i]};
}

/// One point where two edges cross; false if they pass each other outside their ends.
bool cross_edges(const PlacedBox& a, const PlacedBox& b, const Axis& axis, Real margin, Manifold& manifold) {
  const int i = (axis.index - kFirstEdgeAxis) / 3, j = (axis.index - kFirstEdgeAxis) % 3;
  unsigned corner_a = 0, corner_b = 0;
  const Segment edge_a = edge_towards(a, i, axis.normal, corner_a);
  const Segment edge_b = edge_towards(b, j, -axis.normal, corner_b);
  const SegmentPair nearest = closest(edge_a, edge_b);
  if (!nearest.inside && axis.separation > 0) return false;
  const Vec3 pa = edge_a.at(nearest.s), pb = edge_b.at(nearest.t);
  const Real gap = dot(axis.normal, pb - pa);
  if (gap > margin) return true;
  const unsigned feature =
      kEdgeFeature | static_cast<unsigned>(i) << 6 | static_cast<unsigned>(j) << 4 | corner_a << 2 | corner_b;
  manifold.normal = axis.normal;
  manifold.add(0.5 * (pa + pb), gap, static_cast<std::uint16_t>(feature));
  return true;
}

/// Two edges that run alike and meet, and the direction between them.
struct Ridges {
  int edge_of_reference = 0, edge_of_incident = 0;
  Vec3 normal;  // from the reference box to the incident one
};

/// False where one of the boxes touches with a face, or beside the other's edge.
bool find_ridges(const PlacedBox& reference, const PlacedBox& incident, int face, const Vec3& outward, Real blunt,
                 Ridges& ridges) {
  int along = -1;  // the axis of the incident box that its edge runs along
  for (int i = 0; i < 3; ++i) {
    const Real sine = std::abs(dot(incident.axis(i), outward));
    if (sine > kFlat) continue;
    if (along >= 0 || sine > kParallel) return false;
    along = i;
  }
  if (along < 0) return false;
  const Vec3 direction = incident.axis(along);
  int edge = (face + 1) % 3, across = (face + 2) % 3;
  if (std::abs(dot(reference.axis(edge), direction)) < std::abs(dot(reference.axis(across), direction)))
    std::swap(edge, across);
  if (std::abs(dot(reference.axis(across), direction)) > kParallel) return false;

  unsigned corner = 0;
  const Vec3 offset = edge_towards(incident, along, -outward, corner).center - reference.center;
  const Real height = dot(outward, offset) - reference.half[face];
  const Real beside = dot(reference.axis(across), offset);
  if (std::abs(height) > blunt || std::abs(std::abs(beside) - reference.half[across]) > blunt) return false;

  // The range goes from the reference face to that face of the incident box which looks past it.
  const Vec3 past = beside > 0 ? reference.axis(across) : -reference.axis(across);
  Vec3 end = outward;
  for (int k = 1; k <= 2; ++k) {
    const Vec3 side = incident.axis((along + k) % 3);
    const Vec3 facing = dot(side, outward) > 0 ? side : -side;
    if (dot(facing, past) > 0) end = facing;
  }
  ridges = {edge, along, normalized(outward + end)};
  return dot(end, past) > kFlat;
}

/// True where no point lies higher over the face than a ridge may: what may touch next needs the face's normal.
bool is_thin(const Manifold& manifold, Real blunt) {
  for (int i = 0; i < manifold.count; ++i)
    if (std::abs(manifold.points[static_cast<std::size_t>(i)].gap) > blunt) return false;
  return true;
}

/// Puts in the place of a face's points the ends of what two edges have in common, where the boxes meet with them;
/// `axis` is that of a face.
bool meet_in_ridges(const PlacedBox& a, const PlacedBox& b, const Axis& axis, Real blunt, Real margin,
                    Manifold& manifold) {
  Ridges ridges;
  const bool of_a = axis.index < 3;
  if (!find_ridges(of_a ? a : b, of_a ? b : a, axis.index % 3, of_a ? axis.normal : -axis.normal, blunt, ridges))
    return false;
  const Vec3 normal = of_a ? ridges.normal : -ridges.normal;
  const int i = of_a ? ridges.edge_of_reference : ridges.edge_of_incident;
  const int j = of_a ? ridges.edge_of_incident : ridges.edge_of_reference;
  unsigned corner_a = 0, corner_b = 0;
  const Segment edge_a = edge_towards(a, i, normal, corner_a), edge_b = edge_towards(b, j, -normal, corner_b);
  const Vec3 between = edge_b.center - edge_a.center;
  const Real shift = dot(edge_a.direction, between);
  const Real low = std::max(-edge_a.half_length, shift - edge_b.half_length);
  const Real high = std::min(edge_a.half_length, shift + edge_b.half_length);
  const Real gap = dot(normal, between);
  if (low > high || gap > margin) return false;
  const Segment middle{edge_a.center + 0.5 * (between - shift * edge_a.direction), edge_a.direction, 0};
  const unsigned feature = kEdgeFeature | kRidgeFeature | static_cast<unsigned>(i) << 6 |
                           static_cast<unsigned>(j) << 4 | corner_a << 2 | corner_b;
  manifold.normal = normal;
  manifold.count = 0;
  manifold.add(middle.at(low), gap, static_cast<std::uint16_t>(feature));
  manifold.add(middle.at(high), gap, static_cast<std::uint16_t>(feature | kFarEnd));
  return true;
}

/// One point between the closest points of separated boxes; false where they touch, and have no direction between them.
bool add_closest_points(const Placed& a, const Placed& b, Real margin, Manifold& manifold) {
  const SurfacePair nearest = signed_distance(a, b);
  if (nearest.distance <= 0) return false;
  if (nearest.distance > margin) return true;
  manifold.normal = nearest.normal;
  manifold.add(0.5 * (nearest.on_a + nearest.on_b), nearest.distance, kClosestFeature);
  return true;
}

}  // namespace

void box_box(const Placed& pa, const Placed& pb, Real margin, Manifold& manifold) {
  const Box &a = std::get<Box>(*pa.geometry), &b = std::get<Box>(*pb.geometry);
  const PlacedBox box_a{a.half_size, pa.position, pa.rotation}, box_b{b.half_size, pb.position, pb.rotation};
  const int preferred = static_cast<int>(manifold.axis) - 1;
  manifold.axis = 0;
  // Ties closer than this do not change the choice of axis, so that features keep their names.
  const Vec3 &ha = a.half_size, &hb = b.half_size;
  const Real smallest = std::min({ha.x, ha.y, ha.z, hb.x, hb.y, hb.z});
  const Real tolerance = 1e-4 * smallest;
  Axis axis;
  if (!AxisSearch(box_a, box_b, margin, preferred, tolerance).run(axis)) return;

  manifold.axis = static_cast<std::uint8_t>(axis.index + 1);
  if (axis.index < kFirstEdgeAxis) {
    add_face_contacts(box_a, box_b, axis.index, axis.normal, margin, manifold);
    const Real blunt = (preferred == kRidgeAxis ? 2 : 1) * kBlunt * smallest;
    if (is_thin(manifold, blunt) && meet_in_ridges(box_a, box_b, axis, blunt, margin, manifold))
      manifold.axis = kRidgeAxis + 1;
  } else {
    Vec3 normal = axis.normal;
    const int face = most_aligned_face(box_a, box_b, normal);
    if (face >= 0) add_face_contacts(box_a, box_b, face, normal, margin, manifold);
    if (is_much_deeper(manifold, axis.separation, smallest)) manifold.count = 0;
    if (manifold.count == 0 && cross_edges(box_a, box_b, axis, margin, manifold)) return;
  }
  if (manifold.count > 0) return;
  // Boxes that touch in a point that no axis shows, or whose faces clip to nothing by rounding.
  if (axis.separation <= 0 || !add_closest_points(pa, pb, margin, manifold)) convex_convex(pa, pb, margin, manifold);
}

}  // namespace carom
