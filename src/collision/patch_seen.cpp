#include <algorithm>
#include <cmath>

#include "collision/patch_overlap.h"

namespace carom {
namespace {

/// Cosine between a face and the normal below which the face is seen edge on.
constexpr Real kEdgeOn = 0.02;

}  // namespace

ContactFrame::ContactFrame(const Vec3& unit) : normal(unit) {
  // Across the axis to which the normal is closest to square.
  const Vec3 size{std::abs(unit.x), std::abs(unit.y), std::abs(unit.z)};
  const int k = size.x <= size.y && size.x <= size.z ? 0 : (size.y <= size.z ? 1 : 2);
  Vec3 axis;
  axis[k] = 1;
  x = normalized(axis - unit[k] * unit);
  y = cross(unit, x);
}

SeenPatch::SeenPatch(const Patch& patch, const ContactFrame& frame) : patch_(patch), frame_(frame), kind_(patch.kind) {
  if (patch.is_flat()) {
    const Real cosine = dot(patch.normal, frame.normal);
    if (std::abs(cosine) < kEdgeOn) {
      kind_ = Patch::Kind::Point;
      return;
    }
    reversed_ = cosine < 0;
    const Vec3 on_plane = kind_ == Patch::Kind::Disc ? patch.center : patch.vertices[0];
    height_ = dot(patch.normal, on_plane) / cosine;
    slope_ = {-dot(patch.normal, frame.x) / cosine, -dot(patch.normal, frame.y) / cosine};
  }
  for (int i = 0; i < patch.count; ++i) corners_[static_cast<std::size_t>(i)] = seen(patch.vertices[source(i)]);
}

std::uint16_t SeenPatch::edge_name(int i) const {
  // Seen from behind, the edge that leaves a corner is the one that arrives there from in front.
  return patch_.edge_names[source(reversed_ ? (i + 1) % patch_.count : i)];
}

Real SeenPatch::outside_edge(int i, const Across& p) const {
  const Across &from = corner(i), &to = corner((i + 1) % patch_.count);
  const Real dx = to.x - from.x, dy = to.y - from.y, length = std::sqrt(dx * dx + dy * dy);
  // An edge seen end on cuts nothing.
  if (length <= 1e-12 * patch_.size) return -patch_.size;
  return (dy * (p.x - from.x) - dx * (p.y - from.y)) / length;
}

bool SeenPatch::covers(const Across& p, Real tolerance) const {
  if (kind_ == Patch::Kind::Disc) {
    const Across q = in_disc(p);
    return q.x * q.x + q.y * q.y <= (patch_.radius + tolerance) * (patch_.radius + tolerance);
  }
  for (int i = 0; i < patch_.count; ++i)
    if (outside_edge(i, p) > tolerance) return false;
  return kind_ == Patch::Kind::Polygon;
}

Across SeenPatch::in_disc(const Across& p) const {
  const Vec3 q = p.x * frame_.x + p.y * frame_.y + height(p) * frame_.normal - patch_.center;
  return {dot(patch_.u, q), dot(patch_.v, q)};
}

Across SeenPatch::from_disc(Real u, Real v) const { return seen(patch_.center + u * patch_.u + v * patch_.v); }

bool SeenPatch::curved_height(const Across& p, Real guess, Real& height) const {
  // |q|² − bend (axis · q)² = radius² along q = q₀ + h n is a h² + 2 b h + c = 0.
  const Vec3 q0 = p.x * frame_.x + p.y * frame_.y + guess * frame_.normal - patch_.center;
  const Real along_n = dot(patch_.u, frame_.normal), along_q = dot(patch_.u, q0);
  const Real a = 1 - patch_.bend * along_n * along_n, b = dot(q0, frame_.normal) - patch_.bend * along_q * along_n;
  const Real c = squared_norm(q0) - patch_.bend * along_q * along_q - patch_.radius * patch_.radius;
  const Real inside = b * b - a * c;
  if (inside < 0) return false;
  // The root next to the guess is the smaller one; this form of it loses no digits.
  const Real root = b + std::copysign(std::sqrt(inside), b);
  if (root == 0) return false;
  height = guess - c / root;
  return true;
}

}  // namespace carom
