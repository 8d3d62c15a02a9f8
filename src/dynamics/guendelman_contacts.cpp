// Contacts from the ground up, slowed down little by little, then shock propagation.
//
// E. Guendelman, R. Bridson, R. Fedkiw, "Nonconvex rigid bodies with stacking", 2003, sections 7 and 8, as told by
// S. Lembcke, 2006, sections 4.2 and 5.1, and J. Bender, A. Schmitt, 2006. Ten rounds go over the levels of the contact
// graph (level_passes.h), five sweeps a level. A contact that would overlap at the end of the step, u_n < target, is
// slowed down with the restitution e = −0.9, −0.8, … 0 of the round, to u_n⁺ = target + |e| (u_n − target): so little
// by little that impulses find their way through a stack before anything is stopped. Friction sticks where the impulse
// for u_t = 0 is within the cone, else it slides. The last pass is shock propagation.
//
// The paper's impulses only ever push: one too many is never taken back, and a resting cube trembles (option
// `accumulate` off). Accumulated ones may be taken back as long as their sum pushes, and rounds with e = 0 go on until
// nothing changes; then there is nothing left to propagate.
// Known failure: the pass keeps neither momentum nor energy, so what should topple may stand.
#include <algorithm>
#include <cmath>

#include "carom/contact/measures.h"
#include "dynamics/guendelman.h"
#include "dynamics/level_passes.h"
#include "dynamics/swept_contacts.h"
#include "solvers/relax.h"

namespace carom {
namespace {

/// What the last pass leaves over stays in the velocities: it goes over a level until nothing changes, or this often.
constexpr int kShockSweeps = 100;

class GuendelmanContacts final : public SweptContacts {
 public:
  explicit GuendelmanContacts(const GuendelmanOptions& options)
      : SweptContacts(options.warm_start && options.accumulate), options_(options) {}

 private:
  void sweep(StepContext&) override {
    levels_.build(problem_, packed_);
    allowed_ = options_.tolerance * reference_velocity(problem_);
    SolveReport& report = solution_.report;
    if (options_.accumulate) note_biases();
    Real change = 0;
    for (int round = 1; round <= options_.rounds; ++round)
      change = go_round(static_cast<Real>(round) / options_.rounds - 1);
    report.converged = change <= allowed_;
    while (options_.accumulate && report.iterations < options_.rounds + options_.iterations && !report.converged)
      report.converged = go_round(0) <= allowed_;
    packed_.unpack(problem_, solution_);
    if (report.converged || !options_.shock) return;
    levels_.propagate(problem_, packed_, solution_, [&](std::size_t level) { settle(level, 0, kShockSweeps); });
  }

  /// One round over all levels; the largest change of a contact's velocity that the other levels have made necessary.
  Real go_round(Real restitution) {
    if (options_.accumulate) aim(restitution);
    Real change = 0;
    for (std::size_t level = 1; level < levels_.count(); ++level)
      change = std::max(change, settle(level, restitution, options_.level_sweeps));
    ++solution_.report.iterations;
    return change;
  }

  Real settle(std::size_t level, Real restitution, int sweeps) {
    Real first_change = 0;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      Real change = 0;
      for (const std::size_t group : levels_.groups(level))
        change = std::max(change, options_.accumulate ? relax_group(packed_, group) : push(group, restitution));
      if (sweep == 0) first_change = change;
      if (change <= 0.1 * allowed_) break;
    }
    return first_change;
  }

  /// Accumulated impulses need one goal to go for in a round: that of the velocities before any.
  void note_biases() {
    biases_.resize(packed_.contacts.size());
    for (std::size_t k = 0; k < biases_.size(); ++k) biases_[k] = packed_.contacts[k].bias.x;
    free_.assign(packed_.contacts.size(), 0);
    for (std::size_t g = 0; g < packed_.groups.size(); ++g) {
      const PairVelocity pair(packed_, g);
      const ContactGroup& range = packed_.schedule.groups()[g];
      for (auto k = static_cast<std::size_t>(range.first); k < static_cast<std::size_t>(range.last); ++k)
        free_[k] = std::min(pair.along(packed_.contacts[k], 0), 0.0);
    }
  }

  void aim(Real restitution) {
    for (std::size_t k = 0; k < biases_.size(); ++k) packed_.contacts[k].bias.x = biases_[k] + restitution * free_[k];
  }

  /// A visit to a pair whose impulses only push; the largest change of a contact's velocity.
  Real push(std::size_t group, Real restitution) {
    PairVelocity pair(packed_, group);
    const ContactGroup& range = packed_.schedule.groups()[group];
    Real largest = 0;
    for (auto k = static_cast<std::size_t>(range.first); k < static_cast<std::size_t>(range.last); ++k) {
      const PackedContact& c = packed_.contacts[k];
      const Vec3 u = pair.at(c);
      if (u.x >= 0 || !(c.w(0, 0) > 0)) continue;
      const Vec3 p = impulse(c, u, restitution);
      packed_.impulses[k] += p;
      pair.add(c, p);
      largest = std::max(largest, norm(p) * c.w.trace() / 3);
    }
    pair.store(packed_.bodies);
    return largest;
  }

  /// Of one collision with the restitution given: sticking if that is within the cone, else sliding.
  static Vec3 impulse(const PackedContact& c, const Vec3& u, Real restitution) {
    const Vec3 stick = c.w_inverse * (Vec3{-restitution * u.x, 0, 0} - u);
    if (stick.x > 0 && stick.y * stick.y + stick.z * stick.z <= c.mu_static * c.mu_static * stick.x * stick.x)
      return stick;
    const Real slip = std::sqrt(u.y * u.y + u.z * u.z);
    const Vec3 ray = slip > 0 ? Vec3{1, -c.mu * u.y / slip, -c.mu * u.z / slip} : Vec3{1, 0, 0};
    const Real yields = c.w(0, 0) + c.w(0, 1) * ray.y + c.w(0, 2) * ray.z;
    const Real normal = -(1 + restitution) * u.x;
    // Where friction alone presses the bodies together (a jamb), the impulse is that without it.
    return yields > 0.1 * c.w(0, 0) ? normal / yields * ray : Vec3{normal / c.w(0, 0), 0, 0};
  }

  GuendelmanOptions options_;
  Real allowed_ = 0;
  LevelPasses levels_;
  std::vector<Real> biases_;  // per packed contact: of its goal without restitution
  std::vector<Real> free_;    // per packed contact: approach beyond its target before any impulse, not positive
};

}  // namespace

std::unique_ptr<ContactStage> make_guendelman_contacts(const GuendelmanOptions& options) {
  return std::make_unique<GuendelmanContacts>(options);
}

}  // namespace carom
