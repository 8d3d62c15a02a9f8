// The convex contact model on friction pyramids of a few bodies, to its last digit: the active-set method of least
// squares with non-negative unknowns.
//
// C. L. Lawson, R. J. Hanson, "Solving least squares problems", 1974, chapter 23. An impulse in a pyramid is a sum of
// its edges dₖ = (1, μ cos, μ sin) with factors λ ≥ 0, so that the model is min ½|Aλ|² + cᵀλ over λ ≥ 0, with a column
// Ĵᵀdₖ of A for each edge. A few edges are in use; on them the optimum is a small linear system. An edge along which
// the kinetic energy would fall, w = dₖ·u < 0, comes into use; one whose factor comes to zero on the way to the optimum
// goes. Kinetic energy falls from each set of edges to the next, so no set comes twice, and there are no more in use
// than the bodies have degrees of freedom. A step is a solution with a factor that grows and shrinks
// (growing_factor.h), much less than a step along a path, but their number grows with that of the contacts: a method
// for some eight bodies. Columns that depend on those in use have no curvature of their own; they come in exchange for
// the first edge whose factor goes to zero. Where none does no velocity meets all targets: known failure, reported by
// `run`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/cone_system.h"
#include "solvers/growing_factor.h"

namespace carom {

class PyramidEdges {
 public:
  /// Where it is quicker than a path.
  static bool is_for(const ConeSystem& system) {
    constexpr std::size_t kMostBodies = 12;
    return system.free_velocities.size() <= kMostBodies;
  }

  /// The system must stay until the last `run`. Impulses to start from are taken into their pyramids' edges: they must
  /// lie inside.
  void start(const ConeSystem& system, std::span<const Vec3> impulses);

  /// Until the residual is at most `allowed` (m/s), or so many edges have come, or there is no way on. Returns true for
  /// the first.
  bool run(int steps, Real allowed);

  int steps() const { return steps_; }
  /// The largest ‖j − P_K(j − ρ u)‖ / ρ, m/s, as of the end of the last `run`.
  Real residual() const { return residual_; }
  std::span<const Vec3> impulses() const { return impulses_; }

 private:
  static constexpr std::size_t kEdges = 8;

  struct Edge {
    std::size_t contact = 0, direction = 0;
    Real factor = 0;      // λ
    Real own = 0;         // |Ĵᵀd|²
    Vec6 on_a{}, on_b{};  // Ĵᵀd
  };

  std::size_t edges_of(std::size_t contact) const { return system_->contacts[contact].mu > 0 ? kEdges : 1; }
  Vec3 direction(const Edge& edge) const;
  Edge make_edge(std::size_t contact, std::size_t direction) const;
  void take_apart(std::size_t contact, const Vec3& impulse);
  void find_impulses();
  void find_velocities();
  Real find_steepest(std::size_t& contact, std::size_t& direction) const;
  Real distance_square(const Edge& edge);
  void take(const Edge& edge, Real distance_square);
  bool bring_in(Edge edge);
  void give_up_share(Edge edge);
  void settle();
  void drop(std::size_t which);
  void measure();

  const ConeSystem* system_ = nullptr;
  int steps_ = 0;
  Real residual_ = 0;
  GrowingFactor factor_;
  std::vector<Edge> edges_;  // in use, in the order of the factor's columns
  std::vector<char> used_;   // of all edges
  std::vector<Vec3> impulses_, contact_velocities_;
  std::vector<Vec6> velocities_, scratch_;
  std::vector<Real> products_, change_, slopes_;
};

}  // namespace carom
