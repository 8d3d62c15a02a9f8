#include "math/symmetric.h"

#include "math/eigen.h"

namespace carom {

Vec3 principal_moments(const Mat3& a) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(to_eigen(a), Eigen::EigenvaluesOnly);
  return from_eigen(solver.eigenvalues());
}

PrincipalAxes principal_axes(const Mat3& a) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(to_eigen(a));
  return {from_eigen(solver.eigenvalues()), from_eigen(solver.eigenvectors())};
}

}  // namespace carom
