// A contact problem as the global methods see it: mass-scaled velocities v̂ = S⁻¹ v (M⁻¹ = S Sᵀ), one 3×6 block of rows
// for each moving body of a contact, and cones. With Ĵ = J S:
//   v̂ = v̂₀ + Ĵᵀ j,   u = Ĵ v̂ + bias,   W = Ĵ Ĵᵀ.
// Contacts among bodies that take no impulses are left out, and so are bodies without contacts: nothing happens there.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "carom/contact/problem.h"
#include "carom/contact/solution.h"
#include "solvers/scaled.h"

namespace carom {

/// Velocity of a body, scaled: linear, then angular.
using Vec6 = std::array<Real, 6>;
/// Rows of a contact over the velocity of one body: normal, tangent, second tangent.
using Rows36 = std::array<Vec6, 3>;

struct ConeContact {
  std::int32_t a = -1, b = -1;  ///< numbers of moving bodies; −1 for what takes no impulse
  std::int32_t source = 0;      ///< index in the problem
  Real mu = 0;
  Real rho = 0;              ///< 3 / tr W_cc, kg
  Mat3 w;                    ///< W_cc, 1/kg
  Vec3 bias;                 ///< m/s: what other bodies add to the contact's velocity, less its target
  Rows36 rows_a, rows_b;     ///< zero where there is no moving body
  std::array<Vec3, 3> axes;  ///< normal, tangent, second tangent
  Vec3 arm_a, arm_b;         ///< m, from each centre of mass to the contact
};

/// What a frozen body is to a method: at rest whatever hits it, or a body with its mass that may be revived.
enum class FrozenBodies : std::uint8_t { HoldStill, HaveMass };

class ConeSystem {
 public:
  /// Targets are the problem's own: restitution is the caller's. Costs what there is in contacts, and a number a body.
  void build(const ContactProblem& problem, FrozenBodies frozen = FrozenBodies::HoldStill);

  std::vector<ConeContact> contacts;
  std::vector<Vec6> free_velocities;  ///< v̂₀, of moving bodies
  std::vector<BodyScale> scales;      ///< of moving bodies
  std::vector<std::int32_t> body;     ///< of a moving body, its index in the problem; ascending
  Real reference_velocity = 0;        ///< v_ref, m/s

  /// The contact's velocity less its target, in its frame.
  static Vec3 velocity(const ConeContact& contact, std::span<const Vec6> velocities);
  /// v̂ += Ĵᵀ j for one contact.
  static void add_impulse(const ConeContact& contact, const Vec3& impulse, std::span<Vec6> velocities);
  /// v̂₀ + Ĵᵀ j. `velocities` is resized.
  void velocities_after(std::span<const Vec3> impulses, std::vector<Vec6>& velocities) const;

  /// Impulses in frames and in the order of `contacts`, from world axes in the problem's order; zero where there are
  /// none.
  void take_warm(const ContactProblem& problem, std::span<const Vec3> warm_impulses, std::vector<Vec3>& impulses) const;
  /// The way back; velocities are recomputed from the impulses, and frozen bodies that they lift over eq. 15 of Schmidl
  /// and Milenkovic (2004) are listed as revived.
  void unpack(const ContactProblem& problem, std::span<const Vec3> impulses, ContactSolution& solution) const;

 private:
  void number_bodies(const ContactProblem& problem, FrozenBodies frozen);

  std::vector<std::int32_t> number_;  // of a body of the problem among those that move, or −1
};

/// ‖j − P_K(j − ρ u)‖ / ρ in m/s, u with De Saxcé's shift μ|u_t| n for Coulomb's law and without for the convex model.
Real coulomb_residual(const ConeContact& contact, const Vec3& impulse, const Vec3& velocity);
Real convex_residual(const ConeContact& contact, const Vec3& impulse, const Vec3& velocity);

}  // namespace carom
