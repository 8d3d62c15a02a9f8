#include "solvers/apgd.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace carom {
namespace {

Real sum_of(const Real (&lanes)[kLaneCount]) { return std::accumulate(std::begin(lanes), std::end(lanes), Real{0}); }

/// Not a number stays that.
Real largest_of(const Real (&lanes)[kLaneCount]) {
  Real largest = 0;
  for (const Real lane : lanes)
    if (!(lane <= largest) && !std::isnan(largest)) largest = lane;
  return largest;
}

}  // namespace

void Apgd::start(const ConeSystem& system, const Lanes& lanes, LaneLaw law, std::span<const Vec3> impulses,
                 Real compliance) {
  constexpr Real kFirstL = 4;    // a contact with a few neighbours; found out in the first passes
  constexpr Real kNoise = 1e-3;  // of v_ref
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
  lanes.take_velocities(system.free_velocities, velocity_free_);
  take_impulses(system, impulses);
  next_.resize(current_.size());
  velocity_y_.assign(velocity_free_.size(), {});
  velocity_next_.assign(velocity_free_.size(), {});
  unscaled_.assign(velocity_free_.size(), {});
  wrench_.assign(velocity_free_.size(), {});
  start_shift(system, compliance, impulses);
  check_residual();
}

void Apgd::go_on_from(const ConeSystem& system, std::span<const Vec3> impulses) {
  drop_momentum();
  take_impulses(system, impulses);
  check_residual();
}

void Apgd::take_impulses(const ConeSystem& system, std::span<const Vec3> impulses) {
  lanes_->take_impulses(impulses, current_);
  previous_ = current_;
  velocity_current_ = velocity_free_;
  for (std::size_t i = 0; i < system.contacts.size(); ++i) {
    const ConeContact& c = system.contacts[i];
    if (impulses[i] == Vec3{}) continue;
    for (int side = 0; side < 2; ++side) {
      const std::int32_t body = side == 0 ? c.a : c.b;
      if (body < 0) continue;
      const Rows36& rows = side == 0 ? c.rows_a : c.rows_b;
      for (std::size_t k = 0; k < 6; ++k)
        velocity_current_[static_cast<std::size_t>(body)].value[k] +=
            rows[0][k] * impulses[i].x + rows[1][k] * impulses[i].y + rows[2][k] * impulses[i].z;
    }
  }
  velocity_previous_ = velocity_current_;
}

/// A start from a solution stays there only if the shift is that solution's. Contacts without an impulse start with
/// none: from a cold start the convex model is the better guide.
void Apgd::start_shift(const ConeSystem& system, Real compliance, std::span<const Vec3> impulses) {
  first_shift_.assign(system.contacts.size(), 0);
  if (law_ == LaneLaw::Coulomb) {
    first_velocities_.resize(system.free_velocities.size());
    lanes_->give_velocities(velocity_current_, first_velocities_);
    for (std::size_t i = 0; i < first_shift_.size(); ++i) {
      const ConeContact& c = system.contacts[i];
      if (impulses[i] == Vec3{}) continue;
      const Vec3 u = ConeSystem::velocity(c, first_velocities_) + (compliance / c.rho) * impulses[i];
      first_shift_[i] = c.mu * std::sqrt(u.y * u.y + u.z * u.z);
    }
  }
  lanes_->take_scalars(first_shift_, shift_);
}

bool Apgd::run(int passes, Real allowed) {
  constexpr int kCheckEvery = 25;
  // The estimate is of the point that a step starts from; its result is often better.
  constexpr Real kPromising = 4;
  const int last = passes_ + passes;
  for (int since_check = 0; residual_ > allowed || std::isnan(residual_);) {
    if (passes_ >= last) {
      if (since_check > 0) check_residual();
      break;
    }
    step();
    ++since_check;
    if (estimate_ <= kPromising * allowed || since_check >= kCheckEvery) {
      check_residual();
      since_check = 0;
    }
  }
  return residual_ <= allowed;
}

void Apgd::step() {
  constexpr Real kShrink = 0.97, kRounding = 1e-12;
  constexpr int kMostDoublings = 60;
  GradientStep pass{};
  pass.velocity_free = velocity_free_.front().value;
  pass.shift = shift_.front().value;
  pass.unscaled = unscaled_.front().value;
  pass.wrench = wrench_.front().value;
  pass.beta = beta_;
  pass.law = law_;
  pass.compliance = compliance_;
  const LaneContacts contacts = lanes_->contacts();
  for (int k = 0; k < kMostDoublings; ++k) {
    pass.previous = previous_.front().value;
    pass.current = current_.front().value;
    pass.next = next_.front().value;
    pass.velocity_previous = velocity_previous_.front().value;
    pass.velocity_current = velocity_current_.front().value;
    pass.velocity_y = velocity_y_.front().value;
    pass.velocity_next = velocity_next_.front().value;
    pass.inverse_l = 1 / l_;
    lane_kernels().gradient_step(contacts, pass);
    ++passes_;
    if (sum_of(pass.travelled) <= ((1 + kRounding) * l_ - compliance_) * sum_of(pass.moved)) break;
    l_ *= 2;
  }
  estimate_ = l_ * std::sqrt(largest_of(pass.largest));
  std::swap(previous_, current_);
  std::swap(current_, next_);
  std::swap(velocity_previous_, velocity_current_);
  std::swap(velocity_current_, velocity_next_);
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
  ResidualCheck check{};
  check.impulses = current_.front().value;
  check.velocities = velocity_current_.front().value;
  check.unscaled = unscaled_.front().value;
  check.law = law_;
  check.compliance = compliance_;
  lane_kernels().residual(lanes_->contacts(), check);
  residual_ = std::sqrt(largest_of(check.largest));
  mean_square_ = sum_of(check.sum) / static_cast<Real>(contacts_);
  if (law_ == LaneLaw::Coulomb) watch_progress();
}

void Apgd::watch_progress() {
  constexpr Real kMuchWorse = 2 * 2, kGain = 0.9 * 0.9;  // in squares
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
