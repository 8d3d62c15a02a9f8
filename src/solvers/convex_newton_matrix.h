// The matrix of a Newton step on the convex contact model: 1 + Σ Ĵᵀ D Ĵ over bodies, and rows for bounds on normal
// velocities. Up to six bounds between the same two bodies share a block, as if they were one more body.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "math/block_factor.h"
#include "math/block_matrix.h"
#include "math/block_pattern.h"
#include "solvers/cone_system.h"

namespace carom {

/// A row over the velocities of a contact's two bodies.
struct BoundRow {
  std::int32_t a = -1, b = -1;  ///< as in the contact
  Vec6 row_a{}, row_b{};

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

class NewtonMatrix {
 public:
  /// Both must stay until the last call.
  void analyse(const ConeSystem& system, std::span<const BoundRow> bounds);

  /// The identity over bodies.
  void reset();
  /// Adds Ĵᵀ D Ĵ for one contact, D symmetric.
  void add_contact(std::size_t contact, const Mat3& d);
  /// Rows and columns of the bounds that are `free`, with `diagonal` added to R Rᵀ; the others get the identity.
  void add_bounds(std::span<const char> free, Real diagonal);

  bool factor() { return factor_.factor(pattern_, matrix_); }
  /// In place: six numbers a body, one a bound.
  void solve(std::span<Vec6> velocities, std::span<Real> multipliers);

 private:
  struct Place {
    std::int32_t node = 0, entry = 0;
  };
  struct Coupling {
    std::size_t first = 0, second = 0;  // bounds whose contacts share a moving body; the same one for the diagonal
    Real value = 0;
  };

  void place_bounds();
  void find_couplings();
  void add_block(std::size_t slot, const Rows36& left, const Mat3& d, const Rows36& right);

  const ConeSystem* system_ = nullptr;
  std::span<const BoundRow> bounds_;
  std::int32_t nodes_ = 0;  // bodies and blocks of bounds
  std::vector<Place> places_;
  std::vector<Coupling> couplings_;
  std::vector<BodyPair> pairs_;
  std::vector<std::size_t> pair_slots_;  // per contact: the slot of its two bodies
  BlockPattern pattern_;
  BlockMatrix matrix_;
  BlockFactor factor_;
  std::vector<Real> right_;
};

}  // namespace carom
