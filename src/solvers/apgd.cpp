#include "solvers/apgd.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

namespace carom {
namespace {

constexpr Real kGain = 0.9 * 0.9;  // what counts as a fall of the residual, in squares

template <class Number>
Real sum_of(const Number (&lanes)[kLaneCount]) {
  return std::accumulate(std::begin(lanes), std::end(lanes), Real{0});
}

/// Not a number stays that.
template <class Number>
Real largest_of(const Number (&lanes)[kLaneCount]) {
  Real largest = 0;
  for (const Real lane : lanes)
    if (!(lane <= largest) && !std::isnan(largest)) largest = lane;
  return largest;
}

/// All that a pass writes before it is read.
template <class Lines>
void make_room(Lines& lines) {
  lines.next.resize(lines.current.size());
  for (auto* velocities : {&lines.velocity_y, &lines.velocity_next, &lines.unscaled, &lines.wrench})
    velocities->assign(lines.velocity_free.size(), {});
}

}  // namespace

void Apgd::start(const ConeSystem& system, const Lanes& lanes, LaneLaw law, std::span<const Vec3> impulses,
                 Real compliance) {
  constexpr Real kFirstL = 4;           // a contact with a few neighbours; found out in the first passes
  constexpr Real kNoise = 1e-3;         // of v_ref
  constexpr Real kSingleEnough = 1e-3;  // of v_ref
  lanes_ = &lanes;
  law_ = law;
  compliance_ = compliance;
  contacts_ = system.contacts.size();
  passes_ = 0;
  l_ = kFirstL;
  noise_square_ = kNoise * kNoise * system.reference_velocity * system.reference_velocity;
  last_gain_ = std::numeric_limits<Real>::infinity();
  gain_pass_ = 0;
  drop_momentum();
  single_enough_ = kSingleEnough * system.reference_velocity;
  lanes.take_velocities(system.free_velocities, doubles_.velocity_free);
  take_impulses(system, impulses);
  make_room(doubles_);
  start_shift(system, compliance, impulses);
  choose_precision();
}

void Apgd::go_on_from(const ConeSystem& system, std::span<const Vec3> impulses) {
  if (single_) convert(singles_.shift, doubles_.shift);
  drop_momentum();
  take_impulses(system, impulses);
  choose_precision();
}

/// A start that is good is told by all its digits.
void Apgd::choose_precision() {
  single_ = false;
  check_residual();
  single_ = residual_ > single_enough_;
  if (!single_) return;
  single_gain_ = mean_square_;
  single_gain_pass_ = passes_;
  convert(doubles_.velocity_free, singles_.velocity_free);
  convert(doubles_.previous, singles_.previous);
  convert(doubles_.current, singles_.current);
  convert(doubles_.velocity_previous, singles_.velocity_previous);
  convert(doubles_.velocity_current, singles_.velocity_current);
  convert(doubles_.shift, singles_.shift);
  make_room(singles_);
}

/// What single precision has made is good only if it is finite: else all begins again.
void Apgd::leave_single() {
  single_ = false;
  if (!std::isfinite(residual_)) {
    drop_momentum();
    return check_residual();
  }
  convert(singles_.previous, doubles_.previous);
  convert(singles_.current, doubles_.current);
  convert(singles_.velocity_previous, doubles_.velocity_previous);
  convert(singles_.velocity_current, doubles_.velocity_current);
  convert(singles_.shift, doubles_.shift);
  residual_ = std::numeric_limits<Real>::infinity();  // not known until a pass has been made
}

/// Good enough, no number any more, or no better for long: a swing, or where rounding does not let it go on.
bool Apgd::single_has_done(Real allowed) const {
  constexpr int kPatience = 1000;
  if (!single_) return false;
  return residual_ <= std::max(allowed, single_enough_) || !std::isfinite(residual_) ||
         passes_ > single_gain_pass_ + kPatience;
}

void Apgd::give_impulses(std::span<Vec3> impulses) const {
  if (single_)
    lanes_->give_impulses(singles_.current, impulses);
  else
    lanes_->give_impulses(doubles_.current, impulses);
}

void Apgd::take_impulses(const ConeSystem& system, std::span<const Vec3> impulses) {
  lanes_->take_impulses(impulses, doubles_.current);
  doubles_.previous = doubles_.current;
  doubles_.velocity_current = doubles_.velocity_free;
  for (std::size_t i = 0; i < system.contacts.size(); ++i) {
    const ConeContact& c = system.contacts[i];
    if (impulses[i] == Vec3{}) continue;
    for (int side = 0; side < 2; ++side) {
      const std::int32_t body = side == 0 ? c.a : c.b;
      if (body < 0) continue;
      const Rows36& rows = side == 0 ? c.rows_a : c.rows_b;
      for (std::size_t k = 0; k < 6; ++k)
        doubles_.velocity_current[static_cast<std::size_t>(body)].value[k] +=
            rows[0][k] * impulses[i].x + rows[1][k] * impulses[i].y + rows[2][k] * impulses[i].z;
    }
  }
  doubles_.velocity_previous = doubles_.velocity_current;
}

/// A start from a solution stays there only if the shift is that solution's. Contacts without an impulse start with
/// none: from a cold start the convex model is the better guide.
void Apgd::start_shift(const ConeSystem& system, Real compliance, std::span<const Vec3> impulses) {
  first_shift_.assign(system.contacts.size(), 0);
  if (law_ == LaneLaw::Coulomb) {
    first_velocities_.resize(system.free_velocities.size());
    lanes_->give_velocities(doubles_.velocity_current, first_velocities_);
    for (std::size_t i = 0; i < first_shift_.size(); ++i) {
      const ConeContact& c = system.contacts[i];
      if (impulses[i] == Vec3{}) continue;
      const Vec3 u = ConeSystem::velocity(c, first_velocities_) + (compliance / c.rho) * impulses[i];
      first_shift_[i] = c.mu * std::sqrt(u.y * u.y + u.z * u.z);
    }
  }
  lanes_->take_scalars(first_shift_, doubles_.shift);
}

bool Apgd::run(int passes, Real allowed) {
  constexpr int kCheckEvery = 25, kSoonest = 4;
  // The estimate is of the point that a step starts from; its result is often better.
  constexpr Real kPromising = 4;
  const int last = passes_ + passes;
  for (int since_check = 0; residual_ > allowed || std::isnan(residual_) || single_;) {
    if (single_has_done(allowed)) {
      leave_single();
      since_check = 0;
      continue;
    }
    // What single precision leaves is judged after a pass, one more if need be: its velocities are not quite those of
    // its impulses.
    if (passes_ >= last && !(std::isinf(residual_) && since_check == 0)) {
      if (since_check > 0) check_residual();
      break;
    }
    step();
    ++since_check;
    if ((estimate_ <= kPromising * allowed && since_check >= kSoonest) || since_check >= kCheckEvery) {
      check_residual();
      since_check = 0;
    }
  }
  return residual_ <= allowed && !single_;
}

void Apgd::step() {
  if (single_)
    step_in(singles_);
  else
    step_in(doubles_);
}

template <class Number>
void Apgd::step_in(Lines<Number>& lines) {
  constexpr Real kShrink = 0.97;
  constexpr Real kRounding = std::is_same_v<Number, float> ? 1e-4 : 1e-12;
  constexpr int kMostDoublings = 60;
  GradientStep<Number> pass{};
  pass.previous = lines.previous.front().value;
  pass.current = lines.current.front().value;
  pass.next = lines.next.front().value;
  pass.velocity_free = lines.velocity_free.front().value;
  pass.velocity_previous = lines.velocity_previous.front().value;
  pass.velocity_current = lines.velocity_current.front().value;
  pass.velocity_y = lines.velocity_y.front().value;
  pass.velocity_next = lines.velocity_next.front().value;
  pass.shift = lines.shift.front().value;
  pass.unscaled = lines.unscaled.front().value;
  pass.wrench = lines.wrench.front().value;
  pass.beta = static_cast<Number>(beta_);
  pass.law = law_;
  pass.compliance = static_cast<Number>(compliance_);
  const LaneContacts<Number> contacts = lanes_->contacts<Number>();
  for (int k = 0; k < kMostDoublings; ++k) {
    pass.inverse_l = static_cast<Number>(1 / l_);
    lane_kernels<Number>().gradient_step(contacts, pass);
    ++passes_;
    if (sum_of(pass.travelled) <= ((1 + kRounding) * l_ - compliance_) * sum_of(pass.moved)) break;
    l_ *= 2;
  }
  estimate_ = l_ * std::sqrt(largest_of(pass.largest));
  std::swap(lines.previous, lines.current);
  std::swap(lines.current, lines.next);
  std::swap(lines.velocity_previous, lines.velocity_current);
  std::swap(lines.velocity_current, lines.velocity_next);
  if (sum_of(pass.along) > 0) {
    drop_momentum();
  } else {
    const Real next = 0.5 * (-theta_ * theta_ + theta_ * std::sqrt(theta_ * theta_ + 4));
    beta_ = theta_ * (1 - theta_) / (theta_ * theta_ + next);
    theta_ = next;
  }
  l_ *= kShrink;
}

void Apgd::check_residual() {
  if (contacts_ == 0) {
    residual_ = mean_square_ = 0;
    return;
  }
  if (single_) {
    check_in(singles_);
    residual_ = std::max(residual_, single_enough_);  // it can tell no less; what is no number stays that
  } else {
    check_in(doubles_);
  }
  if (law_ == LaneLaw::Coulomb) watch_progress();
}

template <class Number>
void Apgd::check_in(Lines<Number>& lines) {
  ResidualCheck<Number> check{};
  check.impulses = lines.current.front().value;
  check.velocities = lines.velocity_current.front().value;
  check.unscaled = lines.unscaled.front().value;
  check.law = law_;
  check.compliance = static_cast<Number>(compliance_);
  lane_kernels<Number>().residual(lanes_->contacts<Number>(), check);
  residual_ = std::sqrt(largest_of(check.largest));
  mean_square_ = sum_of(check.sum) / static_cast<Real>(contacts_);
  if (mean_square_ < kGain * single_gain_) {
    single_gain_ = mean_square_;
    single_gain_pass_ = passes_;
  }
}

void Apgd::watch_progress() {
  constexpr Real kMuchWorse = 2 * 2;  // in squares
  constexpr int kPatience = 200;
  const bool gained = mean_square_ < kGain * last_gain_;
  const bool stuck = !gained && passes_ >= gain_pass_ + kPatience && mean_square_ > noise_square_;
  if (gained || stuck) {
    last_gain_ = mean_square_;
    gain_pass_ = passes_;
  }
  if (stuck || mean_square_ > kMuchWorse * best_square_) drop_momentum();
  best_square_ = std::min(best_square_, mean_square_);
}

void Apgd::drop_momentum() {
  theta_ = 1;
  beta_ = 0;
  best_square_ = std::numeric_limits<Real>::infinity();
}

Real Apgd::mean_residual() const { return std::sqrt(mean_square_); }

}  // namespace carom
