#include "siconos_oracle.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <GlobalFrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <Eigen/Dense>

namespace carom::test {
namespace {

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// With every diagonal block of trace 3 the cones are the same and so are the answers, and mass ratios do no harm.
struct Scaled {
  explicit Scaled(const MatrixProblem& given) : problem(given), root(given.contact_count(), 1) {
    for (std::size_t i = 0; i < root.size(); ++i)
      if (const Real trace = diagonal_block(given, i).trace(); trace > 0) root[i] = std::sqrt(3 / trace);
    for (std::size_t i = 0; i < root.size(); ++i) {
      for (std::size_t e = given.row_start[i]; e < given.row_start[i + 1]; ++e)
        problem.blocks[e] = root[i] * root[static_cast<std::size_t>(given.columns[e])] * given.blocks[e];
      for (std::size_t k = 0; k < 3; ++k) problem.q[3 * i + k] *= root[i];
    }
  }
  void unscale(std::vector<Real>& impulse) const {
    for (std::size_t i = 0; i < impulse.size(); ++i) impulse[i] *= root[i / 3];
  }

  MatrixProblem problem;
  std::vector<Real> root;
};

/// Calls put(row, column, value) for every entry of W.
template <class Put>
void for_each_entry(const MatrixProblem& problem, Put&& put) {
  for (std::size_t i = 0; i < problem.contact_count(); ++i)
    for (std::size_t e = problem.row_start[i]; e < problem.row_start[i + 1]; ++e)
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
          put(3 * static_cast<int>(i) + k, 3 * problem.columns[e] + l, problem.blocks[e](k, l));
}

Eigen::MatrixXd dense_matrix(const MatrixProblem& problem) {
  const auto rows = static_cast<Eigen::Index>(problem.q.size());
  Eigen::MatrixXd w = Eigen::MatrixXd::Zero(rows, rows);
  for_each_entry(problem, [&](int row, int column, Real value) { w(row, column) = value; });
  return w;
}

/// Siconos frees the arrays and matrices that it is given, with `free`.
double* copy_of(const std::vector<Real>& values) {
  auto* copy = static_cast<double*>(std::malloc(values.size() * sizeof(double)));
  std::copy(values.begin(), values.end(), copy);
  return copy;
}

NumericsMatrix* empty_matrix(int rows, int entries) {
  NumericsMatrix* matrix = NM_create(NM_SPARSE, rows, rows);
  NM_triplet_alloc(matrix, static_cast<CS_INT>(entries));
  matrix->matrix2->origin = NSM_TRIPLET;
  return matrix;
}

NumericsMatrix* sparse_matrix(const MatrixProblem& problem) {
  NumericsMatrix* matrix =
      empty_matrix(static_cast<int>(problem.q.size()), static_cast<int>(9 * problem.blocks.size()));
  for_each_entry(problem, [&](int row, int column, Real value) { NM_entry(matrix, row, column, value); });
  return matrix;
}

void release(SolverOptions* options) {
  solver_options_delete(options);
  std::free(options);
}

/// The same in blocks of three, which is what Gauss–Seidel is quick on.
NumericsMatrix* block_matrix(const MatrixProblem& problem) {
  NumericsMatrix* sparse = sparse_matrix(problem);
  const int rows = static_cast<int>(problem.q.size());
  NumericsMatrix* matrix = NM_create(NM_SPARSE_BLOCK, rows, rows);
  SBM_from_csparse(3, NM_csc(sparse), matrix->matrix1);
  NM_clear(sparse);
  std::free(sparse);
  return matrix;
}

OracleAnswer solve(const MatrixProblem& problem, NumericsMatrix* matrix, SolverOptions* options) {
  const std::size_t rows = problem.q.size();
  // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the copies belong to Siconos from here on
  FrictionContactProblem* fc3d = frictionContactProblem_new_with_data(3, static_cast<int>(problem.contact_count()),
                                                                      matrix, copy_of(problem.q), copy_of(problem.mu));
  OracleAnswer answer;
  answer.impulse.assign(rows, 0);
  std::vector<Real> velocity(rows);
  const double start = processor_seconds();
  fc3d_driver(fc3d, answer.impulse.data(), velocity.data(), options);
  answer.seconds = processor_seconds() - start;
  answer.iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
  frictionContactProblem_free(fc3d);
  release(options);
  return answer;
}

}  // namespace

OracleAnswer siconos_nsgs(const MatrixProblem& problem, Real tolerance, int iterations) {
  SolverOptions* options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
  return solve(problem, block_matrix(problem), options);
}

OracleAnswer siconos_admm(const MatrixProblem& problem, Real tolerance, int iterations) {
  const Scaled scaled(problem);
  SolverOptions* options = solver_options_create(SICONOS_FRICTION_3D_ADMM);
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
  OracleAnswer answer = solve(scaled.problem, sparse_matrix(scaled.problem), options);
  scaled.unscale(answer.impulse);
  return answer;
}

OracleAnswer siconos_convex(const MatrixProblem& problem, Real tolerance, int iterations) {
  const Scaled scaled(problem);
  const std::size_t rows = problem.q.size(), contacts = problem.contact_count();
  const auto n = static_cast<int>(rows);
  // Only the method on the global form can leave the shift out. W = HᵀH makes one: M is the identity, and b is q.
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(dense_matrix(scaled.problem));
  const Eigen::MatrixXd h =
      spectrum.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal() * spectrum.eigenvectors().transpose();
  GlobalFrictionContactProblem* global = globalFrictionContactProblem_new();
  global->dimension = 3;
  global->numberOfContacts = static_cast<int>(contacts);
  global->M = empty_matrix(n, n);
  global->H = empty_matrix(n, n * n);
  for (int i = 0; i < n; ++i) {
    NM_entry(global->M, i, i, 1);
    for (int k = 0; k < n; ++k) NM_entry(global->H, i, k, h(i, k));
  }
  global->q = copy_of(std::vector<Real>(rows));
  global->b = copy_of(scaled.problem.q);
  global->mu = copy_of(scaled.problem.mu);
  SolverOptions* options = solver_options_create(SICONOS_GLOBAL_FRICTION_3D_ADMM);
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
  options->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_UPDATE_S] = SICONOS_FRICTION_3D_ADMM_UPDATE_S_NO;
  OracleAnswer answer;
  answer.impulse.assign(rows, 0);
  std::vector<Real> velocity(rows), global_velocity(rows);
  const double start = processor_seconds();
  gfc3d_driver(global, answer.impulse.data(), velocity.data(), global_velocity.data(), options);
  answer.seconds = processor_seconds() - start;
  answer.iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
  globalFrictionContact_free(global);
  release(options);
  scaled.unscale(answer.impulse);
  return answer;
}

}  // namespace carom::test
