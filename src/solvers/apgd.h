// Accelerated projected gradients on the convex contact model, min ½ jᵀWj + bᵀj over j ∈ K.
//
// Y. Nesterov, "A method of solving a convex programming problem with convergence rate O(1/k²)", 1983, with the
// restart of B. O'Donoghue and E. Candès, "Adaptive restart for accelerated gradient schemes", 2015; for contact
// H. Mazhar et al., "Using Nesterov's method to accelerate multibody dynamics with friction and contact", 2015. A step
// is one pass over the contacts: y = x + β (x − x₋), x₊ = P_K(y − ρ u(y) / L), with the step length of each contact
// from its own block, ρ = 3 / tr W_cc, and L doubled until |Ĵᵀ(x₊ − y)|² ≤ L Σ |x₊ − y|² / ρ. Where Σ u·(x₊ − x) > 0
// the momentum is dropped.
//
// The same steps along the field of Coulomb's law (u_n + μ|u_t| for u_n, De Saxcé 1998) have no objective that falls.
// The shift μ|u_t| follows the velocities with a lag of a few passes, so that each pass sees nearly a convex problem,
// and the momentum is dropped as well when the residual has grown over its best since the last drop, and when it has
// hardly fallen for some time: a few contacts can swing to and fro for as long as momentum feeds them. The first digits
// are found in single precision, which is twice as fast; what is given back has been checked in double. Stops when the
// natural map |j − P_K(j − ρ u)| / ρ is small at the worst contact. Known failure: impacting frames, where contacts
// wedge bodies against each other, converge slowly below 1e-3.
#pragma once

#include <span>
#include <vector>

#include "solvers/cone_system.h"
#include "solvers/lanes.h"

namespace carom {

class Apgd {
 public:
  /// Starts from impulses in the order of the system. Both references must stay until the last `run`. `compliance` adds
  /// that multiple of 1/ρ to the diagonal of W: then it is another problem, and the residual is that problem's.
  void start(const ConeSystem& system, const Lanes& lanes, LaneLaw law, std::span<const Vec3> impulses,
             Real compliance = 0);

  /// With other impulses, but with the step length and the shift that the passes have found.
  void go_on_from(const ConeSystem& system, std::span<const Vec3> impulses);

  /// Until the residual is at most `allowed` (m/s), or so many passes are done. Returns true for the first.
  bool run(int passes, Real allowed);

  int passes() const { return passes_; }
  /// Largest natural map over contacts, m/s, as of the end of the last `run`.
  Real residual() const { return residual_; }
  /// Root mean square of it.
  Real mean_residual() const;
  void give_impulses(std::span<Vec3> impulses) const;

 private:
  /// What a pass reads and writes.
  template <class Number>
  struct Lines {
    LaneLines<Number> previous, current, next;
    LaneLines<Number> velocity_free, velocity_previous, velocity_current, velocity_y, velocity_next;
    LaneLines<Number> shift;             // of Coulomb's law, a line a batch
    LaneLines<Number> unscaled, wrench;  // scratch of the kernels
  };

  void take_impulses(const ConeSystem& system, std::span<const Vec3> impulses);
  void start_shift(const ConeSystem& system, Real compliance, std::span<const Vec3> impulses);
  void choose_precision();
  void leave_single();
  bool single_has_done(Real allowed) const;
  void step();
  void check_residual();
  template <class Number>
  void step_in(Lines<Number>& lines);
  template <class Number>
  void check_in(Lines<Number>& lines);
  void watch_progress();
  void drop_momentum();

  const Lanes* lanes_ = nullptr;
  LaneLaw law_ = LaneLaw::Cone;
  std::size_t contacts_ = 0;
  int passes_ = 0;
  Real compliance_ = 0;
  Real l_ = 0, theta_ = 1, beta_ = 0;
  Real residual_ = 0;
  Real mean_square_ = 0;    // of the natural map over contacts, m²/s²
  Real best_square_ = 0;    // the least of it since the momentum was dropped
  Real last_gain_ = 0;      // its value when it last fell by much
  int gain_pass_ = 0;       // and when that was
  Real noise_square_ = 0;   // of it: below, a slow end is no swing
  Real estimate_ = 0;       // of the residual, from the last step: an upper bound where the step started
  bool single_ = false;     // the passes are in single precision
  Real single_enough_ = 0;  // residual below which they no longer are, m/s
  Real single_gain_ = 0;    // the least mean square that they have come to, by steps of a tenth
  int single_gain_pass_ = 0;
  Lines<double> doubles_;
  Lines<float> singles_;
  std::vector<Real> first_shift_;  // scratch of the start
  std::vector<Vec6> first_velocities_;
};

}  // namespace carom
