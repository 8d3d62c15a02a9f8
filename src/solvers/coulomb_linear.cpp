#include "solvers/coulomb_linear.h"

namespace carom {

void CoulombLinear::start(std::size_t contacts) {
  f.assign(contacts, {});
  step.assign(contacts, {});
  by_r.assign(contacts, Mat3::identity());
  by_u.assign(contacts, {});
  place_.resize(contacts);
}

void CoulombLinear::fill_row(const ScaledCoulomb& problem, std::size_t row, Real epsilon) {
  const auto i = static_cast<std::size_t>(active_[row]);
  const auto add = [&](std::size_t column, const Mat3& block) {
    for (int k = 0; k < 3; ++k) {
      Real* out = lu_.row(3 * row + static_cast<std::size_t>(k)) + 3 * column;
      for (int l = 0; l < 3; ++l) out[l] += block(k, l);
    }
  };
  for (std::size_t e = problem.contacts[i].first; e < problem.contacts[i].last; ++e) {
    const std::int32_t place = place_[static_cast<std::size_t>(problem.blocks[e].column)];
    if (place >= 0) add(static_cast<std::size_t>(place), by_u[i] * problem.blocks[e].w);
  }
  add(row, by_r[i] + (problem.compliance + epsilon) * by_u[i]);
}

bool CoulombLinear::solve(const ScaledCoulomb& problem, Real epsilon) {
  active_.clear();
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const bool sees_velocity = by_u[i] != Mat3{};
    place_[i] = sees_velocity ? static_cast<std::int32_t>(active_.size()) : -1;
    if (sees_velocity) active_.push_back(static_cast<std::int32_t>(i));
  }
  lu_.start(3 * active_.size());
  for (std::size_t row = 0; row < active_.size(); ++row) fill_row(problem, row, epsilon);
  if (!lu_.factor()) return false;
  solve_again(problem);
  return true;
}

void CoulombLinear::solve_again(const ScaledCoulomb& problem) {
  for (std::size_t i = 0; i < problem.size(); ++i)
    if (place_[i] < 0) step[i] = -(inverse(by_r[i]) * f[i]);
  right_.resize(3 * active_.size());
  for (std::size_t row = 0; row < active_.size(); ++row) {
    const auto i = static_cast<std::size_t>(active_[row]);
    Vec3 taken_out;
    for (std::size_t e = problem.contacts[i].first; e < problem.contacts[i].last; ++e) {
      const auto column = static_cast<std::size_t>(problem.blocks[e].column);
      if (place_[column] < 0) taken_out += problem.blocks[e].w * step[column];
    }
    const Vec3 right = -f[i] - by_u[i] * taken_out;
    for (int k = 0; k < 3; ++k) right_[3 * row + static_cast<std::size_t>(k)] = right[k];
  }
  lu_.solve(right_);
  for (std::size_t row = 0; row < active_.size(); ++row)
    step[static_cast<std::size_t>(active_[row])] = {right_[3 * row], right_[3 * row + 1], right_[3 * row + 2]};
}

}  // namespace carom
