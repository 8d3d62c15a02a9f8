// Who rests on whom: the contact graph of a problem, its levels and heights.
//
// E. Guendelman, R. Bridson, R. Fedkiw, "Nonconvex rigid bodies with stacking", 2003, section 7: a body rests on those
// into which it would fall by itself; bodies that rest on each other in a circle are taken as one; levels count from
// the bodies that do not move.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "carom/contact/problem.h"

namespace carom {

/// Unit vector against gravity: from the problem where it is given, else the mean direction in which bodies that do not
/// move push. Zero where the two sides of a box cancel.
Vec3 up_direction(const ContactProblem& problem);

/// Levels of a problem's bodies. A contact belongs to the higher level of its two bodies.
struct ContactLevels {
  std::vector<std::int32_t> of_body;  ///< 0 for bodies that take no impulses, then 1, 2, …
  std::int32_t count = 0;             ///< highest level

  std::int32_t of(const ContactPoint& c) const {
    return std::max(of_body[static_cast<std::size_t>(c.a)], of_body[static_cast<std::size_t>(c.b)]);
  }
};

/// Level 1 are bodies that touch what does not move and rest on no other; each body is above all it rests on. Bodies
/// without a way down to something that does not move form a last level of their own. Where no direction is up, a level
/// is the number of contacts on the shortest way.
ContactLevels contact_levels(const ContactProblem& problem);

/// Height of every contact over some zero, m, along `up`. Found from the arms: a problem holds no positions, and heaps
/// that hang together only through bodies that do not move have zeros of their own.
std::vector<Real> contact_heights(const ContactProblem& problem, const Vec3& up);

}  // namespace carom
