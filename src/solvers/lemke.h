// Lemke's method for a dense linear complementarity problem: find z ≥ 0 with w = M z + q ≥ 0 and zᵀw = 0.
//
// C. E. Lemke, "Bimatrix equilibrium points and mathematical programming", 1965; R. W. Cottle, J.-S. Pang and R. E.
// Stone, "The linear complementarity problem", 1992, sections 4.4 and 4.9 (lexicographic rule against cycling). One
// more variable z_0 makes the start feasible: w = M z + q + 1 z_0. From then on the variable whose complement has just
// left enters, until z_0 leaves. Cost: n² a pivot, and usually a few n pivots; memory n². For copositive M, such as
// that of contacts with friction, the method either solves the problem or ends on a ray, which is then a sign that the
// constraints contradict each other (J.-S. Pang and J. C. Trinkle, 1996).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "carom/math/types.h"

namespace carom {

class Lemke {
 public:
  enum class End : std::uint8_t {
    Solved,
    Ray,   ///< the entering variable can grow for ever: no answer by this method
    Limit  ///< pivots used up
  };

  /// Makes room for n unknowns: M, row-major, and q are zero, to be filled in. They should be scaled so that M is about
  /// 1: tolerances count on it.
  void prepare(std::size_t n);
  std::span<Real> matrix() { return matrix_; }
  std::span<Real> constant() { return constant_; }

  /// Where it is not solved, z is the last point of the path, at which w + z_0 takes the place of w.
  /// `perturbation` of q, each entry by another part of it, keeps rounding from going in circles where very many ratios
  /// are equal; the answer is off by as much.
  End solve(int most_pivots, Real perturbation = 0);

  std::span<const Real> z() const { return z_; }
  int pivots() const { return pivots_; }

 private:
  // Variables by number: w_k is k, z_k is n + k, z_0 is 2n. Every basic one is a row, every other a column:
  //   basic = constant + matrix · nonbasic.
  struct Place {
    bool is_basic = false;
    std::size_t index = 0;
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  Real at(std::size_t row, std::size_t column) const { return tableau_[row * (n_ + 1) + column]; }
  std::size_t complement(std::size_t variable) const { return variable < n_ ? variable + n_ : variable - n_; }

  void start(Real perturbation);
  std::size_t most_violated_row() const;
  std::size_t leaving_row(std::size_t column);
  Real inverse_entry(std::size_t row, std::size_t k) const;
  void exchange(std::size_t row, std::size_t column);
  void read_solution();

  std::size_t n_ = 0;
  int pivots_ = 0;
  std::vector<Real> matrix_, constant_;
  std::vector<Real> tableau_, values_;       // n × (n + 1), and the constants
  std::vector<std::size_t> rows_, columns_;  // variable of each
  std::vector<Place> places_;                // of each variable
  std::vector<Real> z_, ratios_;
  std::vector<std::size_t> ties_;
};

}  // namespace carom
