// Velocities after impulses in world axes, one push after the other: shares nothing with the library, so that answers
// can be judged from scratch.
#pragma once

#include <vector>

#include "carom/contact/problem.h"

namespace carom::test {

struct Motion {
  std::vector<Vec3> v, w;

  explicit Motion(const ContactProblem& problem) {
    for (const ProblemBody& body : problem.bodies) v.push_back(body.velocity), w.push_back(body.angular_velocity);
  }
  Motion(const ContactProblem& problem, const std::vector<Vec3>& impulses) : Motion(problem) {
    for (std::size_t i = 0; i < impulses.size(); ++i) push(problem, problem.contacts[i], impulses[i]);
  }

  void push(const ContactProblem& problem, const ContactPoint& c, const Vec3& j) {
    const auto one = [&](std::int32_t index, Real sign, const Vec3& r) {
      const auto i = static_cast<std::size_t>(index);
      if (problem.bodies[i].role != BodyRole::Dynamic) return;
      v[i] += sign * problem.bodies[i].inverse_mass * j;
      w[i] += sign * (problem.bodies[i].inverse_inertia * cross(r, j));
    };
    one(c.a, -1, c.ra);
    one(c.b, 1, c.rb);
  }

  /// Velocity of b relative to a at the contact point.
  Vec3 at(const ContactPoint& c) const {
    const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
    return v[b] + cross(w[b], c.rb) - v[a] - cross(w[a], c.ra);
  }
};

}  // namespace carom::test
