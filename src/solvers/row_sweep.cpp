#include "solvers/row_sweep.h"

#include <cmath>

#include "contact/rows.h"

namespace carom {
namespace {

Real inner(const ScaledVelocity& a, const ScaledVelocity& b) {
  return dot(a.linear, b.linear) + dot(a.angular, b.angular);
}

void add(ScaledVelocity& v, Real s, const ScaledVelocity& d) {
  v.linear += s * d.linear;
  v.angular += s * d.angular;
}

}  // namespace

void RowSweep::pack(const ContactProblem& problem, std::span<const Real> warm_impulses, ScaledBodies& bodies) {
  rows_.clear();
  for (const RowBlock& block : problem.row_blocks) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(block.rows); ++k) {
      Row row;
      row.a = static_cast<std::size_t>(block.a);
      row.b = static_cast<std::size_t>(block.b);
      row.bias = -block.target[k];
      row.lower = block.lower[k];
      row.upper = block.upper[k];
      const auto scale = [&](std::size_t body, const RowBlock::HalfRow& half, ScaledVelocity& out) {
        const ProblemBody& b = problem.bodies[body];
        if (takes_impulse(b.role)) {
          out = {bodies.root_mass[body] * half.linear, transposed_times(bodies.root_inertia[body], half.angular)};
        } else {
          row.bias += dot(half.linear, b.velocity) + dot(half.angular, b.angular_velocity);
        }
      };
      scale(row.a, block.jacobian_a[k], row.jacobian_a);
      scale(row.b, block.jacobian_b[k], row.jacobian_b);
      row.w = inner(row.jacobian_a, row.jacobian_a) + inner(row.jacobian_b, row.jacobian_b);
      if (!warm_impulses.empty()) {
        row.impulse = warm_impulses[rows_.size()];
        add(bodies.velocities[row.a], row.impulse, row.jacobian_a);
        add(bodies.velocities[row.b], row.impulse, row.jacobian_b);
      }
      rows_.push_back(row);
    }
  }
}

void RowSweep::apply(ScaledBodies& bodies) const {
  for (const Row& row : rows_) {
    add(bodies.velocities[row.a], row.impulse, row.jacobian_a);
    add(bodies.velocities[row.b], row.impulse, row.jacobian_b);
  }
}

Real RowSweep::sweep(ScaledBodies& bodies) {
  Real largest = 0;
  std::vector<ScaledVelocity>& v = bodies.velocities;
  for (Row& row : rows_) {
    if (!(row.w > 0)) continue;
    const Real u = inner(row.jacobian_a, v[row.a]) + inner(row.jacobian_b, v[row.b]) + row.bias;
    const Real impulse = std::clamp(row.impulse - u / row.w, row.lower, row.upper);
    const Real change = impulse - row.impulse;
    row.impulse = impulse;
    add(v[row.a], change, row.jacobian_a);
    add(v[row.b], change, row.jacobian_b);
    largest = std::max(largest, std::abs(change) * row.w);
  }
  return largest;
}

void RowSweep::unpack(const ContactProblem& problem, ContactSolution& solution) const {
  solution.row_impulses.clear();
  for (const Row& row : rows_) solution.row_impulses.push_back(row.impulse);
  std::size_t index = 0;
  for (const RowBlock& block : problem.row_blocks) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(block.rows); ++k, ++index) {
      const auto apply = [&](std::int32_t body, const RowBlock::HalfRow& half) {
        const auto i = static_cast<std::size_t>(body);
        const Mobility m = mobility(problem.bodies[i]);
        solution.velocities[i] += (m.inverse_mass * rows_[index].impulse) * half.linear;
        solution.angular_velocities[i] += m.inverse_inertia * (rows_[index].impulse * half.angular);
      };
      apply(block.a, block.jacobian_a[k]);
      apply(block.b, block.jacobian_b[k]);
    }
  }
}

}  // namespace carom
