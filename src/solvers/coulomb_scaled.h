// A matrix problem in units in which every contact looks alike, and a point in it: what the stages of the dense Coulomb
// solver hand to each other.
//
// With ρ = 3 / tr W_cc and r = j/√ρ, ũ = √ρ u the friction cones stay what they are and every diagonal block of W has
// trace 3, whatever the masses: the natural map at ρ = 1 is then the one that `measure` takes, times √ρ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "carom/contact/matrix_problem.h"
#include "carom/math/types.h"

namespace carom {

struct ScaledContact {
  std::size_t first = 0, last = 0;  ///< its blocks
  Mat3 own;                         ///< its diagonal block
  Real mu = 0;
  Real root_rho = 0;  ///< √ρ; 0 where no impulse can act
};

struct ScaledBlock {
  std::int32_t column = 0;
  Mat3 w;
};

class ScaledCoulomb {
 public:
  void build(const MatrixProblem& problem);

  std::size_t size() const { return contacts.size(); }
  /// The contact's velocity under `r`, with the compliance.
  Vec3 velocity(std::size_t contact) const;
  /// u and residual from r. Remembers the best point that there was without compliance.
  void evaluate();
  void take_best() { r = best; }
  /// m/s: how exactly velocities can be told at the best point, with impulses as large as they are.
  Real rounding() const;

  std::vector<ScaledContact> contacts;
  std::vector<ScaledBlock> blocks;
  std::vector<Vec3> q;
  Real speed = 0;       ///< largest |q| of a contact
  Real compliance = 0;  ///< α: the problem is that of W + α; 0 is the problem as given

  std::vector<Vec3> r, u;  ///< the point: impulses, and velocities that belong to them
  Real residual = 0;       ///< m/s: largest natural map over contacts at the point
  std::vector<Vec3> best;
  Real best_residual = 0;
};

}  // namespace carom
