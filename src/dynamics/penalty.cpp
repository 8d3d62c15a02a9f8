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
// what is soft is seen as softness. A point that does not touch yet has no damper. Friction is a spring too, along the
// surface, that slips where it pulls harder than Coulomb's law lets it (P. Cundall, O. Strack, "A discrete numerical
// model for granular assemblies", 1979):
//   j_t = j_t⁻ − dt² k u_t,   held on |j_t| ≤ μ j_n,
// also at the end of the step. How far it is stretched is what it pulled with in the last step, j_t⁻, so there is
// nothing to remember but impulses. It has no damper: backward Euler takes what it swings. Friction is not
// larger before a contact slips than after.
// Known failure: bodies sink in by their load over k, so tall stacks sag, and give way along the surface likewise;
// restitution is whatever backward Euler leaves; thin bodies may be pressed through each other.
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
    Real compliance = 0;          // C, 1/kg
    Real push = 0;                // C dt k γ less what the packed contact has for a target, m/s
    Real slack = 0;               // C along the surface, 1/kg
    Real pull_y = 0, pull_z = 0;  // N s, in the contact's frame: what that spring pulls with if nothing slips
  };

  void set_springs(StepContext& step) {
    springs_.resize(packed_.contacts.size());
    const std::span<const Vec3> last = step.last_impulses();
    const std::vector<ContactGroup>& groups = packed_.schedule.groups();
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (auto k = static_cast<std::size_t>(groups[g].first); k < static_cast<std::size_t>(groups[g].last); ++k) {
        const auto source = static_cast<std::size_t>(packed_.schedule.source()[k]);
        springs_[k] = spring(step, contact(k), step.contacts[source].gap);
        const Vec3 pull = step.since_last_impulses() * last[source];
        springs_[k].pull_y = dot(packed_.groups[g].axis[1], pull);
        springs_[k].pull_z = dot(packed_.groups[g].axis[2], pull);
      }
  }

  Spring spring(const StepContext& step, const ContactPoint& c, Real gap) const {
    const Real inverse_mass = mobility(problem_.bodies[static_cast<std::size_t>(c.a)]).inverse_mass +
                              mobility(problem_.bodies[static_cast<std::size_t>(c.b)]).inverse_mass;
    const Real dt = step.dt, stiff = dt * dt * options_.stiffness;
    const Real damper = gap > 0 ? 0 : 2 * options_.damping * std::sqrt(options_.stiffness);
    Spring spring;
    spring.compliance = inverse_mass / (stiff + dt * damper);
    spring.push = gap * dt * options_.stiffness / (stiff + dt * damper) + c.target;
    spring.slack = inverse_mass / stiff;
    return spring;
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
      rub(c, spring, {pair.along(c, 1), pair.along(c, 2)}, j);
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
  static void rub(const PackedContact& c, const Spring& spring, const Slip& slip, Vec3& j) {
    const Real most = c.mu * j.x;
    if (!(most > 0)) {
      j.y = j.z = 0;
      return;
    }
    // Sticking: (W_tt + C) j_t = C j_t⁻ − (slip without j_t).
    const Real free_y = slip.y - c.w(1, 1) * j.y - c.w(1, 2) * j.z - spring.slack * spring.pull_y;
    const Real free_z = slip.z - c.w(2, 1) * j.y - c.w(2, 2) * j.z - spring.slack * spring.pull_z;
    const Real a = c.w(1, 1) + spring.slack, b = c.w(1, 2), d = c.w(2, 2) + spring.slack, determinant = a * d - b * b;
    Real y = (-d * free_y + b * free_z) / determinant;
    Real z = (b * free_y - a * free_z) / determinant;
    if (y * y + z * z > most * most) {
      // Sliding: a step against what slip and stretch ask for, kept on the disc; sweeps come back to it.
      const Real length = c.tangent_step / (1 + c.tangent_step * spring.slack);
      y = j.y - length * (slip.y + spring.slack * (j.y - spring.pull_y));
      z = j.z - length * (slip.z + spring.slack * (j.z - spring.pull_z));
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
