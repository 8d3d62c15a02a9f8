#include "carom/contact/impact.h"

#include <algorithm>
#include <cmath>

#include "contact/impact_path.h"
#include "contact/rows.h"

namespace carom {
namespace {

/// K in the contact frame, z along the normal.
Mat3 in_frame(const Mat3& axes, const Mat3& k) { return transposed(axes) * k * axes; }

bool in_cone(const Vec3& p, Real mu) {
  constexpr Real kRounding = 1e-10;  // K may be stretched a hundredfold
  return p.z >= 0 && norm(Vec3{p.x, p.y, 0}) <= mu * p.z + kRounding * norm(p);
}

/// The slip's direction, zero at rest: a slip of the size of rounding has none.
Vec3 slip_direction(const Vec3& u) {
  constexpr Real kRounding = 1e-12;
  const Vec3 slip{u.x, u.y, 0};
  return norm(slip) > kRounding * norm(u) ? normalized(slip) : Vec3{};
}

/// Outcome of an impulse that is delivered along a straight line.
ImpactOutcome straight(const Mat3& k, const Vec3& u, const Vec3& p, ImpactMode mode) {
  ImpactOutcome outcome;
  outcome.impulse = p;
  outcome.velocity = u + k * p;
  outcome.add_mode(mode);
  // The share of the impulse after which the normal velocity is zero.
  const Real change = outcome.velocity.z - u.z;
  const Real share = change > 0 ? std::min(1.0, -u.z / change) : 1;
  const Vec3 middle = u + share * (outcome.velocity - u);
  outcome.compression_impulse = share * p.z;
  ImpactWork& work = outcome.work;
  const auto tangential = [&](const Vec3& a, const Vec3& b) { return 0.5 * (p.x * (a.x + b.x) + p.y * (a.y + b.y)); };
  work.normal_compression = 0.5 * share * p.z * (u.z + middle.z);
  work.normal_restitution = 0.5 * (1 - share) * p.z * (middle.z + outcome.velocity.z);
  work.tangential_compression = share * tangential(u, middle);
  work.tangential_restitution = (1 - share) * tangential(middle, outcome.velocity);
  return outcome;
}

ImpactOutcome newton_eq5(const Mat3& k, const Vec3& u, Real mu, Real e) {
  const Real j = -(1 + e) * u.z / k(2, 2);
  return straight(k, u, j * (Vec3{0, 0, 1} - mu * slip_direction(u)), ImpactMode::Slide);
}

ImpactOutcome newton_eq6(const Mat3& k, const Vec3& u, Real mu, Real e) {
  const Vec3 direction = Vec3{0, 0, 1} - mu * slip_direction(u);
  const Real denominator = (k * direction).z;
  if (denominator > 0) return straight(k, u, (-(1 + e) * u.z / denominator) * direction, ImpactMode::Slide);
  ImpactOutcome outcome;
  outcome.applies = false;
  outcome.add_mode(ImpactMode::Jamb);
  return outcome;
}

ImpactOutcome newton(const Mat3& k, const Vec3& u, const PointImpact& impact, std::vector<ImpactSample>* trace) {
  const Real e = impact.restitution;
  const Vec3 sticking = inverse(k) * Vec3{-u.x, -u.y, -(1 + e) * u.z};
  if (in_cone(sticking, impact.mu_static)) return straight(k, u, sticking, ImpactMode::Stick);
  const ImpactOutcome sliding = newton_eq6(k, u, impact.mu, e);
  if (sliding.applies) return sliding;
  // A jamb in which sticking is out of reach too: eq. 6 has no answer, the integrated law has.
  return follow_impact(ImpactLaw::Poisson, k, u, impact.mu, impact.mu_static, e, trace);
}

struct LawName {
  ImpactLaw law;
  const char* name;
};
constexpr LawName kLawNames[] = {{ImpactLaw::Newton, "newton"},        {ImpactLaw::NewtonEq5, "newton_eq5"},
                                 {ImpactLaw::NewtonEq6, "newton_eq6"}, {ImpactLaw::Poisson, "poisson"},
                                 {ImpactLaw::Stronge, "stronge"},      {ImpactLaw::Reverse, "reverse"}};

}  // namespace

const char* impact_law_name(ImpactLaw law) { return kLawNames[static_cast<std::size_t>(law)].name; }

std::optional<ImpactLaw> find_impact_law(std::string_view name) {
  for (const LawName& entry : kLawNames)
    if (name == entry.name) return entry.law;
  return {};
}

const std::vector<ImpactLaw>& impact_laws() {
  static const std::vector<ImpactLaw> laws = [] {
    std::vector<ImpactLaw> all;
    for (const LawName& entry : kLawNames) all.push_back(entry.law);
    return all;
  }();
  return laws;
}

const char* impact_mode_name(ImpactMode mode) {
  switch (mode) {
    case ImpactMode::Slide:
      return "slide";
    case ImpactMode::Stick:
      return "stick";
    case ImpactMode::Resume:
      return "resume";
    case ImpactMode::StartSlip:
      return "start_slip";
    case ImpactMode::ReverseSlip:
      return "reverse_slip";
    case ImpactMode::Jamb:
      break;
  }
  return "jamb";
}

ImpactOutcome resolve_impact(ImpactLaw law, const PointImpact& impact, std::vector<ImpactSample>* trace) {
  const Vec3 tangent = default_tangent(impact.normal);
  const Mat3 axes = Mat3::columns(tangent, cross(impact.normal, tangent), impact.normal);
  const Mat3 k = in_frame(axes, impact.inverse_mass);
  const Vec3 u = transposed_times(axes, impact.velocity);
  const Real e = impact.restitution;
  const bool presses = (k * (Vec3{0, 0, 1} - impact.mu * slip_direction(u))).z < 0;
  const bool is_integrated = law == ImpactLaw::Poisson || law == ImpactLaw::Stronge;
  ImpactOutcome outcome;
  outcome.velocity = u;
  const std::size_t first = trace != nullptr ? trace->size() : 0;
  if (u.z < 0 || (u.z == 0 && presses && is_integrated)) {
    switch (law) {
      case ImpactLaw::Newton:
        outcome = newton(k, u, impact, trace);
        break;
      case ImpactLaw::NewtonEq5:
        outcome = newton_eq5(k, u, impact.mu, e);
        break;
      case ImpactLaw::NewtonEq6:
        outcome = newton_eq6(k, u, impact.mu, e);
        break;
      case ImpactLaw::Poisson:
      case ImpactLaw::Stronge:
        outcome = follow_impact(law, k, u, impact.mu, impact.mu_static, e, trace);
        break;
      case ImpactLaw::Reverse:
        outcome = straight(k, u, -2 * (inverse(k) * u), ImpactMode::Stick);
        break;
    }
  }
  if (trace != nullptr) {
    if (trace->size() == first) {
      trace->push_back({0, {}, u});
      if (outcome.applies) trace->push_back({outcome.impulse.z, outcome.impulse, outcome.velocity});
    }
    for (std::size_t i = first; i < trace->size(); ++i) {
      ImpactSample& sample = (*trace)[i];
      sample.impulse = axes * sample.impulse;
      sample.velocity = axes * sample.velocity;
    }
  }
  outcome.in_cone = in_cone(outcome.impulse, impact.mu_static);
  outcome.impulse = axes * outcome.impulse;
  outcome.velocity = axes * outcome.velocity;
  return outcome;
}

PointImpact point_impact(const ContactProblem& problem, std::size_t contact, const std::vector<Vec3>& velocities,
                         const std::vector<Vec3>& angular_velocities) {
  const ContactPoint& c = problem.contacts[contact];
  const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
  PointImpact impact;
  const auto add = [&](const ProblemBody& body, const Vec3& r) {
    if (body.role != BodyRole::Dynamic && body.role != BodyRole::Frozen) return;
    add_inverse_mass({body.inverse_mass, body.inverse_inertia}, r, impact.inverse_mass);
  };
  add(problem.bodies[a], c.ra);
  add(problem.bodies[b], c.rb);
  impact.velocity = relative_velocity(c, velocities[a], angular_velocities[a], velocities[b], angular_velocities[b]);
  impact.normal = c.normal;
  impact.mu = c.mu;
  impact.mu_static = c.mu_static;
  impact.restitution = c.restitution;
  return impact;
}

}  // namespace carom
