// One impact under one law, with what it does to both bodies: `carom impact`.
#pragma once

#include <string>
#include <vector>

#include "carom/contact/impact.h"
#include "carom/contact/problem.h"

namespace carom {

struct ImpactReport {
  ImpactLaw law = ImpactLaw::Newton;
  bool approaches = false;  ///< false: nothing happens
  ImpactOutcome outcome;
  std::vector<Vec3> velocities, angular_velocities;          ///< of both bodies, after, in file order
  Real kinetic_energy_before = 0, kinetic_energy_after = 0;  ///< J, of the bodies with mass
  std::vector<ImpactSample> trace;                           ///< moments along the impact

  Real energy_change() const { return kinetic_energy_after - kinetic_energy_before; }
};

/// Requires a problem as `load_impact` gives it: two bodies, one contact.
ImpactReport report_impact(const ContactProblem& problem, ImpactLaw law);

/// What happens in the course of an impact: "slide, stick".
std::string modes_text(const ImpactOutcome& outcome, const char* quote = "", const char* separator = ", ");
std::string impact_json(const ImpactReport& report);
std::string impact_text(const ImpactReport& report);
/// Columns `pn,px,py,pz,ux,uy,uz`: normal impulse so far, impulse on b and relative velocity in world axes.
std::string trace_csv(const ImpactReport& report);

}  // namespace carom
