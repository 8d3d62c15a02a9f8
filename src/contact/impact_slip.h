// Slip in an impact with friction, in the contact frame and in units in which matrix and velocity are about 1.
//
// While the contact slides with the velocity w = s c, s = |w|, u' = K (−μ c, 1) in the normal impulse p_z (Mirtich and
// Canny 1994, section 4.2). With dp_z = s dτ this becomes
//   w' = s b − μ A w,  u_z' = k_zz s − μ b·w,  p_z' = s,  W' = u_z s
// with the blocks A, b, k_zz of K: linear but for s, and regular down to s = 0.
#pragma once

#include <array>
#include <cmath>

#include "carom/math/types.h"

namespace carom {

struct Vec2 {
  Real x = 0, y = 0;
};
inline Real dot(const Vec2& a, const Vec2& b) { return a.x * b.x + a.y * b.y; }
inline Real length(const Vec2& a) { return std::sqrt(dot(a, a)); }
inline Vec2 across(const Vec2& a) { return {-a.y, a.x}; }

/// Matrix and coefficients of friction.
struct SlipLaw {
  Real a11, a12, a22;  // tangential block of K
  Real b1, b2;         // tangential part of the column of the normal
  Real kzz;
  Real mu, mu_static;

  Vec2 tangential(const Vec2& d) const { return {a11 * d.x + a12 * d.y + b1, a12 * d.x + a22 * d.y + b2}; }
  Real normal(const Vec2& d) const { return kzz + b1 * d.x + b2 * d.y; }
  /// Rates of the slip along and across its direction c, in p_z: s' and s θ'.
  Real along(const Vec2& c) const { return dot(c, tangential({-mu * c.x, -mu * c.y})); }
  Real across(const Vec2& c) const { return dot(carom::across(c), tangential({-mu * c.x, -mu * c.y})); }
  /// d across/dθ
  Real turning(const Vec2& c) const {
    return -b1 * c.x - b2 * c.y - mu * (-4 * a12 * c.x * c.y + (a22 - a11) * (c.x * c.x - c.y * c.y));
  }

  Vec2 solve_tangential(const Vec2& v) const {
    const Real determinant = a11 * a22 - a12 * a12;
    return {(a22 * v.x - a12 * v.y) / determinant, (a11 * v.y - a12 * v.x) / determinant};
  }
  /// The tangential impulse per normal impulse that keeps the contact from sliding.
  Vec2 sticking() const { return solve_tangential({-b1, -b2}); }

  /// Where friction cannot hold the contact: the impulse on the rim of the cone that minimises (d, 1)ᵀ K (d, 1). It is
  /// unique, and sliding leaves rest against it.
  Vec2 slipping() const;
};

/// How far an impact has come.
struct SlipMoment {
  Vec2 c;         // direction of the slip
  Real s = 0;     // its speed
  Real uz = 0;    // normal velocity
  Real pz = 0;    // normal impulse
  Real work = 0;  // of the normal force
};

/// The last of a slip that comes to rest, about the direction in which it does: a sum of exponentials,
///   w = S Σ w_j η^j,  S' = g S,  η' = κ η,  g < 0, κ < 0.
/// Order by order (g + jκ) w_j = s_j b − μ A w_j, with s_j from s² = w·w as in a Taylor series, and u_z, p_z and W are
/// sums of exponentials too. So the state of rest, which is infinitely far in τ, needs no steps.
class SlipTail {
 public:
  /// About the direction near `c` in which slip settles and stops. False if none is found.
  bool build(const SlipLaw& law, const Vec2& c);

  /// True where `start` slides within the series' reach, towards rest, and with a normal velocity that changes
  /// monotonically: `rest` is where it ends then.
  bool find_rest(const SlipLaw& law, const SlipMoment& start, SlipMoment& rest);

  /// The state a while after the last start that was found within reach; `step` counts fractions of the faster decay.
  SlipMoment on_the_way(int step) const;

 private:
  static constexpr std::size_t kTerms = 16;  // a power of two: roots of that order are square roots
  using Terms = std::array<Real, kTerms>;

  bool find_direction(const SlipLaw& law, Vec2 c);
  void expand(const SlipLaw& law);
  void find_reach();
  Real solve_eta(Real ratio) const;
  SlipMoment state(Real size, Real eta) const;

  Vec2 c_;
  Real g_ = 0, kappa_ = 0;
  Real reach_ = 0;              // largest η
  Terms a_{}, q_{}, s_{};       // w along and across c, and its length
  Terms pz_{}, uz_{}, work_{};  // what is still to come of them, with the opposite sign
  Real size_ = 0, eta_ = 0;     // S and η at the last start
  SlipMoment rest_;
};

}  // namespace carom
