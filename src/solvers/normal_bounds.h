// Bounds on normal velocities, as restitution makes them: which contact, how much, and the row that measures it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "solvers/cone_system.h"

namespace carom {

/// A bound on a contact's normal velocity: u_n ≥ bound, over the contact's own target.
struct NormalBound {
  std::size_t contact = 0;  ///< in the system
  Real bound = 0;           ///< m/s
};

/// A row over the velocities of a contact's two bodies.
struct BoundRow {
  std::int32_t a = -1, b = -1;  ///< as in the contact
  Vec6 row_a{}, row_b{};

  /// The contact's normal, times a factor.
  static BoundRow of(const ConeContact& contact, Real scale) {
    BoundRow row{contact.a, contact.b, contact.rows_a[0], contact.rows_b[0]};
    for (std::size_t k = 0; k < 6; ++k) {
      row.row_a[k] *= scale;
      row.row_b[k] *= scale;
    }
    return row;
  }

  Real times(std::span<const Vec6> velocities) const {
    Real sum = 0;
    for (std::size_t k = 0; k < 6; ++k) {
      if (a >= 0) sum += row_a[k] * velocities[static_cast<std::size_t>(a)][k];
      if (b >= 0) sum += row_b[k] * velocities[static_cast<std::size_t>(b)][k];
    }
    return sum;
  }
  void add(Real factor, std::span<Vec6> velocities) const {
    for (std::size_t k = 0; k < 6; ++k) {
      if (a >= 0) velocities[static_cast<std::size_t>(a)][k] += factor * row_a[k];
      if (b >= 0) velocities[static_cast<std::size_t>(b)][k] += factor * row_b[k];
    }
  }
};

}  // namespace carom
