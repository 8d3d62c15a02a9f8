// Recycling: a pair whose bodies have hardly moved against each other keeps its contact points.
//
// Of a search for contact points is remembered how the bodies lay to each other, on which of the two the normal sits
// (the base), where each point sits on the other (the probe), and how high over the base. While the relative pose stays
// within `kStill` of the smaller size s (surface motion δ, turning included), points, normal and gaps follow from
// these.
//
// - The gap of a corner over a face is exact whatever the motion. So are point and gap of a ball on a face, whose probe
//   is its centre, and of two balls, whose normal is the line of centres.
// - Any other gap between flat sides and straight edges is off by at most δ²/s (the turn of the normal times the
//   sliding): 1e-8 s at most, where the contact envelope is 1e-4 s.
// - Where an edge of the base ends a contact patch, that corner of the patch is off by at most δ.
//
// On other curved surfaces the contact point wanders as the body rolls. A point that lags behind by δ turns the body by
// weight · δ, so that slow rolling would be driven or braked: there `kStillCurved` allows no more than what rests
// needs.
#pragma once

#include <span>
#include <vector>

#include "base/bytes.h"
#include "collision/manifold.h"
#include "geometry/placed.h"

namespace carom {

inline constexpr Real kStill = 1e-4;
inline constexpr Real kStillCurved = 1e-8;

/// What is remembered of a search for contact points, a manifold.
struct ContactReference {
  Vec3 offset_local;      ///< m: the probe's position in the base's frame
  Mat3 turn;              ///< the probe's orientation in the base's frame
  Vec3 normal_local;      ///< from base to probe, in the base's frame; zero: along the line of centres of two balls
  Real margin = 0;        ///< m: points up to this gap are known
  Real allowed2 = 0;      ///< m²: of the motion, with turns times the lever
  Real lever2 = 0;        ///< m²: farthest point of the probe from its frame's origin; zero for a ball
  Real radius = 0;        ///< m: of a ball as probe
  bool base_is_a = true;  ///< the base is a, the probe b; else the other way round
};

/// What is remembered of a point.
struct PointAnchor {
  Vec3 on_probe_local;  ///< m, in the probe's frame, on its surface; the centre of a ball
  Real level = 0;       ///< m: where it would touch, along the normal, from the base's position
};

/// Margins in coarse steps, at most an eighth larger, so that they stay equal while velocities flicker.
Real coarse_margin(Real margin);

/// Of a manifold whose points have just been searched for with this margin; appends an anchor a point.
ContactReference make_reference(const Manifold& manifold, const Placed& a, const Placed& b, Real margin,
                                std::vector<PointAnchor>& anchors);

/// True where the points found then will do for this margin now.
bool is_still(const ContactReference& reference, const Placed& a, const Placed& b, Real margin);
/// True where points that follow their bodies stay right however these move: corners on faces, and balls.
bool follows_exactly(const ContactReference& reference, const Placed& a, const Placed& b);
/// Normal, points and gaps at these poses; the rest of the manifold stays.
void follow_bodies(const ContactReference& reference, std::span<const PointAnchor> anchors, const Placed& a,
                   const Placed& b, Manifold& manifold);

void put(ByteWriter& out, const ContactReference& reference);
void put(ByteWriter& out, const PointAnchor& anchor);
void put_vector(ByteWriter& out, const Vec3& v);
/// A number that is not finite counts as damage.
Real get_finite(ByteReader& in);
Vec3 get_finite_vector(ByteReader& in);
ContactReference get_reference(ByteReader& in);
PointAnchor get_anchor(ByteReader& in);

}  // namespace carom
