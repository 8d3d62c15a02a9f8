// The impact differential equation of Mirtich and Canny (1994), sections 4.2 to 4.4, in the parameter p_z.
//
// While the contact slides with speed s in the direction c, u' = K (−μ c, 1). With dp_z = s dτ this becomes
//   c' = h(c) c⊥,  s' = g(c) s,  u_z' = k_z(c) s,  p_z' = s,  W' = u_z s,
// a system whose right sides are polynomials, regular down to s = 0: Taylor series of any order follow from
// recurrences, and events are roots of polynomials. Once the direction no longer turns, or the contact has stopped, all
// is linear in p_z and closed formulas finish the impact.
#include "contact/impact_path.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace carom {
namespace {

constexpr std::size_t kOrder = 16;   // a power of two: roots of that order are square roots
constexpr Real kTermSize = 1e-11;    // of the last terms of a series, in scaled units
constexpr Real kNegligible = 1e-12;  // likewise
constexpr Real kNever = std::numeric_limits<Real>::infinity();
constexpr int kMostSteps = 500;  // far above any impact seen; a guard against none

using Series = std::array<Real, kOrder + 1>;

struct Vec2 {
  Real x = 0, y = 0;
};
Real dot(const Vec2& a, const Vec2& b) { return a.x * b.x + a.y * b.y; }
Real length(const Vec2& a) { return std::sqrt(dot(a, a)); }

Real evaluate(const Series& a, Real t) {
  Real sum = 0;
  for (std::size_t k = kOrder + 1; k-- > 0;) sum = sum * t + a[k];
  return sum;
}

/// Where a(t) = value in [begin, end]; requires a(begin) < value ≤ a(end). Newton's steps, kept inside by bisection.
Real find_time(const Series& a, Real value, Real begin, Real end) {
  Real low = begin, high = end, t = end;
  for (int i = 0; i < 100; ++i) {
    Real sum = 0, slope = 0;
    for (std::size_t k = kOrder + 1; k-- > 0;) {
      slope = slope * t + sum;
      sum = sum * t + a[k];
    }
    (sum < value ? low : high) = t;
    Real next = t - (sum - value) / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - t) <= 4 * std::numeric_limits<Real>::epsilon() * end) return next;
    t = next;
  }
  return t;
}

/// Matrix and coefficients of friction.
struct Law {
  Real a11, a12, a22;  // tangential block of K
  Real b1, b2;         // tangential part of the column of the normal
  Real kzz;
  Real mu, mu_static;

  Vec2 tangential(const Vec2& d) const { return {a11 * d.x + a12 * d.y + b1, a12 * d.x + a22 * d.y + b2}; }
  Real normal(const Vec2& d) const { return kzz + b1 * d.x + b2 * d.y; }
  /// Rates of the slip along and across its direction c, in p_z: s' and s θ'.
  Real along(const Vec2& c) const { return dot(c, tangential({-mu * c.x, -mu * c.y})); }
  Real across(const Vec2& c) const { return dot({-c.y, c.x}, tangential({-mu * c.x, -mu * c.y})); }
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
  Vec2 slipping() const {
    // (A + λ) d = −b with |d| = μ, where |d| > μ at λ = 0: Newton's steps for 1/|d| = 1/μ rise to the solution
    // (the step of trust-region methods; J. J. Moré and D. C. Sorensen, 1983).
    if (mu == 0) return {};
    Real lambda = 0;
    Vec2 d = sticking();
    for (int i = 0; i < 50; ++i) {
      const Law shifted{a11 + lambda, a12, a22 + lambda, b1, b2, kzz, mu, mu_static};
      d = shifted.sticking();
      const Real size = length(d);
      const Real step = (size - mu) / mu * dot(d, d) / dot(d, shifted.solve_tangential(d));
      if (!(step > kNegligible * (1 + lambda))) break;
      lambda += step;
    }
    const Real size = length(d);
    return {d.x * mu / size, d.y * mu / size};
  }
};

/// How far an impact has come.
struct Moment {
  Vec2 c;         // direction of the slip
  Real s = 0;     // its speed
  Real uz = 0;    // normal velocity
  Real pz = 0;    // normal impulse
  Real work = 0;  // of the normal force
};

/// Follows one impact, in units in which K and u are about 1.
class Follower {
 public:
  Follower(ImpactLaw impact_law, const Law& law, const Vec3& u, Real restitution, std::vector<ImpactSample>* trace)
      : is_stronge_(impact_law == ImpactLaw::Stronge), law_(law), restitution_(restitution), u0_(u), trace_(trace) {
    now_.s = length({u.x, u.y});
    if (now_.s > 0) now_.c = {u.x / now_.s, u.y / now_.s};
    now_.uz = u.z;
  }

  ImpactOutcome go() {
    sample();
    const Vec2 first = now_.c;
    const bool slides_first = now_.s > 0;
    if (slides_first) {
      if (law_.normal({-law_.mu * first.x, -law_.mu * first.y}) < 0) outcome_.add_mode(ImpactMode::Jamb);
      outcome_.add_mode(ImpactMode::Slide);
      slide();
    }
    if (!is_over_) {
      const Vec2 stick = law_.sticking();
      if (dot(stick, stick) <= law_.mu_static * law_.mu_static) {
        outcome_.add_mode(ImpactMode::Stick);
        go_straight(stick, 0);
      } else {
        const Vec2 d = law_.slipping();
        outcome_.add_mode(slides_first ? ImpactMode::Resume : ImpactMode::StartSlip);
        if (law_.mu > 0)
          now_.c = {-d.x / law_.mu, -d.y / law_.mu};
        else
          now_.c = slip_without_friction();
        if (slides_first && dot(now_.c, first) < 0) outcome_.add_mode(ImpactMode::ReverseSlip);
        go_straight(d, law_.along(now_.c));
      }
    }
    finish();
    return outcome_;
  }

 private:
  Vec2 slip_without_friction() const {
    const Real size = length({law_.b1, law_.b2});
    return size > 0 ? Vec2{law_.b1 / size, law_.b2 / size} : Vec2{1, 0};
  }

  /// Slides until the impact is over or the slip has stopped.
  void slide() {
    for (int i = 0; i < kMostSteps && !is_over_; ++i) {
      const Real g = law_.along(now_.c), h = law_.across(now_.c), turning = law_.turning(now_.c);
      // The rest of the slip goes straight on: the direction is settled, or what is left of it is nothing.
      const bool is_straight = std::abs(h) <= kNegligible;
      const bool settles = g < 0 && turning < 0 && std::abs(h) * now_.s <= -turning * kNegligible;
      if (is_straight || settles) {
        go_straight({-law_.mu * now_.c.x, -law_.mu * now_.c.y}, g);
        return;
      }
      take_step();
    }
  }

  /// Coefficients of all series, one order after another. Products that share a factor are summed side by side.
  void expand() {
    cx_[0] = now_.c.x, cy_[0] = now_.c.y, s_[0] = now_.s, uz_[0] = now_.uz, pz_[0] = now_.pz, work_[0] = now_.work;
    const Law& l = law_;
    for (std::size_t k = 0; k < kOrder; ++k) {
      // The terms of both sums come in pairs, from either end.
      Real xx = 0, xy = 0, yx = 0;
      for (std::size_t i = 0; 2 * i < k; ++i) {
        xx += cx_[i] * cx_[k - i];
        xy += cx_[i] * cy_[k - i];
        yx += cy_[i] * cx_[k - i];
      }
      const bool is_even = k % 2 == 0;
      xx = 2 * xx + (is_even ? cx_[k / 2] * cx_[k / 2] : 0);
      xy = xy + yx + (is_even ? cx_[k / 2] * cy_[k / 2] : 0);
      const Real unit = k == 0 ? 1 : 0;
      const Real yy = unit - xx;  // c is a unit vector
      g_[k] = l.b1 * cx_[k] + l.b2 * cy_[k] - l.mu * (l.a11 * xx + 2 * l.a12 * xy + l.a22 * yy);
      h_[k] = l.b2 * cx_[k] - l.b1 * cy_[k] - l.mu * (l.a12 * (xx - yy) + (l.a22 - l.a11) * xy);
      kz_[k] = unit * l.kzz - l.mu * (l.b1 * cx_[k] + l.b2 * cy_[k]);
      Real hx = 0, hy = 0, gs = 0, ks = 0, us = 0;
      for (std::size_t i = 0; i <= k; ++i) {
        hx += h_[i] * cx_[k - i];
        hy += h_[i] * cy_[k - i];
        gs += g_[i] * s_[k - i];
        ks += kz_[i] * s_[k - i];
        us += uz_[i] * s_[k - i];
      }
      const Real next = 1 / static_cast<Real>(k + 1);
      cx_[k + 1] = -hy * next;
      cy_[k + 1] = hx * next;
      s_[k + 1] = gs * next;
      uz_[k + 1] = ks * next;
      pz_[k + 1] = s_[k] * next;
      work_[k + 1] = us * next;
    }
  }

  /// How far the series reach: as far as their last terms are negligible.
  Real reach() const {
    Real last = std::numeric_limits<Real>::min();
    for (const Series* a : {&cx_, &cy_, &s_, &uz_, &pz_, &work_})
      last = std::max({last, std::abs((*a)[kOrder]), std::abs((*a)[kOrder - 1])});
    Real t = kTermSize / last;
    for (std::size_t power = kOrder; power > 1; power /= 2) t = std::sqrt(t);
    constexpr Real kLongest = 64;
    return std::min(t, kLongest);
  }

  void take_step() {
    expand();
    const Real step = reach();
    Real from = 0;
    if (is_compressing_ && evaluate(uz_, step) >= 0) {
      from = find_time(uz_, 0, 0, step);
      set(from);
      now_.uz = 0;
      end_compression();
    }
    if (!is_compressing_) finish_in(from, step);
    if (!is_over_) set(step);
    if (trace_ != nullptr) trace_step(step);
  }

  /// Ends the impact if it comes to its end between these times of the step. Friction can press the bodies together
  /// again before that: then a new compression begins.
  void finish_in(Real from, Real step) {
    Real end = step;
    if (evaluate(uz_, step) < 0) {
      Series falling = uz_;
      for (Real& a : falling) a = -a;
      end = find_time(falling, 0, from, step);
      is_compressing_ = true;
    }
    if (progress_at(end) < target_) return;
    set(progress_at(from) >= target_ ? from : find_time(is_stronge_ ? work_ : pz_, target_, from, end));
    is_compressing_ = false;
    is_over_ = true;
  }

  Real progress_at(Real t) const { return evaluate(is_stronge_ ? work_ : pz_, t); }

  void set(Real t) {
    now_.c = {evaluate(cx_, t), evaluate(cy_, t)};
    const Real size = length(now_.c);
    now_.c = {now_.c.x / size, now_.c.y / size};
    now_.s = evaluate(s_, t);
    now_.uz = evaluate(uz_, t);
    now_.pz = evaluate(pz_, t);
    now_.work = evaluate(work_, t);
  }

  /// Goes along (d, 1) in p_z while the slip changes by `slip_rate`, until the impact is over or the slip has stopped.
  void go_straight(const Vec2& d, Real slip_rate) {
    const Real uz_rate = law_.normal(d);
    Real left = slip_rate < 0 ? now_.s / -slip_rate : kNever;
    while (!is_over_) {
      const Real to_zero = is_compressing_ == (uz_rate > 0) ? std::abs(now_.uz / uz_rate) : kNever;
      const Real to_end = is_compressing_ ? kNever : impulse_to_target(uz_rate);
      const Real next = std::min({left, to_zero, to_end});
      if (next == kNever) return;  // out of reach for any K that a pair of bodies can have
      advance(next, uz_rate, slip_rate);
      left -= next;
      if (next == to_end) {
        is_over_ = true;
      } else if (next == to_zero) {
        now_.uz = 0;
        if (is_compressing_)
          end_compression();
        else
          is_compressing_ = true;
      } else {
        now_.s = 0;
        return;
      }
    }
  }

  Real impulse_to_target(Real uz_rate) const {
    if (!is_stronge_) return std::max(0.0, target_ - now_.pz);
    // W + u_z p + ½ u_z' p² = target, in the form that does not cancel.
    const Real missing = target_ - now_.work;
    if (missing <= 0) return 0;
    const Real square = now_.uz * now_.uz + 2 * uz_rate * missing;
    return square > 0 ? 2 * missing / (now_.uz + std::sqrt(square)) : kNever;
  }

  void advance(Real pz, Real uz_rate, Real slip_rate) {
    now_.work += pz * (now_.uz + 0.5 * uz_rate * pz);
    now_.uz += uz_rate * pz;
    now_.pz += pz;
    now_.s = std::max(0.0, now_.s + slip_rate * pz);
    sample();
  }

  void end_compression() {
    is_compressing_ = false;
    at_compression_ = now_;
    const Real e = restitution_;
    target_ = is_stronge_ ? (1 - e * e) * now_.work : (1 + e) * now_.pz;
    is_over_ = e == 0;
  }

  Vec3 velocity(const Moment& m) const { return {m.s * m.c.x, m.s * m.c.y, m.uz}; }
  /// From the change of the tangential velocity: K_tt p_t = Δu_t − K_tz p_z.
  Vec3 impulse(const Moment& m) const {
    const Vec3 u = velocity(m);
    const Vec2 t = law_.solve_tangential({u.x - u0_.x - law_.b1 * m.pz, u.y - u0_.y - law_.b2 * m.pz});
    return {t.x, t.y, m.pz};
  }

  void finish() {
    outcome_.impulse = impulse(now_);
    outcome_.velocity = velocity(now_);
    outcome_.compression_impulse = at_compression_.pz;
    // Along any path the work of the whole force is ½ Δp·(u before + u after).
    const Vec3 u1 = velocity(at_compression_), u2 = outcome_.velocity;
    const Vec3 p1 = impulse(at_compression_), p2 = outcome_.impulse;
    ImpactWork& work = outcome_.work;
    work.normal_compression = at_compression_.work;
    work.normal_restitution = now_.work - at_compression_.work;
    work.tangential_compression = 0.5 * carom::dot(p1, u0_ + u1) - work.normal_compression;
    work.tangential_restitution = 0.5 * carom::dot(p2 - p1, u1 + u2) - work.normal_restitution;
  }

  void sample() {
    if (trace_ != nullptr) trace_->push_back({now_.pz, impulse(now_), velocity(now_)});
  }
  void trace_step(Real step) {
    constexpr int kSamples = 16;
    const Moment end = now_;
    for (int i = 1; i < kSamples; ++i) {
      set(step * i / kSamples);
      if (now_.pz < end.pz) sample();
    }
    now_ = end;
    sample();
  }

  bool is_stronge_;
  Law law_;
  Real restitution_;
  Vec3 u0_;
  std::vector<ImpactSample>* trace_;

  Moment now_, at_compression_;
  bool is_compressing_ = true, is_over_ = false;
  Real target_ = 0;  // of the work (Stronge) or of p_z (Poisson)
  ImpactOutcome outcome_;
  Series cx_{}, cy_{}, s_{}, uz_{}, pz_{}, work_{}, g_{}, h_{}, kz_{};
};

}  // namespace

ImpactOutcome follow_impact(ImpactLaw law, const Mat3& k, const Vec3& u, Real mu, Real mu_static, Real restitution,
                            std::vector<ImpactSample>* trace) {
  // In units of the speed and of the mean inverse mass everything is about 1, and tolerances mean the same everywhere.
  const Real speed = norm(u), mass = 3 / k.trace();
  const Mat3 q = mass * k;
  const Law scaled{q(0, 0), q(0, 1), q(1, 1), q(0, 2), q(1, 2), q(2, 2), mu, mu_static};
  const std::size_t first = trace != nullptr ? trace->size() : 0;
  ImpactOutcome outcome = Follower(law, scaled, (1 / speed) * u, restitution, trace).go();
  const Real impulse = mass * speed, energy = mass * speed * speed;
  outcome.impulse *= impulse;
  outcome.velocity *= speed;
  outcome.compression_impulse *= impulse;
  ImpactWork& work = outcome.work;
  for (Real* w :
       {&work.normal_compression, &work.tangential_compression, &work.normal_restitution, &work.tangential_restitution})
    *w *= energy;
  if (trace != nullptr) {
    for (std::size_t i = first; i < trace->size(); ++i) {
      (*trace)[i].normal_impulse *= impulse;
      (*trace)[i].impulse *= impulse;
      (*trace)[i].velocity *= speed;
    }
  }
  return outcome;
}

}  // namespace carom
