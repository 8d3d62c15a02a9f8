// Contacts by springs and dampers, integrated implicitly.
//
// The penalty methods of D. Schmidl, V. Milenkovic, "A fast impulsive contact suite for rigid body simulation", 2004,
// section 2, and S. Lembcke, "Realtime rigid body simulation using impulses", 2006, section 3.2.1. Every point of
// contact has a spring that pushes with k times the depth, and a damper c. Taken at the end of the step (backward
// Euler), where the gap γ has become γ + dt u_n, they give the impulse
//   j_n = dt max(0, −k (γ + dt u_n) − c u_n),
// and u_n depends on all impulses: with C = 1 / (dt² k + dt c) this is
//   0 ≤ j_n ⊥ u_n + C j_n + C dt k γ ≥ 0,
// a contact problem with compliance C, which sweeps over the contacts solve. So any stiffness is stable at any dt, and
// what is soft is seen as softness. A point that does not touch yet has no damper. Friction is Coulomb's, regularised:
//   j_t = −μ j_n u_t / max(|u_t|, v_s),
// also at the end of the step. There is no static friction: what should hold creeps at up to v_s.
// Known failure: bodies sink in by their load over k, so tall stacks sag; restitution is whatever backward Euler
// leaves; thin bodies may be pressed through each other.
#include "dynamics/penalty.h"

#include <algorithm>
#include <cmath>

#include "carom/contact/measures.h"
#include "contact/rows.h"
#include "dynamics/swept_contacts.h"

namespace carom {
namespace {

class PenaltyContacts final : public SweptContacts {
 public:
  explicit PenaltyContacts(const PenaltyOptions& options) : SweptContacts(options.warm_start), options_(options) {}

 private:
  void sweep(StepContext& step) override {
    for (StepContact& c : step.contacts) c.fast = false;  // springs stop what they meet
    set_springs(step);
    SolveReport& report = solution_.report;
    const Real allowed = options_.tolerance * reference_velocity(problem_);
    while (report.iterations < options_.iterations && !report.converged) {
      const Real change = packed_.schedule.sweep(step.threads, [this](std::size_t group) { return visit(group); });
      ++report.iterations;
      report.converged = change <= allowed;
    }
    packed_.unpack(problem_, solution_);
  }

  struct Spring {
    Real compliance = 0;  // C, 1/kg
    Real push = 0;        // C dt k γ less what the packed contact has for a target, m/s
  };

  void set_springs(const StepContext& step) {
    springs_.resize(packed_.contacts.size());
    const Real dt = step.dt;
    for (std::size_t k = 0; k < springs_.size(); ++k) {
      const ContactPoint& c = contact(k);
      const Real inverse_mass = mobility(problem_.bodies[static_cast<std::size_t>(c.a)]).inverse_mass +
                                mobility(problem_.bodies[static_cast<std::size_t>(c.b)]).inverse_mass;
      const Real gap = step.contacts[static_cast<std::size_t>(packed_.schedule.source()[k])].gap;
      const Real damper = gap > 0 ? 0 : 2 * options_.damping * std::sqrt(options_.stiffness);
      Spring& spring = springs_[k];
      spring.compliance = inverse_mass / (dt * dt * options_.stiffness + dt * damper);
      spring.push = gap * dt * options_.stiffness / (dt * dt * options_.stiffness + dt * damper) + c.target;
    }
  }

  /// One visit to a pair of bodies; the largest change of a contact's velocity.
  Real visit(std::size_t group) {
    PairVelocity pair(packed_, group);
    const ContactGroup& range = packed_.schedule.groups()[group];
    Real largest = 0;
    for (auto k = static_cast<std::size_t>(range.first); k < static_cast<std::size_t>(range.last); ++k) {
      const PackedContact& c = packed_.contacts[k];
      if (!(c.w(0, 0) > 0)) continue;
      Vec3& j = packed_.impulses[k];
      const Vec3 before = j;
      const Spring& spring = springs_[k];
      const Real rate = pair.along(c, 0) + spring.compliance * j.x + spring.push;
      j.x = std::max(j.x - rate / (c.w(0, 0) + spring.compliance), 0.0);
      pair.add(c, {j.x - before.x, 0, 0});
      const Vec3 pressed = j;
      rub(c, {pair.along(c, 1), pair.along(c, 2)}, j);
      pair.add(c, j - pressed);
      largest = std::max(largest, norm(j - before) * c.w.trace() / 3);
    }
    pair.store(packed_.bodies);
    return largest;
  }

  struct Slip {
    Real y = 0, z = 0;
  };

  /// The friction that goes with the normal impulse, given the slip under the impulse `j`.
  void rub(const PackedContact& c, const Slip& slip, Vec3& j) const {
    const Real most = c.mu * j.x;
    if (!(most > 0)) {
      j.y = j.z = 0;
      return;
    }
    // Creeping: (W_tt + v_s / (μ j_n)) j_t = −(slip without j_t).
    const Real viscous = options_.slip_speed / most;
    const Real free_y = slip.y - c.w(1, 1) * j.y - c.w(1, 2) * j.z;
    const Real free_z = slip.z - c.w(2, 1) * j.y - c.w(2, 2) * j.z;
    const Real a = c.w(1, 1) + viscous, b = c.w(1, 2), d = c.w(2, 2) + viscous, determinant = a * d - b * b;
    Real y = (-d * free_y + b * free_z) / determinant;
    Real z = (b * free_y - a * free_z) / determinant;
    if (y * y + z * z > most * most) {
      // Sliding: a step against the slip, kept on the disc; sweeps come back to it.
      y = j.y - c.tangent_step * slip.y;
      z = j.z - c.tangent_step * slip.z;
      const Real size = std::sqrt(y * y + z * z);
      if (size > most) {
        y *= most / size;
        z *= most / size;
      }
    }
    j.y = y;
    j.z = z;
  }

  PenaltyOptions options_;
  std::vector<Spring> springs_;  // per packed contact
};

}  // namespace

std::unique_ptr<ContactStage> make_penalty_contacts(const PenaltyOptions& options) {
  return std::make_unique<PenaltyContacts>(options);
}

}  // namespace carom
