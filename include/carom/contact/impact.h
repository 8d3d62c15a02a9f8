// Impact laws: what one collision at one point does. docs/theory.md tells where each comes from and where it fails.
//
// The relative velocity u of the contact point changes by K p under an impulse p, K the inverse mass at the point.
//   Newton    u_n⁺ = −e u_n⁻, with friction as in Schmidl and Milenkovic (2004), eqs. 2, 5 and 6
//   Poisson   the normal impulse of restitution is e times that of compression
//   Stronge   the work of the normal force in restitution is −e² times that in compression
//   reverse   u⁺ = −u⁻: a microcollision of Mirtich and Canny (1994), section 4.5
// Poisson and Stronge follow the friction force through the impact: sliding, sticking, sliding again (Mirtich and
// Canny, sections 4.2 to 4.4). At one contact they never add energy. Newton's law can.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "carom/contact/problem.h"
#include "carom/math/types.h"

namespace carom {

enum class ImpactLaw : std::uint8_t {
  Newton,     ///< sticks where the impulse that makes it stick is inside the cone, else as eq. 6; the one to use
  NewtonEq5,  ///< literal: normal impulse as without friction, then μ times it against the slip; no clamping
  NewtonEq6,  ///< literal: an impulse on the cone against the slip; does not apply where that only presses more (jamb)
  Poisson,
  Stronge,
  Reverse
};

/// "newton", "newton_eq5", "newton_eq6", "poisson", "stronge", "reverse".
const char* impact_law_name(ImpactLaw law);
std::optional<ImpactLaw> find_impact_law(std::string_view name);
const std::vector<ImpactLaw>& impact_laws();

/// What happens at the contact in the course of an impact.
enum class ImpactMode : std::uint8_t {
  Slide,
  Stick,
  Resume,       ///< slides again after it has stopped, since friction cannot hold it
  StartSlip,    ///< starts to slide from rest
  ReverseSlip,  ///< said after Resume: against its first direction
  Jamb          ///< said first: the normal velocity falls at the beginning
};
const char* impact_mode_name(ImpactMode mode);

/// One collision at one point, world axes. Requires a unit normal, a positive definite K, 0 ≤ μ ≤ μ_static, 0 ≤ e ≤ 1.
struct PointImpact {
  Mat3 inverse_mass;  ///< K, 1/kg: the contact velocity that an impulse of 1 N s brings about
  Vec3 velocity;      ///< u, m/s: of b's contact point relative to a's, before
  Vec3 normal;        ///< unit, from a to b
  Real mu = 0;
  Real mu_static = 0;
  Real restitution = 0;
};

/// Work of the contact force on both bodies together, in J. The algebraic laws deliver their impulse along a straight
/// line, and their work is that of it.
struct ImpactWork {
  Real normal_compression = 0, tangential_compression = 0;
  Real normal_restitution = 0, tangential_restitution = 0;

  Real total() const {
    return normal_compression + tangential_compression + normal_restitution + tangential_restitution;
  }
};

struct ImpactOutcome {
  bool applies = true;           ///< false: the law has no answer here, and nothing else below counts
  bool in_cone = true;           ///< |p_t| ≤ μ p_n, with the static coefficient; eq. 5 and `reverse` do not see to it
  Vec3 impulse;                  ///< N s, on b, world axes; zero where the bodies do not approach
  Vec3 velocity;                 ///< m/s: u after
  Real compression_impulse = 0;  ///< N s: normal impulse at maximum compression
  ImpactWork work;               ///< its total is the change of kinetic energy
  std::array<ImpactMode, 5> modes{};
  std::uint8_t mode_count = 0;

  void add_mode(ImpactMode mode) { modes.at(mode_count++) = mode; }
};

/// A moment of an impact.
struct ImpactSample {
  Real normal_impulse = 0;  ///< N s, so far
  Vec3 impulse, velocity;   ///< world axes
};

/// `trace`, if given, gets moments along the impact, from its beginning to its end.
ImpactOutcome resolve_impact(ImpactLaw law, const PointImpact& impact, std::vector<ImpactSample>* trace = nullptr);

/// The impact at one contact of a problem, alone, at the given velocities of the bodies. Frozen bodies have their mass.
PointImpact point_impact(const ContactProblem& problem, std::size_t contact, const std::vector<Vec3>& velocities,
                         const std::vector<Vec3>& angular_velocities);

}  // namespace carom
