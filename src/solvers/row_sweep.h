// Projected Gauss–Seidel on the rows of joint blocks, on the same scaled velocities as the contacts.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "solvers/scaled.h"

namespace carom {

class RowSweep {
 public:
  /// Adds the warm impulses to the scaled velocities.
  void pack(const ContactProblem& problem, std::span<const Real> warm_impulses, ScaledBodies& bodies);
  /// Adds the rows' impulses to the velocities.
  void apply(ScaledBodies& bodies) const;
  /// One pass over all rows, in order; the largest change of a row's velocity.
  Real sweep(ScaledBodies& bodies);
  /// Writes the impulses and adds them to the solution's velocities.
  void unpack(const ContactProblem& problem, ContactSolution& solution) const;

  std::size_t size() const { return rows_.size(); }
  Real& impulse(std::size_t row) { return rows_[row].impulse; }
  Real impulse(std::size_t row) const { return rows_[row].impulse; }
  /// Weights that turn squared impulses into energies, as the contacts' blocks do for theirs.
  void append_metric(std::vector<Real>& metric) const {
    for (const Row& row : rows_) metric.push_back(row.w);
  }

 private:
  struct Row {
    std::size_t a = 0, b = 0;
    ScaledVelocity jacobian_a, jacobian_b;  // mass-scaled; zero for what does not take impulses
    Real bias = 0;
    Real w = 0;  // diagonal of the Delassus operator
    Real lower = 0, upper = 0;
    Real impulse = 0;
  };
  std::vector<Row> rows_;
};

}  // namespace carom
