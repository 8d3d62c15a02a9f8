// The impact differential equation of Mirtich and Canny (1994), sections 4.2 to 4.4, in the parameter p_z.
//
// Sliding is followed in steps of Taylor series, whose coefficients come from recurrences (impact_slip.h has the
// equations), so that events are roots of polynomials. Slip that comes to rest without an event on the way is summed up
// at once. Once the direction no longer turns, or the contact has stopped, all is linear in p_z and closed formulas
// finish the impact.
#include "contact/impact_path.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "contact/impact_slip.h"

namespace carom {
namespace {

constexpr std::size_t kOrder = 16;   // a power of two: roots of that order are square roots
constexpr Real kTermSize = 1e-11;    // of the last terms of a series, in scaled units
constexpr Real kNegligible = 1e-12;  // likewise
constexpr Real kNever = std::numeric_limits<Real>::infinity();
constexpr int kMostSteps = 500;  // far above any impact seen; a guard against none

using Series = std::array<Real, kOrder + 1>;

Real evaluate(const Series& a, Real t) {
  Real sum = 0;
  for (std::size_t k = kOrder + 1; k-- > 0;) sum = sum * t + a[k];
  return sum;
}

/// Where a(t) rises to the value in [begin, end]. Requires what a is there, a(begin) ≤ value ≤ a(end). Steps to the
/// root of the parabola that fits, kept inside by bisection.
Real find_time(const Series& a, Real value, Real begin, Real end, Real at_begin, Real at_end) {
  Real low = begin, high = end;
  // The chord's guess, but away from the beginning: where that is a root too, it is not the one that is sought.
  Real t = begin + (end - begin) * std::max(0.05, (value - at_begin) / (at_end - at_begin));
  for (int i = 0; i < 100; ++i) {
    Real sum = 0, slope = 0, bend = 0;  // a, a', a''/2
    for (std::size_t k = kOrder + 1; k-- > 0;) {
      bend = bend * t + slope;
      slope = slope * t + sum;
      sum = sum * t + a[k];
    }
    const Real miss = sum - value;
    (miss < 0 ? low : high) = t;
    const Real square = std::max(0.0, slope * slope - 4 * miss * bend);
    Real next = t - 2 * miss / (slope + std::sqrt(square));
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    // The error of a step is of third order in it.
    if (std::abs(next - t) <= 1e-6 * (high - low) || high - low <= 4 * std::numeric_limits<Real>::epsilon() * end)
      return next;
    t = next;
  }
  return t;
}

/// Follows one impact, in units in which K and u are about 1.
class Follower {
 public:
  Follower(ImpactLaw impact_law, const SlipLaw& law, const Vec3& u, Real restitution, std::vector<ImpactSample>* trace)
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
      if (g < 0 && turning < 0 && std::abs(h) < -0.5 * turning && comes_to_rest()) return;
      take_step();
    }
  }

  /// Goes to where the slip has stopped, if nothing else happens before.
  bool comes_to_rest() {
    has_tail_ = has_tail_ || tail_.build(law_, now_.c);
    SlipMoment rest;
    if (!has_tail_ || !tail_.find_rest(law_, now_, rest)) return false;
    if (is_compressing_ ? rest.uz >= 0 : rest.uz <= 0 || progress(rest) >= target_) return false;
    if (trace_ != nullptr) trace_tail();
    now_ = rest;
    sample();
    return true;
  }

  /// Coefficients of all series, one order after another; those of the slip in units of its speed now. Every order is
  /// written out by the compiler: loops this short would spend more on counting than on the sums.
  void expand() {
    speed_ = now_.s;
    x_[0] = now_.c.x, y_[0] = now_.c.y, s_[0] = 1, uz_[0] = now_.uz, pz_[0] = now_.pz, work_[0] = now_.work;
    [this]<std::size_t... K>(std::index_sequence<K...>) { (add_order<K>(), ...); }(std::make_index_sequence<kOrder>());
  }

  template <std::size_t K>
  void add_order() {
    const SlipLaw& l = law_;
    // From s² = w·w, where s_0 = 1.
    if constexpr (K > 0)
      s_[K] = half_product<K>(x_) + half_product<K>(y_) - half_product<K>(s_) + (x_[0] * x_[K] + y_[0] * y_[K]);
    constexpr Real kNext = 1 / static_cast<Real>(K + 1);
    const Real scaled = speed_ * kNext;
    x_[K + 1] = (l.b1 * s_[K] - l.mu * (l.a11 * x_[K] + l.a12 * y_[K])) * kNext;
    y_[K + 1] = (l.b2 * s_[K] - l.mu * (l.a12 * x_[K] + l.a22 * y_[K])) * kNext;
    uz_[K + 1] = (l.kzz * s_[K] - l.mu * (l.b1 * x_[K] + l.b2 * y_[K])) * scaled;
    pz_[K + 1] = s_[K] * scaled;
    work_[K + 1] = product<K>(uz_, s_) * scaled;
  }

  template <std::size_t K>
  static Real product(const Series& a, const Series& b) {
    Real even = 0, odd = 0;  // two sums, so that neither waits for itself all the time
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (((I % 2 == 0 ? even : odd) += a[I] * b[K - I]), ...);
    }(std::make_index_sequence<K + 1>());
    return even + odd;
  }
  /// ½ Σ a_i a_{K−i} without the terms of a_0. The newest coefficient comes last: the others need not wait for it.
  template <std::size_t K>
  static Real half_product(const Series& a) {
    Real sum = K % 2 == 0 ? 0.5 * a[K / 2] * a[K / 2] : 0;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((sum += a[(K - 1) / 2 - I] * a[K - (K - 1) / 2 + I]), ...);
    }(std::make_index_sequence<(K - 1) / 2>());
    return sum;
  }

  /// How far the series reach: as far as their last terms are negligible.
  Real reach() const {
    Real last = std::numeric_limits<Real>::min();
    for (const Series* a : {&x_, &y_, &uz_, &pz_, &work_})
      last = std::max({last, std::abs((*a)[kOrder]), std::abs((*a)[kOrder - 1])});
    last = std::max(last, std::abs(s_[kOrder - 1]));
    Real t = kTermSize / last;
    for (std::size_t power = kOrder; power > 1; power /= 2) t = std::sqrt(t);
    constexpr Real kLongest = 64;
    return std::min(t, kLongest);
  }

  /// What comes to its target at the end.
  Real progress(const SlipMoment& m) const { return is_stronge_ ? m.work : m.pz; }

  void take_step() {
    expand();
    const Real step = reach(), uz_end = evaluate(uz_, step);
    Real from = 0;
    if (is_compressing_ && uz_end >= 0) {
      from = find_time(uz_, 0, 0, step, now_.uz, uz_end);
      set(from);
      now_.uz = 0;
      end_compression();
    }
    if (!is_compressing_) finish_in(from, step, uz_end);
    if (!is_over_) set(step);
    if (trace_ != nullptr) trace_step(step);
  }

  /// Ends the impact if it comes to its end between these times of the step. Friction can press the bodies together
  /// again before that: then a new compression begins.
  void finish_in(Real from, Real step, Real uz_end) {
    if (is_over_) return;
    Real end = step;
    if (uz_end < 0) {
      Series falling = uz_;
      for (Real& a : falling) a = -a;
      end = find_time(falling, 0, from, step, -now_.uz, -uz_end);
      is_compressing_ = true;
    }
    const Series& series = is_stronge_ ? work_ : pz_;
    const Real at_end = evaluate(series, end);
    if (at_end < target_) return;
    const Real at_start = progress(now_);
    if (at_start < target_) set(find_time(series, target_, from, end, at_start, at_end));
    is_compressing_ = false;
    is_over_ = true;
  }

  void set(Real t) {
    Real x = 0, y = 0, uz = 0, pz = 0, work = 0;
    for (std::size_t k = kOrder + 1; k-- > 0;) {
      x = x * t + x_[k];
      y = y * t + y_[k];
      uz = uz * t + uz_[k];
      pz = pz * t + pz_[k];
      work = work * t + work_[k];
    }
    const Real size = length({x, y});
    now_ = {{x / size, y / size}, speed_ * size, uz, pz, work};
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

  Vec3 velocity(const SlipMoment& m) const { return {m.s * m.c.x, m.s * m.c.y, m.uz}; }
  /// From the change of the tangential velocity: K_tt p_t = Δu_t − K_tz p_z.
  Vec3 impulse(const SlipMoment& m) const {
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
    const SlipMoment end = now_;
    for (int i = 1; i < kSamples; ++i) {
      set(step * i / kSamples);
      if (now_.pz < end.pz) sample();
    }
    now_ = end;
    sample();
  }

  void trace_tail() {
    constexpr int kSamples = 32;
    for (int i = 1; i <= kSamples; ++i) {
      now_ = tail_.on_the_way(i);
      sample();
    }
  }

  bool is_stronge_;
  SlipLaw law_;
  Real restitution_;
  Vec3 u0_;
  std::vector<ImpactSample>* trace_;

  SlipMoment now_, at_compression_;
  bool is_compressing_ = true, is_over_ = false;
  Real target_ = 0;  // of the work (Stronge) or of p_z (Poisson)
  ImpactOutcome outcome_;
  Series x_{}, y_{}, s_{}, uz_{}, pz_{}, work_{};
  Real speed_ = 0;
  SlipTail tail_;
  bool has_tail_ = false;
};

}  // namespace

ImpactOutcome follow_impact(ImpactLaw law, const Mat3& k, const Vec3& u, Real mu, Real mu_static, Real restitution,
                            std::vector<ImpactSample>* trace) {
  // In units of the speed and of the mean inverse mass everything is about 1, and tolerances mean the same everywhere.
  const Real speed = norm(u), mass = 3 / k.trace();
  const Mat3 q = mass * k;
  const SlipLaw scaled{q(0, 0), q(0, 1), q(1, 1), q(0, 2), q(1, 2), q(2, 2), mu, mu_static};
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
