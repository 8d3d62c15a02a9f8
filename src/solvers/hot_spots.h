// The places in a large problem where Coulomb's law is still broken, as a system of its own.
//
// Gradient passes over thousands of contacts leave most of them solved long before the last: a few webs of contacts are
// wedged and hold the residual up. Those contacts, and what is within a few rings of neighbours around them, form a
// small system in which all other impulses are held, so that Newton steps (proximal_newton.h) are affordable. What they
// find disturbs the surroundings a little; passes over everything have to follow.
#pragma once

#include <span>
#include <vector>

#include "solvers/cone_islands.h"
#include "solvers/cone_system.h"

namespace carom {

class HotSpots {
 public:
  /// Contacts whose residual of Coulomb's law at these impulses is above `threshold` (m/s), with `rings` of neighbours.
  /// False if there are none, or more than `most`.
  bool find(const ConeSystem& system, std::span<const Vec3> impulses, Real threshold, int rings, std::size_t most);

  /// Their contacts and bodies alone, under the impulses of all others.
  const ConeSystem& system() const { return part_; }
  /// Their impulses, in the order of that system, and the way back.
  std::span<const Vec3> impulses() const { return impulses_; }
  void put_back(std::span<const Vec3> found, std::span<Vec3> impulses) const;

 private:
  void grow(const ConeSystem& system);
  void build(const ConeSystem& system, std::span<const Vec3> impulses);

  ConeSystem part_;
  std::vector<Vec3> impulses_;
  std::vector<std::size_t> chosen_;  // contacts of the whole system
  std::vector<char> is_chosen_, is_touched_;
  SystemPart part_maker_;
  std::vector<Vec6> velocities_;
};

}  // namespace carom
