// The complementarity problem of contacts with a friction pyramid as dense matrices: for pivoting, and for finishing
// what pivoting or sweeps have begun.
//
// D. E. Stewart and J. C. Trinkle, "An implicit time-stepping scheme for rigid body dynamics with inelastic collisions
// and Coulomb friction", 1996; M. Anitescu and F. A. Potra, 1997. Per contact a normal impulse, eight impulses β_k
// along the pyramid's edges d_k, and the slip's bound λ:
//   0 ≤ j_n ⊥ u_n ≥ 0,   0 ≤ β_k ⊥ λ + d_k·u_t ≥ 0,   0 ≤ λ ⊥ μ j_n − Σ β_k ≥ 0,   j_t = Σ β_k d_k.
#pragma once

#include <span>
#include <vector>

#include "math/eigen.h"
#include "solvers/cone_system.h"
#include "solvers/lemke.h"

namespace carom {

/// Time and memory of a dense problem grow with the third and second power of the contacts.
inline constexpr std::size_t kMostDenseContacts = 100;

class DensePyramids {
 public:
  void build(const ConeSystem& system);

  /// By Lemke's pivots. Impulses in the order of the system's contacts.
  Lemke::End pivot(Real perturbation, std::vector<Vec3>& impulses, int& pivots);

  /// Newton's steps on the natural map: at each contact its face of the pyramid (none, apex, edge, side or inside) is
  /// taken from the map, and the linear equations that hold there are solved for all contacts at once. Keeps the best
  /// impulses that it finds and returns their residual, m/s.
  Real refine(std::vector<Vec3>& impulses, int most_steps, Real goal);

 private:
  /// Directions in which a contact's impulse is free, and those in which its velocity vanishes.
  struct Face {
    int count = 0;
    Vec3 impulse[3], velocity[3];
  };

  Vec3 velocity(std::size_t contact, std::span<const Vec3> impulses) const;
  static Face face_of(const ConeContact& contact, const Vec3& j, const Vec3& u);
  bool solve_faces();

  const ConeSystem* system_ = nullptr;
  std::size_t n_ = 0;
  std::vector<Mat3> w_;     // n × n blocks
  std::vector<Vec3> free_;  // velocities without impulses
  Lemke lemke_;
  std::vector<Face> faces_;
  std::vector<std::size_t> first_;  // unknown of each contact
  Eigen::MatrixXd matrix_;
  Eigen::VectorXd right_, unknown_;
  Eigen::PartialPivLU<Eigen::MatrixXd> factors_;
  std::vector<Vec3> trial_;
  std::vector<Vec6> velocities_;
};

}  // namespace carom
