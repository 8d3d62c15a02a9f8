#include "collision/patch_overlap.h"

#include <algorithm>
#include <cmath>

#include "collision/contact_key_points.h"

namespace carom {
namespace {

constexpr Real kClipTolerance = 1e-5;  // of the smaller figure: nearly aligned edges do not double their points
constexpr Real kSlope = 10;            // of sides against each other, at most, where that tolerance matters
constexpr Real kSamePoint = 1e-3;      // of the smaller figure: a point of a rim beside a corner adds nothing
constexpr Real kSideBySide = 0.99;     // cosine between segments that can touch along a line
constexpr Real kFall = 0.25;           // of a curved surface beside its line

/// How a point came about.
enum class What : std::uint32_t { PointOfA = 1, PointOfB, Crossing, RimCrossing, RimsCross };

/// 16 bits of a name in three parts.
std::uint16_t mixed(What what, std::uint32_t i, std::uint32_t k) {
  std::uint32_t h = (static_cast<std::uint32_t>(what) * 0x9E3779B1U ^ i) * 0x85EBCA6BU;
  h = (h ^ h >> 15 ^ k) * 0xC2B2AE35U;
  return static_cast<std::uint16_t>(h ^ h >> 16);
}

bool coincide(const Across& p, const Across& q, Real distance) {
  return (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) <= distance * distance;
}

Across between(const Across& p, const Across& q, Real s) { return {p.x + s * (q.x - p.x), p.y + s * (q.y - p.y)}; }

class Overlap {
 public:
  Overlap(const SeenPatch& a, const SeenPatch& b, const ContactFrame& frame, const PointBounds& bounds,
          ContactCandidates& out)
      : a_(a), b_(b), frame_(frame), bounds_(bounds), size_(std::min(a.size(), b.size())), out_(out) {}

  void polygons();
  void disc_polygon(const SeenPatch& disc, const SeenPatch& polygon);
  void discs();
  void segment_flat(const SeenPatch& segment, const SeenPatch& flat);
  void segments();

 private:
  /// A corner of the part of b's polygon that is left, and the line along which the outline goes on: an edge of b, or,
  /// from −1 downwards, one of a.
  struct Corner {
    Across at;
    std::uint16_t name = 0;
    int line = 0;
  };
  struct Corners {
    std::array<Corner, 2 * Patch::kMaxVertices> list;
    int count = 0;
    void push(const Corner& c) {
      if (count < static_cast<int>(list.size())) list[static_cast<std::size_t>(count++)] = c;
    }
  };
  struct Range {
    Real low = 0, high = 1;
    std::uint16_t low_name = 0, high_name = 0;
  };

  bool is_a(const SeenPatch& seen) const { return &seen == &a_; }
  void add(const Across& p, Real height_a, Real height_b, std::uint16_t name, Real apart);
  void add_rim(const SeenPatch& disc, const SeenPatch& other);
  void clip_by_edge(int edge, const Corners& in, Corners& out) const;
  std::uint16_t cut_name(int edge, int line) const;
  bool clip_range(const SeenPatch& segment, const SeenPatch& flat, Range& range) const;
  bool refine_crossing(Across& p) const;

  const SeenPatch &a_, &b_;
  const ContactFrame& frame_;
  PointBounds bounds_;
  Real size_;
  ContactCandidates& out_;
};

void Overlap::add(const Across& p, Real height_a, Real height_b, std::uint16_t name, Real apart) {
  // A point that clipping has left a little outside its figure, over a slope, may seem deeper than anything is.
  const Real gap = std::max(height_b - height_a, bounds_.least);
  if (gap > bounds_.most || height_b - height_a < bounds_.least - kSlope * kClipTolerance * size_) return;
  const Vec3 point = p.x * frame_.x + p.y * frame_.y + 0.5 * (height_a + height_b) * frame_.normal;
  if (out_.has_near(point, apart)) return;
  if (bounds_.nearest != nullptr && coincide(p, *bounds_.nearest, kClipTolerance * size_)) name = kNearestPoint;
  out_.add(point, gap, name_at(p, a_, b_, name));
}

std::uint16_t Overlap::cut_name(int edge, int line) const {
  if (line >= 0) return mixed(What::Crossing, a_.edge_name(edge), b_.edge_name(line));
  const int other = -1 - line, count = a_.count();
  if (edge == (other + 1) % count) return point_name(true, a_.corner_name(edge));
  if (other == (edge + 1) % count) return point_name(true, a_.corner_name(other));
  return mixed(What::Crossing, a_.edge_name(edge), a_.edge_name(other));
}

void Overlap::clip_by_edge(int edge, const Corners& in, Corners& out) const {
  const Real tolerance = kClipTolerance * size_;
  for (int i = 0; i < in.count; ++i) {
    Corner p = in.list[static_cast<std::size_t>(i)];
    const Corner& q = in.list[static_cast<std::size_t>((i + 1) % in.count)];
    const Real dp = a_.outside_edge(edge, p.at), dq = a_.outside_edge(edge, q.at);
    const bool p_in = dp <= tolerance, q_in = dq <= tolerance;
    const bool cuts = p_in != q_in && std::min(dp, dq) < -tolerance;
    const Corner cut{cuts ? between(p.at, q.at, dp / (dp - dq)) : p.at, cuts ? cut_name(edge, p.line) : p.name,
                     dp < 0 ? -1 - edge : p.line};
    if (p_in && !q_in && !cuts) p.line = -1 - edge;
    if (p_in) out.push(p);
    if (cuts) out.push(cut);
  }
}

void Overlap::polygons() {
  Corners buffers[2];
  for (int i = 0; i < b_.count(); ++i) buffers[0].push({b_.corner(i), point_name(false, b_.corner_name(i)), i});
  int now = 0;
  for (int edge = 0; edge < a_.count() && buffers[now].count > 0; ++edge, now = 1 - now) {
    buffers[1 - now].count = 0;
    clip_by_edge(edge, buffers[now], buffers[1 - now]);
  }
  for (int i = 0; i < buffers[now].count; ++i) {
    const Corner& c = buffers[now].list[static_cast<std::size_t>(i)];
    add(c.at, a_.height(c.at), b_.height(c.at), c.name, kClipTolerance * size_);
  }
}

/// Points of a disc's rim over the other figure: the one with the least gap, and three in quarter turns from it.
void Overlap::add_rim(const SeenPatch& disc, const SeenPatch& other) {
  const Patch& d = disc.patch();
  const auto slope = [&](const Vec3& along) {
    const Real rise = other.slope().x * dot(frame_.x, along) + other.slope().y * dot(frame_.y, along);
    return (is_a(disc) ? 1 : -1) * (dot(frame_.normal, along) - rise);
  };
  const RimDirections directions(slope(d.u), slope(d.v));
  for (unsigned role = 0; role < kRimPoints; ++role) {
    const auto [c, s] = directions[role];
    const Across p = disc.from_disc(d.radius * c, d.radius * s);
    if (!other.covers(p, kClipTolerance * size_)) continue;
    const Vec3 on_rim = d.center + d.radius * c * d.u + d.radius * s * d.v;
    const Real own = dot(frame_.normal, on_rim), far = other.height(p);
    const auto name = static_cast<std::uint16_t>(d.rim_name + directions.name + role);
    add(p, is_a(disc) ? own : far, is_a(disc) ? far : own, point_name(is_a(disc), name), kSamePoint * size_);
  }
}

void Overlap::disc_polygon(const SeenPatch& disc, const SeenPatch& polygon) {
  const Real radius = disc.patch().radius;
  const auto name = [&](std::uint32_t edge, std::uint32_t which) {
    return mixed(What::RimCrossing, 4 * edge + which, is_a(disc) ? 1 : 0);
  };
  for (int i = 0; i < polygon.count(); ++i) {
    const Across &p = polygon.corner(i), &q = polygon.corner((i + 1) % polygon.count());
    if (disc.covers(p, kClipTolerance * size_))
      add(p, a_.height(p), b_.height(p), point_name(is_a(polygon), polygon.corner_name(i)), kSamePoint * size_);
    // Where the edge crosses the rim: |p + s (q − p)| = radius in the plane of the disc.
    const Across u = disc.in_disc(p), v = disc.in_disc(q);
    const Real dx = v.x - u.x, dy = v.y - u.y, a = dx * dx + dy * dy, b = u.x * dx + u.y * dy;
    const Real inside = b * b - a * (u.x * u.x + u.y * u.y - radius * radius);
    if (inside <= 0 || a <= 0) continue;
    for (std::uint32_t which = 0; which < 2; ++which) {
      const Real s = (-b + (which == 0 ? -1 : 1) * std::sqrt(inside)) / a;
      if (s <= 0 || s >= 1) continue;
      const Across at = between(p, q, s);
      add(at, a_.height(at), b_.height(at), name(polygon.edge_name(i), which), kSamePoint * size_);
    }
  }
  add_rim(disc, polygon);
}

/// Newton's method for a point on both rims, which are ellipses where the discs are not square to the normal.
bool Overlap::refine_crossing(Across& p) const {
  const auto residual = [](const SeenPatch& disc, const Across& at, Across& gradient) {
    const Across q = disc.in_disc(at), origin = disc.in_disc({}), x = disc.in_disc({1, 0}), y = disc.in_disc({0, 1});
    gradient = {2 * (q.x * (x.x - origin.x) + q.y * (x.y - origin.y)),
                2 * (q.x * (y.x - origin.x) + q.y * (y.y - origin.y))};
    return q.x * q.x + q.y * q.y - disc.patch().radius * disc.patch().radius;
  };
  for (int iteration = 0; iteration < 20; ++iteration) {
    Across ga, gb;
    const Real fa = residual(a_, p, ga), fb = residual(b_, p, gb), det = ga.x * gb.y - ga.y * gb.x;
    if (std::abs(fa) + std::abs(fb) <= 1e-13 * size_ * size_) return true;
    if (det == 0) return false;
    p = {p.x - (gb.y * fa - ga.y * fb) / det, p.y - (ga.x * fb - gb.x * fa) / det};
  }
  Across unused;
  return std::abs(residual(a_, p, unused)) + std::abs(residual(b_, p, unused)) <= 1e-9 * size_ * size_;
}

void Overlap::discs() {
  add_rim(a_, b_);
  add_rim(b_, a_);
  const Across ca = a_.from_disc(0, 0), cb = b_.from_disc(0, 0);
  const Real dx = cb.x - ca.x, dy = cb.y - ca.y, apart = std::sqrt(dx * dx + dy * dy);
  const Real ra = a_.patch().radius, rb = b_.patch().radius;
  if (apart <= std::abs(ra - rb) || apart >= ra + rb) return;
  // Two circles cross in two points; seen at an angle, near these.
  const Real along = (apart * apart + ra * ra - rb * rb) / (2 * apart), across2 = ra * ra - along * along;
  if (across2 <= 0) return;
  for (std::uint32_t which = 0; which < 2; ++which) {
    const Real s = along / apart, t = (which == 0 ? 1 : -1) * std::sqrt(across2) / apart;
    Across p{ca.x + s * dx - t * dy, ca.y + s * dy + t * dx};
    if (refine_crossing(p)) add(p, a_.height(p), b_.height(p), mixed(What::RimsCross, which, 0), kSamePoint * size_);
  }
}

/// The part of a segment over a flat figure; false where there is none.
bool Overlap::clip_range(const SeenPatch& segment, const SeenPatch& flat, Range& range) const {
  const Across &p = segment.corner(0), &q = segment.corner(1);
  range.low_name = point_name(is_a(segment), segment.corner_name(0));
  range.high_name = point_name(is_a(segment), segment.corner_name(1));
  const auto cut_low = [&](Real s, std::uint16_t name) {
    if (s > range.low) range.low = s, range.low_name = name;
  };
  const auto cut_high = [&](Real s, std::uint16_t name) {
    if (s < range.high) range.high = s, range.high_name = name;
  };
  if (flat.kind() == Patch::Kind::Disc) {
    const Across u = flat.in_disc(p), v = flat.in_disc(q);
    const Real radius = flat.patch().radius, dx = v.x - u.x, dy = v.y - u.y;
    const Real a = dx * dx + dy * dy, b = u.x * dx + u.y * dy;
    const Real inside = b * b - a * (u.x * u.x + u.y * u.y - radius * radius);
    if (inside < 0 || a <= 0) return false;
    cut_low((-b - std::sqrt(inside)) / a, mixed(What::RimCrossing, 2, is_a(flat) ? 1 : 0));
    cut_high((-b + std::sqrt(inside)) / a, mixed(What::RimCrossing, 3, is_a(flat) ? 1 : 0));
    return range.low <= range.high;
  }
  const Real tolerance = kClipTolerance * size_;
  for (int i = 0; i < flat.count(); ++i) {
    const Real dp = flat.outside_edge(i, p), dq = flat.outside_edge(i, q);
    const std::uint16_t name = mixed(What::Crossing, flat.edge_name(i), is_a(flat) ? 1 : 0);
    if (dp > tolerance && dq > tolerance) return false;
    if (dp > tolerance) cut_low(dq < -tolerance ? dp / (dp - dq) : 1, name);
    if (dq > tolerance) cut_high(dp < -tolerance ? dp / (dp - dq) : 0, name);
  }
  return range.low <= range.high;
}

void Overlap::segment_flat(const SeenPatch& segment, const SeenPatch& flat) {
  Range range;
  if (!clip_range(segment, flat, range)) return;
  const Real h0 = segment.corner_height(0), h1 = segment.corner_height(1);
  const auto add_at = [&](Real s, std::uint16_t name) {
    const Across p = between(segment.corner(0), segment.corner(1), s);
    const Real own = h0 + s * (h1 - h0), other = flat.height(p);
    add(p, is_a(segment) ? own : other, is_a(segment) ? other : own, name, kClipTolerance * size_);
  };
  add_at(range.low, range.low_name);
  add_at(range.high, range.high_name);
}

/// Lines side by side: the ends of what they have in common, each on both of the curved surfaces.
void Overlap::segments() {
  const auto run = [](const SeenPatch& s) {
    return Across{s.corner(1).x - s.corner(0).x, s.corner(1).y - s.corner(0).y};
  };
  const Across da = run(a_), db = run(b_);
  const Real la = std::sqrt(da.x * da.x + da.y * da.y), lb = std::sqrt(db.x * db.x + db.y * db.y);
  const Real cosine = la * lb > 0 ? (da.x * db.x + da.y * db.y) / (la * lb) : 0;
  if (std::abs(cosine) < kSideBySide) return;
  // Along the line that halves the angle between them.
  Across d{da.x / la + (cosine > 0 ? 1 : -1) * db.x / lb, da.y / la + (cosine > 0 ? 1 : -1) * db.y / lb};
  const Real length = std::sqrt(d.x * d.x + d.y * d.y);
  d = {d.x / length, d.y / length};
  const auto at = [&](const Across& p) { return d.x * p.x + d.y * p.y; };
  const bool swap_b = at(b_.corner(0)) > at(b_.corner(1));
  const int b0 = swap_b ? 1 : 0, b1 = 1 - b0;
  const bool swap_a = at(a_.corner(0)) > at(a_.corner(1));
  const int a0 = swap_a ? 1 : 0, a1 = 1 - a0;
  const bool low_is_a = at(a_.corner(a0)) >= at(b_.corner(b0)), high_is_a = at(a_.corner(a1)) <= at(b_.corner(b1));
  const Real low = at(low_is_a ? a_.corner(a0) : b_.corner(b0)), high = at(high_is_a ? a_.corner(a1) : b_.corner(b1));
  if (high - low <= kSamePoint * size_) return;
  // An end lies on its own line; on the other surface, over a point beside the line, where it falls away, slowly at
  // first. Where it falls faster, the point is round the corner.
  const auto add_at = [&](Real s, bool end_of_a, std::uint16_t name) {
    const Real sa = (s - at(a_.corner(0))) / (at(a_.corner(1)) - at(a_.corner(0)));
    const Real sb = (s - at(b_.corner(0))) / (at(b_.corner(1)) - at(b_.corner(0)));
    const Across on_a = between(a_.corner(0), a_.corner(1), sa), on_b = between(b_.corner(0), b_.corner(1), sb);
    Real ha = a_.corner_height(0) + sa * (a_.corner_height(1) - a_.corner_height(0));
    Real hb = b_.corner_height(0) + sb * (b_.corner_height(1) - b_.corner_height(0));
    const Real beside = std::sqrt((on_a.x - on_b.x) * (on_a.x - on_b.x) + (on_a.y - on_b.y) * (on_a.y - on_b.y));
    const SeenPatch& other = end_of_a ? b_ : a_;
    const Across& p = end_of_a ? on_a : on_b;
    Real &height = end_of_a ? hb : ha, line = height;
    if (!other.curved_height(p, line, height)) return;
    if (std::abs(height - line) > kFall * beside + kClipTolerance * size_) return;
    add(p, ha, hb, name, kClipTolerance * size_);
  };
  add_at(low, low_is_a, low_is_a ? point_name(true, a_.corner_name(a0)) : point_name(false, b_.corner_name(b0)));
  add_at(high, high_is_a, high_is_a ? point_name(true, a_.corner_name(a1)) : point_name(false, b_.corner_name(b1)));
}

}  // namespace

std::uint16_t point_name(bool of_a, std::uint16_t key_point) {
  return mixed(of_a ? What::PointOfA : What::PointOfB, key_point, 0);
}

std::uint16_t name_at(const Across& p, const SeenPatch& a, const SeenPatch& b, std::uint16_t otherwise) {
  // A smooth surface has nothing but its one point, whatever it rolls over.
  if (a.kind() == Patch::Kind::Point || b.kind() == Patch::Kind::Point) return otherwise;
  const Real distance = kClipTolerance * std::min(a.size(), b.size());
  for (int i = 0; i < a.count(); ++i)
    if (coincide(p, a.corner(i), distance)) return point_name(true, a.corner_name(i));
  for (int i = 0; i < b.count(); ++i)
    if (coincide(p, b.corner(i), distance)) return point_name(false, b.corner_name(i));
  return otherwise;
}

void add_overlap(const SeenPatch& a, const SeenPatch& b, const ContactFrame& frame, const PointBounds& bounds,
                 ContactCandidates& candidates) {
  using Kind = Patch::Kind;
  Overlap overlap(a, b, frame, bounds, candidates);
  const Kind ka = a.kind(), kb = b.kind();
  if (ka == Kind::Point || kb == Kind::Point) return;
  if (ka == Kind::Segment && kb == Kind::Segment) return overlap.segments();
  if (ka == Kind::Segment) return overlap.segment_flat(a, b);
  if (kb == Kind::Segment) return overlap.segment_flat(b, a);
  if (ka == Kind::Disc && kb == Kind::Disc) return overlap.discs();
  if (ka == Kind::Disc) return overlap.disc_polygon(a, b);
  if (kb == Kind::Disc) return overlap.disc_polygon(b, a);
  overlap.polygons();
}

}  // namespace carom
