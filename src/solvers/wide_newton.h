// The convex contact model on small systems, in numbers of twice the precision: where doubles stall.
//
// The method is that of convex_newton.h without bounds: R. T. Rockafellar's method of multipliers (1976) around
// impulses jᵏ, p = P_K(jᵏ − σρ u), Newton's steps on y − v̂₀ − Ĵᵀp = 0 with an exact line search. Light bodies between
// heavy ones, and wedged ones, have impulses that hardly matter to any velocity: along those the iteration moves by σ
// times a residual of 1e-8, and only a σ of 1e10 and more gets anywhere. σ multiplies the rounding of velocities, so
// doubles end near 1e7 with velocities off in the fourth digit; with 31 digits a few dozen steps end at rounding. The
// matrix over bodies is dense, so this is for few of them.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "math/double_double.h"
#include "solvers/cone_system.h"

namespace carom {

class WideNewton {
 public:
  /// Beyond so many moving bodies a factorisation takes more than some milliseconds.
  static bool is_for(const ConeSystem& system) { return system.body.size() <= 20; }

  /// From these impulses, in the system's order, until nothing is left that doubles could tell, or so many
  /// factorisations are done. True for the first.
  bool solve(const ConeSystem& system, std::span<const Vec3> impulses, int most_steps);

  int steps() const { return steps_; }
  /// The answer, rounded, and its largest natural map in doubles, m/s.
  std::span<const Vec3> impulses() const { return rounded_; }
  Real residual() const { return residual_; }

 private:
  using Wide3 = std::array<DoubleDouble, 3>;
  struct Wide33 {
    std::array<Wide3, 3> rows;
  };
  struct State {
    Wide3 u, du;     // Ĵy + bias, and along the step
    Wide3 impulse;   // p
    Wide3 center;    // jᵏ
    Wide33 slope;    // σρ dP
    bool is_active;  // `slope` is not zero
  };

  static Wide3 project(const Wide3& z, Real mu, Wide33* derivative);
  Wide3 shifted(const State& state, const ConeContact& contact, const DoubleDouble& t) const;
  template <class Visit>
  static void for_each_entry(const ConeContact& contact, Visit&& visit);
  void add_impulses(std::vector<DoubleDouble>& velocities, Real sign) const;
  static Wide3 times(const ConeContact& contact, const std::vector<DoubleDouble>& velocities);
  void evaluate();
  bool find_step();
  void add_to_matrix(const ConeContact& contact, const State& state);
  bool factor_and_solve();
  DoubleDouble slope(const DoubleDouble& t) const;
  DoubleDouble search() const;
  Real natural_map();
  Real gradient_speed() const;
  Real center_speed() const;
  void round_answer();

  const ConeSystem* system_ = nullptr;
  Real sigma_ = 0;
  int steps_ = 0;
  Real residual_ = 0;
  std::vector<State> states_;
  std::vector<DoubleDouble> y_, gradient_, step_, velocities_;  // six numbers a body
  std::vector<DoubleDouble> matrix_;                            // lower half, by rows
  std::vector<Vec3> rounded_;
  std::vector<Vec6> rounded_velocities_;
};

}  // namespace carom
