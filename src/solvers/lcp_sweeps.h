// Projected Gauss–Seidel on the complementarity problem of contacts with a friction pyramid: any number of contacts.
//
// Contact by contact the normal impulse and then friction are replaced by what the law asks for while all others are
// held. E. Catto, "Iterative dynamics with temporal coherence", 2005, accelerated after D. G. Anderson, 1965. Fixed
// points solve the problem; there may be several.
#pragma once

#include <vector>

#include "solvers/anderson.h"
#include "solvers/cone_system.h"

namespace carom {

class PyramidSweeps {
 public:
  /// Starts from these impulses; `memory` sweeps are looked back on, none for plain sweeps.
  void start(const ConeSystem& system, std::span<const Vec3> impulses, int memory);
  /// Goes on from the last sweep with another memory, of which nothing is filled.
  void restart(int memory);
  void sweep();

  /// The answer after the last sweep, its velocities, and its residual in m/s.
  const std::vector<Vec3>& impulses() const { return impulses_; }
  Real residual();

 private:
  void gather(std::vector<Real>& x) const;
  void accelerate();

  const ConeSystem* system_ = nullptr;
  int memory_ = 0;
  bool carried_ = false;          // `begin_` holds where the next sweep starts
  std::vector<Vec3> impulses_;    // after the last sweep
  std::vector<Vec6> velocities_;  // with them
  std::vector<Vec6> fresh_;
  Anderson acceleration_;
  std::vector<Real> metric_, begin_, end_;
};

}  // namespace carom
