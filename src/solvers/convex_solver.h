// The convex contact model on a cone system, by the method that fits: gradients where they are quick, else an
// interior-point path from where they got to, and Newton steps for the last digits; on pyramids of a few bodies an
// active set in the place of both.
//
// Gradient passes (apgd.h) are cheap and need not converge; an active set (pyramid_edges.h) ends exactly, in a number
// of steps that grows with the problem; an interior-point step (interior_point.h, qp_path.h) costs a factorisation, but
// their number hardly depends on the problem; Newton steps (convex_newton.h) cost the same and finish; on small systems
// where doubles stall, in numbers of twice the precision (wide_newton.h). Which comes next is decided by what the
// passes gain, never by a clock: the answer is the same on every machine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/apgd.h"
#include "solvers/convex_newton.h"
#include "solvers/interior_point.h"
#include "solvers/pyramid_edges.h"
#include "solvers/qp_path.h"
#include "solvers/wide_newton.h"

namespace carom {

struct ConvexOutcome {
  int iterations = 0;       ///< passes; a factorisation counts as about as many as take the same time
  Real residual = 0;        ///< m/s: largest natural map of a contact or bound
  bool converged = false;   ///< residual as asked for
  bool infeasible = false;  ///< no velocity meets all bounds: the answer misses them the least
};

/// Where doubles stall, wide numbers and other regularisations of the path may still end: for hundreds of times as
/// long.
enum class ConvexEffort : std::uint8_t { ToTheEnd, InDoubles };

class ConvexSolver {
 public:
  explicit ConvexSolver(ConvexEffort effort = ConvexEffort::ToTheEnd) : effort_(effort) {}

  /// Impulses in frames and in the system's order: where to start, and the answer; multipliers of bounds likewise. A
  /// shift of normal velocities goes into the contacts' bias. `allowed` is in m/s.
  ConvexOutcome solve(const ConeSystem& system, ImpulseSet set, std::span<const NormalBound> bounds, int iterations,
                      Real allowed, std::vector<Vec3>& impulses, std::vector<Real>& multipliers);

 private:
  Real passes_otherwise() const;
  void run_gradients();
  void run_edges();
  void solve_bounded(std::span<const NormalBound> bounds, std::vector<Real>& multipliers);
  void run_interior_point(std::vector<Real>& multipliers);
  bool run_wide();
  void run_other_ways(std::vector<Real>& multipliers);
  template <class Path>
  void follow(Path& path, Real close, std::vector<Real>& multipliers);
  template <class Path>
  void take(const Path& path, std::vector<Real>& multipliers);
  void run_newton(std::span<const NormalBound> bounds, std::vector<Real>& multipliers, int steps, Real sigma);
  int steps_left() const { return (budget_ - outcome_.iterations) / passes_per_step_; }

  ConvexEffort effort_;
  const ConeSystem* system_ = nullptr;
  ImpulseSet set_ = ImpulseSet::Cone;
  int budget_ = 0, reserve_ = 0;  // passes in all, and those kept back beyond them
  int passes_per_step_ = 1;
  bool few_ = false;  // bodies, on pyramids: their edges are quick
  Real allowed_ = 0;
  ConvexOutcome outcome_;
  std::span<const NormalBound> bounds_;  // that the path has to keep
  std::vector<Vec3>* impulses_ = nullptr;
  std::vector<Vec3> unbounded_;  // the answer without bounds
  std::vector<Real> history_;    // best residual of the gradients after each chunk of passes
  Lanes lanes_;
  Apgd gradients_;
  InteriorPoint interior_;
  PyramidEdges edges_;
  PyramidPath pyramid_path_;
  ConvexNewton newton_;
  WideNewton wide_;
};

}  // namespace carom
