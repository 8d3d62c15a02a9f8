#include "solvers/wide_newton.h"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

using Wide = DoubleDouble;

/// Not a number stays that.
void raise(Real& largest, Real value) {
  if (!(value <= largest) && !std::isnan(largest)) largest = value;
}

Wide dot3(const std::array<Wide, 3>& a, const std::array<Wide, 3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Real length3(const std::array<Wide, 3>& a) { return static_cast<Real>(sqrt(dot3(a, a))); }

}  // namespace

/// On the cone, with the derivative: one where z is inside, zero where it is in the polar cone.
WideNewton::Wide3 WideNewton::project(const Wide3& z, Real mu, Wide33* derivative) {
  const Wide r = sqrt(z[1] * z[1] + z[2] * z[2]);
  if (derivative != nullptr) *derivative = {};
  if (Wide(0) <= z[0] && r <= mu * z[0]) {
    if (derivative != nullptr)
      for (std::size_t k = 0; k < 3; ++k) derivative->rows[k][k] = 1;
    return z;
  }
  if (mu * r <= -z[0]) return {};
  const Wide size = Wide(1) + exact_product(mu, mu), normal = (z[0] + mu * r) / size;
  const Wide3 edge{1, mu * (z[1] / r), mu * (z[2] / r)};
  if (derivative != nullptr) {
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t l = 0; l < 3; ++l) derivative->rows[k][l] = edge[k] * edge[l] / size;
    // Across the edge, by the cone's curvature.
    const Wide bend = mu * normal / r, y = z[1] / r, w = z[2] / r;
    derivative->rows[1][1] += bend * w * w;
    derivative->rows[2][2] += bend * y * y;
    derivative->rows[1][2] -= bend * y * w;
    derivative->rows[2][1] -= bend * y * w;
  }
  return {normal, normal * edge[1], normal * edge[2]};
}

/// jᵏ − σρ (u + t du).
WideNewton::Wide3 WideNewton::shifted(const State& s, const ConeContact& c, const Wide& t) const {
  const Wide weight = exact_product(sigma_, c.rho);
  Wide3 z;
  for (std::size_t k = 0; k < 3; ++k) z[k] = s.center[k] - weight * (s.u[k] + t * s.du[k]);
  return z;
}

/// visit(column, row of the normal, of the tangent, of the second tangent) for every number that a contact depends on.
template <class Visit>
void WideNewton::for_each_entry(const ConeContact& c, Visit&& visit) {
  for (std::size_t k = 0; k < 6; ++k)
    if (c.a >= 0) visit(6 * static_cast<std::size_t>(c.a) + k, c.rows_a[0][k], c.rows_a[1][k], c.rows_a[2][k]);
  for (std::size_t k = 0; k < 6; ++k)
    if (c.b >= 0) visit(6 * static_cast<std::size_t>(c.b) + k, c.rows_b[0][k], c.rows_b[1][k], c.rows_b[2][k]);
}

WideNewton::Wide3 WideNewton::times(const ConeContact& contact, const std::vector<Wide>& velocities) {
  Wide3 u;
  for_each_entry(contact, [&](std::size_t column, Real n, Real t, Real s) {
    u[0] += velocities[column] * n;
    u[1] += velocities[column] * t;
    u[2] += velocities[column] * s;
  });
  return u;
}

void WideNewton::add_impulses(std::vector<Wide>& velocities, Real sign) const {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const Wide3& j = states_[i].impulse;
    for_each_entry(system_->contacts[i], [&](std::size_t column, Real n, Real t, Real s) {
      velocities[column] += (j[0] * n + j[1] * t + j[2] * s) * sign;
    });
  }
}

bool WideNewton::solve(const ConeSystem& system, std::span<const Vec3> impulses, int most_steps) {
  constexpr Real kFirstSigma = 1e4, kMostSigma = 1e12, kGrowth = 10;
  constexpr Real kGoal = 1e-15;  // of v_ref: what doubles could not tell from zero
  constexpr Real kInner = 0.1;   // gradient left over, of what the proximal terms leave
  constexpr int kMostInnerSteps = 40;
  system_ = &system;
  steps_ = 0;
  sigma_ = kFirstSigma;
  states_.assign(system.contacts.size(), {});
  for (std::size_t i = 0; i < states_.size(); ++i)
    states_[i].impulse = states_[i].center = {impulses[i].x, impulses[i].y, impulses[i].z};
  Real residual = natural_map();
  y_ = velocities_;
  evaluate();
  const Real goal = kGoal * system.reference_velocity;
  while (!(residual <= goal) && steps_ < most_steps) {
    Real last = gradient_speed();
    for (int inner = 0; inner < kMostInnerSteps && steps_ < most_steps; ++inner) {
      if (!find_step()) break;
      ++steps_;
      const Wide t = search();
      for (std::size_t i = 0; i < y_.size(); ++i) y_[i] += t * step_[i];
      evaluate();
      const Real left = gradient_speed();
      // The second: rounding is all that is left.
      if (left <= kInner * center_speed() || (left > 0.5 * last && left <= goal)) break;
      last = left;
    }
    residual = natural_map();
    for (State& s : states_) s.center = s.impulse;
    sigma_ = std::min(kGrowth * sigma_, kMostSigma);
    evaluate();
  }
  for (State& s : states_) s.impulse = s.center;
  round_answer();
  return residual <= goal;
}

/// Impulses, derivatives and the gradient at the present y.
void WideNewton::evaluate() {
  gradient_ = y_;
  for (std::size_t i = 0; i < system_->free_velocities.size(); ++i)
    for (std::size_t k = 0; k < 6; ++k) gradient_[6 * i + k] -= system_->free_velocities[i][k];
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const ConeContact& c = system_->contacts[i];
    State& s = states_[i];
    s.u = times(c, y_);
    s.u[0] += c.bias.x;
    s.u[1] += c.bias.y;
    s.u[2] += c.bias.z;
    s.du = {};
    s.impulse = project(shifted(s, c, 0), c.mu, &s.slope);
    s.is_active = s.slope.rows[0][0].high != 0;
    const Wide weight = exact_product(sigma_, c.rho);
    for (Wide3& row : s.slope.rows)
      for (Wide& value : row) value = weight * value;
  }
  add_impulses(gradient_, -1);
}

bool WideNewton::find_step() {
  const std::size_t n = y_.size();
  matrix_.assign(n * n, {});
  for (std::size_t i = 0; i < n; ++i) matrix_[i * n + i] = 1;
  for (std::size_t i = 0; i < states_.size(); ++i)
    if (states_[i].is_active) add_to_matrix(system_->contacts[i], states_[i]);
  if (!factor_and_solve()) return false;
  for (std::size_t i = 0; i < states_.size(); ++i) states_[i].du = times(system_->contacts[i], step_);
  return true;
}

/// The lower half of Ĵᵀ σρ dP Ĵ.
void WideNewton::add_to_matrix(const ConeContact& contact, const State& s) {
  const std::size_t n = y_.size();
  for_each_entry(contact, [&](std::size_t column, Real normal, Real tangent, Real second) {
    Wide3 product;
    for (std::size_t k = 0; k < 3; ++k)
      product[k] = s.slope.rows[k][0] * normal + s.slope.rows[k][1] * tangent + s.slope.rows[k][2] * second;
    for_each_entry(contact, [&](std::size_t row, Real a, Real b, Real c) {
      if (row >= column) matrix_[row * n + column] += product[0] * a + product[1] * b + product[2] * c;
    });
  });
}

/// Cholesky's factor in the matrix's place, and the step from the gradient.
bool WideNewton::factor_and_solve() {
  const std::size_t n = y_.size();
  for (std::size_t i = 0; i < n; ++i) {
    Wide* row = &matrix_[i * n];
    for (std::size_t j = 0; j <= i; ++j) {
      const Wide* other = &matrix_[j * n];
      Wide sum = row[j];
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      if (i == j && !(sum.high > 0)) return false;
      row[j] = i == j ? sqrt(sum) : sum / other[j];
    }
  }
  step_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    Wide sum = -gradient_[i];
    for (std::size_t k = 0; k < i; ++k) sum -= matrix_[i * n + k] * step_[k];
    step_[i] = sum / matrix_[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    Wide sum = step_[i];
    for (std::size_t k = i + 1; k < n; ++k) sum -= matrix_[k * n + i] * step_[k];
    step_[i] = sum / matrix_[i * n + i];
  }
  return true;
}

/// The derivative of the objective along the step.
Wide WideNewton::slope(const Wide& t) const {
  Wide sum;
  for (std::size_t i = 0; i < y_.size(); ++i)
    sum += step_[i] * (y_[i] + t * step_[i] - system_->free_velocities[i / 6][i % 6]);
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const ConeContact& c = system_->contacts[i];
    sum -= dot3(states_[i].du, project(shifted(states_[i], c, t), c.mu, nullptr));
  }
  return sum;
}

/// Where along the step the objective is least, roughly: its derivative rises, so a bracket closes in on the place.
Wide WideNewton::search() const {
  constexpr Real kFlat = 0.1;
  constexpr int kMostTrials = 40;
  Wide low = 0, high = 1, low_slope = slope(0), high_slope = slope(1);
  const Real flat = kFlat * std::abs(low_slope.high);
  if (!(high_slope.high > flat)) return 1;
  for (int i = 0; i < kMostTrials; ++i) {
    // Between the secant's place and the middle: the derivative has kinks.
    const Wide secant = low + (high - low) * (low_slope / (low_slope - high_slope));
    const Wide t = 0.5 * (secant + 0.5 * (low + high));
    const Wide s = slope(t);
    if (std::abs(s.high) <= flat) return t;
    (s.high < 0 ? low : high) = t;
    (s.high < 0 ? low_slope : high_slope) = s;
  }
  return low.high > 0 ? low : high;
}

/// The largest natural map, m/s, at velocities that follow from the impulses.
Real WideNewton::natural_map() {
  velocities_.resize(6 * system_->free_velocities.size());
  for (std::size_t i = 0; i < velocities_.size(); ++i) velocities_[i] = system_->free_velocities[i / 6][i % 6];
  add_impulses(velocities_, 1);
  Real largest = 0;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const ConeContact& c = system_->contacts[i];
    const Wide3& j = states_[i].impulse;
    const Wide3 u = times(c, velocities_);
    const Wide3 projected =
        project({j[0] - c.rho * (u[0] + c.bias.x), j[1] - c.rho * (u[1] + c.bias.y), j[2] - c.rho * (u[2] + c.bias.z)},
                c.mu, nullptr);
    raise(largest, length3({j[0] - projected[0], j[1] - projected[1], j[2] - projected[2]}) / c.rho);
  }
  return largest;
}

/// What is left of the gradient, as a velocity at contacts.
Real WideNewton::gradient_speed() const {
  Real largest = 0;
  for (const ConeContact& c : system_->contacts) raise(largest, length3(times(c, gradient_)));
  return largest;
}

/// What the proximal terms make of an answer, as a velocity at contacts.
Real WideNewton::center_speed() const {
  Real largest = 0;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const State& s = states_[i];
    const Wide3 moved{s.impulse[0] - s.center[0], s.impulse[1] - s.center[1], s.impulse[2] - s.center[2]};
    raise(largest, length3(moved) / (sigma_ * system_->contacts[i].rho));
  }
  return largest;
}

void WideNewton::round_answer() {
  rounded_.clear();
  for (const State& s : states_)
    rounded_.push_back(
        {static_cast<Real>(s.impulse[0]), static_cast<Real>(s.impulse[1]), static_cast<Real>(s.impulse[2])});
  system_->velocities_after(rounded_, rounded_velocities_);
  residual_ = 0;
  for (std::size_t i = 0; i < rounded_.size(); ++i) {
    const ConeContact& c = system_->contacts[i];
    raise(residual_, convex_residual(c, rounded_[i], ConeSystem::velocity(c, rounded_velocities_)));
  }
}

}  // namespace carom
