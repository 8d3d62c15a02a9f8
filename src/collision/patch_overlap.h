// Where two patches lie over each other, seen along the contact normal.
//
// Both figures are projected on a plane across the normal. The corners of what they have in common are the contact
// points: corners of one inside the other, crossings of their outlines, points of a rim inside the other, and ends of
// segments. The gap of a point is the difference of the two surfaces' heights along the normal over it, exactly, with
// no need for the surfaces to be parallel; so all corners can be had at once, those that touch and those that may touch
// next. Neither figure is the reference, which makes points and names the same whichever shape comes first.
//
// Polygons are cut by half planes (I. Sutherland, G. Hodgman, "Reentrant polygon clipping", 1974).
#pragma once

#include "collision/contact_candidates.h"
#include "collision/patch.h"

namespace carom {

/// The frame of a contact: heights are along the normal, `x` and `y` across it.
struct ContactFrame {
  Vec3 x, y, normal;

  explicit ContactFrame(const Vec3& unit);
};

/// A point in the plane across the normal.
struct Across {
  Real x = 0, y = 0;
};

/// A patch as it is seen along the normal.
class SeenPatch {
 public:
  /// A flat figure that is seen nearly edge on has no extent worth speaking of and is taken for a point.
  SeenPatch(const Patch& patch, const ContactFrame& frame);

  Patch::Kind kind() const { return kind_; }
  const Patch& patch() const { return patch_; }
  Real size() const { return patch_.size; }
  bool is_flat() const { return kind_ == Patch::Kind::Polygon || kind_ == Patch::Kind::Disc; }

  int count() const { return patch_.count; }
  /// Counter-clockwise about the normal.
  const Across& corner(int i) const { return corners_[static_cast<std::size_t>(i)]; }
  std::uint16_t corner_name(int i) const { return patch_.vertex_names[source(i)]; }
  /// Of the edge from corner i to the next.
  std::uint16_t edge_name(int i) const;
  /// Of a corner, along the normal.
  Real corner_height(int i) const { return dot(frame_.normal, patch_.vertices[source(i)]); }
  /// How far a point lies outside the edge from corner i to the next.
  Real outside_edge(int i, const Across& p) const;

  /// Of a flat figure's plane over a point.
  Real height(const Across& p) const { return height_ + slope_.x * p.x + slope_.y * p.y; }
  const Across& slope() const { return slope_; }
  /// True where the point lies in a flat figure or outside it by no more than `tolerance`.
  bool covers(const Across& p, Real tolerance) const;

  /// In the axes u, v of a disc, from its centre: the point of its plane over p.
  Across in_disc(const Across& p) const;
  /// Where a point of a disc's plane, given in its axes, is seen.
  Across from_disc(Real u, Real v) const;

  /// The height of the curved surface round a segment over p, near `guess`; false where there is none.
  bool curved_height(const Across& p, Real guess, Real& height) const;

  Across seen(const Vec3& point) const { return {dot(frame_.x, point), dot(frame_.y, point)}; }

 private:
  std::size_t source(int i) const { return static_cast<std::size_t>(reversed_ ? patch_.count - 1 - i : i); }

  const Patch& patch_;
  const ContactFrame& frame_;
  Patch::Kind kind_;
  bool reversed_ = false;
  std::array<Across, Patch::kMaxVertices> corners_;
  Real height_ = 0;
  Across slope_;
};

/// Names of contact points, the same whether the figure or something else has found them.
std::uint16_t point_name(bool of_a, std::uint16_t key_point);

/// The name of a point that may coincide with a corner of either figure, within the tolerance of clipping: the
/// corner's, whichever way the point was found, or `otherwise`.
std::uint16_t name_at(const Across& p, const SeenPatch& a, const SeenPatch& b, std::uint16_t otherwise);

/// The one point of a contact that has no flat side in it: nearest or deepest.
inline constexpr std::uint16_t kNearestPoint = 0xFFFF;

/// What the distance of the two shapes says about the points between them.
struct PointBounds {
  Real least = 0;                   ///< no gap can be less than the signed distance
  Real most = 0;                    ///< greater gaps are of no interest
  const Across* nearest = nullptr;  ///< where the only point is that touches first, if there is just one
};

/// Adds the corners of what the figures have in common.
void add_overlap(const SeenPatch& a, const SeenPatch& b, const ContactFrame& frame, const PointBounds& bounds,
                 ContactCandidates& candidates);

}  // namespace carom
