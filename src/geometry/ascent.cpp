#include "geometry/ascent.h"

#include <algorithm>
#include <array>
#include <optional>

#include "geometry/gjk.h"
#include "geometry/segment.h"
#include "geometry/support_set.h"

namespace carom {
namespace {

// Radians: how far away kinks are tried. A start is good to less than the first; where several corners are in touch the
// separation rises slowly, and the kinks that bound it may be far.
constexpr Real kNear = 0.05, kFar = 0.5;
constexpr Real kRounding = 4e-16;  // of the scale: what two values may differ by and mean the same
constexpr int kRounds = 12, kNearRounds = 3;
constexpr int kNewtonSteps = 24;

struct Candidate {
  Vec3 direction;
  Real value = 0;
};

/// Some unit vector square to a unit vector.
Vec3 any_square_to(const Vec3& n) { return normalized(cross(n, std::abs(n.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0})); }

/// The difference of two support sets, moved together along the direction that they are farthest in.
class SetDifference {
 public:
  /// `pair` has been asked for `direction` last.
  SetDifference(const CorePair& pair, const Vec3& direction, Real value, Real angle)
      : pair_(pair),
        apart_(value * direction),
        a_(support_set(pair.a(), direction, pair.vertex_a(), angle)),
        b_(support_set(pair.b(), -pair.direction_in_b(direction), pair.vertex_b(), angle)) {}

  DifferencePoint least(const Vec3& n) const {
    DifferencePoint p;
    p.a = farthest_point(pair_.a(), a_, n);
    p.b = pair_.point_from_b(farthest_point(pair_.b(), b_, -pair_.direction_in_b(n)));
    p.w = p.b - p.a - apart_;
    return p;
  }
  Real scale() const { return pair_.scale(); }

  /// Points of the two sets that are nearest to each other.
  Witness nearest() {
    if (a_.kind == SupportSet::Kind::Segment && b_.kind == SupportSet::Kind::Segment) return of_segments();
    Witness w = gjk(*this, pair_.offset(), 1e-15).simplex.witness();
    // Projections on the sets in turn take away the rounding of long thin triangles.
    for (int round = 0; round < 8 && mismatch(w) > 1e-16 * scale(); ++round) {
      Witness next;
      next.a = nearest_point(pair_.a(), a_, w.b - apart_);
      next.b = pair_.point_from_b(nearest_point(pair_.b(), b_, pair_.point_in_b(next.a + apart_)));
      if (mismatch(next) >= mismatch(w)) break;
      w = next;
    }
    return w;
  }
  Real mismatch(const Witness& w) const { return norm(w.b - w.a - apart_); }

 private:
  static Segment segment(const Vec3& p, const Vec3& q) {
    const Real length = norm(q - p);
    return {0.5 * (p + q), (q - p) / length, 0.5 * length};
  }
  Witness of_segments() const {
    const Segment a = segment(a_.p, a_.q);
    const Segment b = segment(pair_.point_from_b(b_.p) - apart_, pair_.point_from_b(b_.q) - apart_);
    const SegmentPair nearest = closest(a, b);
    return {a.at(nearest.s), b.at(nearest.t) + apart_};
  }

  const CorePair& pair_;
  Vec3 apart_;
  SupportSet a_, b_;
};

class Ascent {
 public:
  explicit Ascent(CorePair& pair) : pair_(pair) {}

  Separation climb(const Vec3& start) {
    Separation best = climb_once(start);
    // Points that match make a maximum between separate cores. Inside each other, corner against corner, it may be the
    // bottom of a valley just as well.
    for (int tries = 0; tries < 4 && best.value < 0; ++tries) {
      const Candidate beside = highest_beside(best);
      if (!(beside.value > best.value + kRounding * pair_.scale())) break;
      const Separation other = climb_once(beside.direction);
      if (!(other.value > best.value)) break;
      best = other;
    }
    return best;
  }

 private:
  Separation climb_once(const Vec3& start) {
    const bool polyhedral = !pair_.a().is_curved() && !pair_.b().is_curved();
    Separation best = matched(at(start));
    for (int round = 0; round < kRounds && best.mismatch > kMatched * pair_.scale(); ++round) {
      count_ = 0;
      collect_kinks(best.direction, round < kNearRounds ? kNear : kFar);
      // Without curvature a maximum off the kinks or inside a kink circle exists only between separate cores.
      if (!polyhedral || best.value > 0) {
        consider(free_newton(best.direction));
        try_between_normals();
        try_circles(best.direction);
      }
      try_crossings(best.direction);
      try_normals();
      const Separation next = best_candidate(best);
      const bool higher = next.value > best.value + kRounding * pair_.scale();
      if (higher || next.mismatch < best.mismatch) {
        best = next;
        if (higher) continue;
      }
      if (best.mismatch <= kMatched * pair_.scale()) break;
      const Separation steepest = matched(uphill(best));
      if (!(steepest.value > best.value + kRounding * pair_.scale())) break;
      best = steepest;
    }
    return best;
  }

  static constexpr int kMostCandidates = 2 + 2 * Kinks::kMost + Kinks::kMost * Kinks::kMost + 2 * Kinks::kMost;

  Candidate at(const Vec3& n) { return {n, dot(n, pair_.least(n).w)}; }

  /// The points that face each other best. A direction that misses a kink by little is nearly as good as one on it, and
  /// near the axis of a disc the farthest point of the rim turns too fast to be told apart from its neighbours: sets
  /// are widened until the points match, and what that costs in height is part of the mismatch.
  Separation matched(const Candidate& c) {
    Separation s{c.direction, c.value, {}, 1e300};
    pair_.least(c.direction);  // puts the climbing vertices where the direction has its farthest
    for (const Real angle : {1e-10, 1e-8, 1e-6}) {
      SetDifference difference(pair_, c.direction, c.value, angle);
      const Witness w = difference.nearest();
      const Real mismatch = difference.mismatch(w);
      if (mismatch < s.mismatch) s.witness = w, s.mismatch = mismatch;
      if (s.mismatch <= kMatched * pair_.scale()) break;
    }
    return s;
  }

  void consider(const Candidate& c) { candidates_[static_cast<std::size_t>(count_++)] = c; }

  /// The one with the largest value; of those that are equal up to rounding, the one whose points match best.
  Separation best_candidate(const Separation& before) {
    Real most = before.value;
    for (int i = 0; i < count_; ++i) most = std::max(most, candidates_[static_cast<std::size_t>(i)].value);
    Separation best;
    for (int i = 0; i < count_; ++i) {
      const Candidate& c = candidates_[static_cast<std::size_t>(i)];
      if (c.value < most - kRounding * pair_.scale()) continue;
      const Separation s = matched(c);
      if (s.mismatch < best.mismatch) best = s;
      if (best.mismatch <= 0.1 * kMatched * pair_.scale()) break;
    }
    return best;
  }

  Candidate highest_beside(const Separation& s) {
    const Vec3 u = any_square_to(s.direction), v = cross(s.direction, u);
    Candidate best{s.direction, s.value};
    for (const Vec3& way : {u, v, 0.7 * (u + v), 0.7 * (u - v)})
      for (const Real step : {0.03, -0.03}) {
        const Candidate there = at(normalized(s.direction + step * way));
        if (there.value > best.value) best = there;
      }
    return best;
  }

  /// A step along the shortest subgradient: what the witness points miss each other by.
  Candidate uphill(const Separation& s) {
    const Vec3 rest = s.witness.b - s.witness.a - s.value * s.direction;
    const Vec3 way = normalized(rest - dot(rest, s.direction) * s.direction);
    Candidate best{s.direction, s.value};
    Real step = 0.1;
    for (int shorter = 0; shorter < 14; ++shorter, step *= 0.25) {
      const Candidate there = at(normalized(s.direction + step * way));
      if (there.value > best.value) {
        best = there;
      } else if (best.value > s.value) {
        break;
      }
    }
    return best;
  }

  void collect_kinks(const Vec3& n, Real near) {
    near_ = near;
    pair_.least(n);
    a_ = kinks_near(pair_.a(), n, pair_.vertex_a(), near);
    b_ = kinks_near(pair_.b(), -pair_.direction_in_b(n), pair_.vertex_b(), near);
    // B's are for −n in its own frame.
    for (Kink& k : b_.circles) k.axis = -pair_.direction_from_b(k.axis);
    for (Vec3& m : b_.normals) m = -pair_.direction_from_b(m);
  }

  void try_normals() {
    for (const Kinks* kinks : {&a_, &b_})
      for (int i = 0; i < kinks->normal_count; ++i) consider(at(kinks->normals[static_cast<std::size_t>(i)]));
  }

  /// Two round flat sides, nearly parallel: the rims meet where the direction lies between the two normals.
  void try_between_normals() {
    if (!pair_.a().is_curved() || !pair_.b().is_curved() || a_.normal_count == 0 || b_.normal_count == 0) return;
    consider(free_newton(normalized(a_.normals[0] + b_.normals[0])));
  }

  void try_crossings(const Vec3& n) {
    for (int i = 0; i < a_.circle_count; ++i)
      for (int j = 0; j < b_.circle_count; ++j) {
        const std::optional<Vec3> m =
            crossing(a_.circles[static_cast<std::size_t>(i)], b_.circles[static_cast<std::size_t>(j)], n);
        if (m) consider(at(*m));
      }
  }

  /// The unit vector on both circles that is nearer to n.
  static std::optional<Vec3> crossing(const Kink& a, const Kink& b, const Vec3& n) {
    const Vec3 along = cross(a.axis, b.axis);
    const Real sine2 = squared_norm(along);
    if (sine2 < 1e-24) return std::nullopt;
    const Real cosine = dot(a.axis, b.axis);
    const Vec3 foot = ((a.level - b.level * cosine) / sine2) * a.axis + ((b.level - a.level * cosine) / sine2) * b.axis;
    const Real rest2 = 1 - squared_norm(foot);
    if (rest2 < 0) return std::nullopt;
    const Vec3 m = foot + std::copysign(std::sqrt(rest2 / sine2), dot(along, n)) * along;
    return normalized(m);
  }

  void try_circles(const Vec3& n) {
    for (const Kinks* kinks : {&a_, &b_})
      for (int i = 0; i < kinks->circle_count; ++i) circle_newton(kinks->circles[static_cast<std::size_t>(i)], n);
  }

  Mat3 turning(const Vec3& n, const DifferencePoint& at) const {
    Mat3 h = curvature(pair_.a(), n, at.a);
    if (pair_.b().is_curved()) {
      const Mat3& r = pair_.rotation();
      h = h + r * curvature(pair_.b(), -pair_.direction_in_b(n), pair_.point_in_b(at.b)) * transposed(r);
    }
    return h;
  }

  /// Newton's method for the slope along a kink circle to vanish, kept inside a bracket that halves at least.
  void circle_newton(const Kink& k, const Vec3& start) {
    const Vec3 off_axis = start - dot(start, k.axis) * k.axis;
    if (squared_norm(off_axis) < 1e-12 || k.level * k.level >= 1) return;
    // Directions on the circle by the tangent of the angle from the first one.
    const Real spread = std::sqrt(1 - k.level * k.level);
    const Vec3 first = normalized(off_axis), second = cross(k.axis, first);
    const auto direction = [&](Real t) {
      return k.level * k.axis + (spread / std::sqrt(1 + t * t)) * (first + t * second);
    };
    Real low = -4 * near_, high = 4 * near_, t = 0;
    Candidate best;
    best.value = -1e300;
    for (int step = 0; step < 2 * kNewtonSteps; ++step) {
      const Vec3 n = direction(t);
      const DifferencePoint p = pair_.least(n);
      const Vec3 out = n - k.level * k.axis, tangent = cross(k.axis, n);
      const Real slope = dot(p.w, tangent), value = dot(n, p.w);
      if (value >= best.value - kRounding * pair_.scale()) best = {n, value};
      if (std::abs(slope) <= 1e-17 * pair_.scale()) break;
      (slope > 0 ? low : high) = t;
      const Real bend = dot(tangent, turning(n, p) * tangent) + dot(p.w, out);
      Real next = bend > 0 ? t + (slope / bend) * (1 + t * t) : low - 1;
      if (!(next > low && next < high)) next = 0.5 * (low + high);
      if (next == t || high - low < 1e-16) break;
      t = next;
    }
    consider(best);
  }

  /// Near the top all values are equal up to rounding, and the slope decides.
  bool improves(Real there, Real here, bool flatter) const {
    const Real rounding = kRounding * pair_.scale();
    return there > here + rounding || (there >= here - rounding && flatter);
  }

  Candidate free_newton(Vec3 n) {
    DifferencePoint p = pair_.least(n);
    Real value = dot(n, p.w);
    Vec3 rest = p.w - value * n;
    for (int step = 0; step < kNewtonSteps && norm(rest) > 1e-16 * pair_.scale(); ++step) {
      Vec3 turn = newton_turn(n, value, rest, turning(n, p));
      bool moved = false;
      for (int half = 0; half < 8 && !moved; ++half, turn *= 0.5) {
        const Vec3 m = normalized(n + turn);
        const DifferencePoint there = pair_.least(m);
        const Real value_m = dot(m, there.w);
        const Vec3 rest_m = there.w - value_m * m;
        if (improves(value_m, value, squared_norm(rest_m) < squared_norm(rest)))
          n = m, p = there, value = value_m, rest = rest_m, moved = true;
      }
      if (!moved) break;
    }
    return {n, value};
  }

  /// Solves (H + f) δ = rest in the tangent plane; where that matrix is not positive, it is shifted until it is.
  static Vec3 newton_turn(const Vec3& n, Real value, const Vec3& rest, const Mat3& h) {
    const Vec3 u = any_square_to(n), v = cross(n, u);
    const Vec3 hu = h * u, hv = h * v;
    Real a = dot(u, hu) + value, b = dot(u, hv), c = dot(v, hv) + value;
    // The smaller eigenvalue must be positive.
    const Real middle = 0.5 * (a + c), spread = std::sqrt(0.25 * (a - c) * (a - c) + b * b);
    const Real floor = std::max(1e-12 * (std::abs(middle) + spread), 1e-300);
    if (middle - spread < floor) {
      const Real shift = std::abs(middle - spread) + 1e-3 * (std::abs(middle) + spread) + floor;
      a += shift, c += shift;
    }
    const Real det = a * c - b * b, ru = dot(u, rest), rv = dot(v, rest);
    const Vec3 turn = ((c * ru - b * rv) / det) * u + ((a * rv - b * ru) / det) * v;
    const Real length = norm(turn);
    return length > 0.2 ? (0.2 / length) * turn : turn;
  }

  CorePair& pair_;
  Kinks a_, b_;
  std::array<Candidate, kMostCandidates> candidates_;
  int count_ = 0;
  Real near_ = kNear;
};

}  // namespace

Separation ascend(CorePair& pair, const Vec3& start) {
  Separation s = Ascent(pair).climb(start);
  const Vec3 rest = 0.5 * (s.witness.b - s.witness.a - s.value * s.direction);
  s.witness.a += rest, s.witness.b -= rest;
  return s;
}

}  // namespace carom
