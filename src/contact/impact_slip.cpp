#include "contact/impact_slip.h"

#include <algorithm>
#include <limits>

namespace carom {
namespace {

constexpr Real kTermSize = 1e-12;    // of the last terms of a series
constexpr Real kNegligible = 1e-12;  // of a step of an iteration that converges at least quadratically

}  // namespace

Vec2 SlipLaw::slipping() const {
  // (A + λ) d = −b with |d| = μ, where |d| > μ at λ = 0: Newton's steps for 1/|d| = 1/μ rise to the solution
  // (the step of trust-region methods; J. J. Moré and D. C. Sorensen, 1983).
  if (mu == 0) return {};
  Real lambda = 0;
  Vec2 d = sticking();
  for (int i = 0; i < 50; ++i) {
    const SlipLaw shifted{a11 + lambda, a12, a22 + lambda, b1, b2, kzz, mu, mu_static};
    d = shifted.sticking();
    const Real size = length(d);
    const Real step = (size - mu) / mu * dot(d, d) / dot(d, shifted.solve_tangential(d));
    if (!(step > kNegligible * (1 + lambda))) break;
    lambda += step;
  }
  const Real size = length(d);
  return {d.x * mu / size, d.y * mu / size};
}

bool SlipTail::find_direction(const SlipLaw& law, Vec2 c) {
  constexpr Real kFarthest = 0.7;  // rad: a step that long is a guess
  for (int i = 0; i < 10; ++i) {
    const Real turning = law.turning(c);
    const Real angle = -law.across(c) / turning;
    if (!(turning < 0) || !(std::abs(angle) <= kFarthest)) return false;
    c = {c.x - angle * c.y, c.y + angle * c.x};
    const Real size = length(c);
    c = {c.x / size, c.y / size};
    // The next step would be of the order of its square.
    if (std::abs(angle) > 1e-9) continue;
    c_ = c;
    g_ = law.along(c);
    kappa_ = law.turning(c);
    return g_ < 0 && kappa_ < 0;
  }
  return false;
}

bool SlipTail::build(const SlipLaw& law, const Vec2& c) {
  if (!find_direction(law, c)) return false;
  expand(law);
  find_reach();
  return true;
}

void SlipTail::expand(const SlipLaw& law) {
  // Along and across c. There slip does not turn, so μ A_aq = b_q, μ A_aa = b_a − g, μ A_qq = −g − κ: triangular.
  const Real b_a = dot({law.b1, law.b2}, c_), b_q = dot({law.b1, law.b2}, across(c_));
  a_[0] = s_[0] = 1, q_[0] = 0;
  a_[1] = s_[1] = -b_q / kappa_, q_[1] = 1;
  for (std::size_t j = 2; j < kTerms; ++j) {
    Real sum = 0;  // s_j = a_j + ½ Σ (w_i·w_{j−i} − s_i s_{j−i}), in pairs from either end
    for (std::size_t i = 1; 2 * i < j; ++i) sum += a_[i] * a_[j - i] + q_[i] * q_[j - i] - s_[i] * s_[j - i];
    const std::size_t m = j / 2;
    if (j % 2 == 0) sum += 0.5 * (a_[m] * a_[m] + q_[m] * q_[m] - s_[m] * s_[m]);
    const auto order = static_cast<Real>(j);
    q_[j] = b_q * sum / ((order - 1) * kappa_);
    a_[j] = (b_a * sum - b_q * q_[j]) / (order * kappa_);
    s_[j] = a_[j] + sum;
  }
  for (std::size_t j = 0; j < kTerms; ++j) {
    const Real rate = g_ + static_cast<Real>(j) * kappa_;
    pz_[j] = s_[j] / rate;
    uz_[j] = (law.kzz * s_[j] - law.mu * (b_a * a_[j] + b_q * q_[j])) / rate;
    Real sum = 0;  // of the work of u_z less its value at rest
    for (std::size_t i = 0; i <= j; ++i) sum += uz_[i] * s_[j - i];
    work_[j] = sum / (g_ + rate);
  }
}

void SlipTail::find_reach() {
  Real last = std::numeric_limits<Real>::min();
  for (const Terms* terms : {&a_, &q_, &s_, &pz_, &uz_, &work_})
    last = std::max({last, std::abs((*terms)[kTerms - 1]), std::abs((*terms)[kTerms - 2])});
  Real eta = kTermSize / last;
  for (std::size_t power = kTerms; power > 1; power /= 2) eta = std::sqrt(eta);
  constexpr Real kFarthest = 0.5;  // so that the slip turns by less than a right angle on the way
  reach_ = std::min(eta, kFarthest);
}

/// η where the slip across and along c are in this ratio, by Newton's steps; beyond the reach if it does not
/// converge.
Real SlipTail::solve_eta(Real ratio) const {
  Real eta = ratio;
  for (int i = 0; i < 10; ++i) {
    Real a = 0, q = 0, a_slope = 0, q_slope = 0;
    for (std::size_t j = kTerms; j-- > 0;) {
      a_slope = a_slope * eta + a, q_slope = q_slope * eta + q;
      a = a * eta + a_[j], q = q * eta + q_[j];
    }
    const Real step = (q - ratio * a) / (q_slope - ratio * a_slope);
    eta -= step;
    if (std::abs(step) <= kNegligible) return eta;
  }
  return 2 * reach_;
}

SlipMoment SlipTail::state(Real size, Real eta) const {
  Real a = 0, q = 0, pz = 0, uz = 0, work = 0;
  for (std::size_t j = kTerms; j-- > 0;) {
    a = a * eta + a_[j], q = q * eta + q_[j];
    pz = pz * eta + pz_[j], uz = uz * eta + uz_[j], work = work * eta + work_[j];
  }
  const Vec2 w{a * c_.x - q * c_.y, a * c_.y + q * c_.x};
  const Real length_w = length(w);
  return {{w.x / length_w, w.y / length_w},
          size * length_w,
          rest_.uz + size * uz,
          rest_.pz + size * pz,
          rest_.work + size * (rest_.uz * pz + size * work)};
}

bool SlipTail::find_rest(const SlipLaw& law, const SlipMoment& start, SlipMoment& rest) {
  const Real along = start.s * dot(start.c, c_), aside = start.s * dot(start.c, across(c_));
  if (!(along > 0) || !(std::abs(aside) <= reach_ * along)) return false;
  const auto pressure = [&](const Vec2& c) { return law.normal({-law.mu * c.x, -law.mu * c.y}); };
  // u_z' is linear in the direction, and so of one sign on the way if it is at both ends.
  if (pressure(start.c) * pressure(c_) < 0) return false;
  const Real eta = solve_eta(aside / along);
  if (!(std::abs(eta) <= reach_)) return false;
  rest_ = {};
  const SlipMoment unit = state(1, eta);
  eta_ = eta;
  size_ = start.s / unit.s;
  // The same sums with zero at rest give what is still to come.
  rest.c = c_;
  rest.s = 0;
  rest.pz = start.pz - size_ * unit.pz;
  rest.uz = start.uz - size_ * unit.uz;
  rest.work = start.work - size_ * (rest.uz * unit.pz + size_ * unit.work);
  rest_ = rest;
  return true;
}

SlipMoment SlipTail::on_the_way(int step) const {
  constexpr Real kFraction = 0.25;
  const Real faster = std::max(-g_, -kappa_);
  const auto decay = [&](Real rate) {
    Real factor = 1, power = 1;
    for (int n = 12; n > 0; --n) factor = 1 + kFraction * rate / faster / n * factor;  // the exponential's series
    for (int i = 0; i < step; ++i) power *= factor;
    return power;
  };
  return state(size_ * decay(g_), eta_ * decay(kappa_));
}

}  // namespace carom
