// One contact by itself, exactly: Coulomb's law for u = W j + q with a 3×3 matrix W.
//
// Opening (q_n ≥ 0) and sticking are found at once. For sliding, u_n = 0 gives j_n, and with the Schur complement S of
// W_nn the tangential velocity is u_t = S j_t + q_t'. Sliding means u_t = −λ j_t with λ > 0, so j_t(λ) = −(S + λ)⁻¹
// q_t', and λ is where |j_t(λ)| − μ j_n(λ) changes sign: positive at λ = 0 (sticking is outside the cone), negative as
// λ → ∞ (q_n < 0). A bracketed Newton iteration finds it always, which is what angle by angle enumeration (O. Bonnefon,
// G. Daviet, "Quartic formulation of Coulomb 3D frictional contact", 2011) and fixed points do not.
#pragma once

#include "carom/math/types.h"

namespace carom {

class LocalCoulomb {
 public:
  /// W is positive semidefinite; where it is not quite symmetric, S is taken as if it were. Where W_nn vanishes no
  /// impulse ever acts.
  LocalCoulomb() = default;
  LocalCoulomb(const Mat3& w, Real mu);

  /// The impulse; `q` is the contact's velocity without it.
  Vec3 solve(const Vec3& q) const;

 private:
  /// |j_t| − μ j_n and its derivative at a slip parameter.
  struct Excess {
    Real value = 0, slope = 0;
    Real y = 0, z = 0;  // j_t in principal axes
  };
  Excess excess(Real lambda, Real q_n, Real y, Real z) const;
  Real find_slip(Real q_n, Real y, Real z) const;

  Real mu_ = 0;
  Real w_nn_ = 0;
  Real w_ny_ = 0, w_nz_ = 0;    // W_nt, in principal axes of S
  Real w_yn_ = 0, w_zn_ = 0;    // W_tn
  Real s_y_ = 0, s_z_ = 0;      // principal values of S
  Real cosine_ = 1, sine_ = 0;  // first principal axis
};

}  // namespace carom
