// The contact problem: one instant, no geometry. Every method of Carom answers this question and no other.
//
// Bodies have velocities v; constraint blocks have Jacobians J and impulses j, each in a set K:
//   u = J v⁺ − target,   v⁺ = v + M⁻¹ Jᵀ j,   j ∈ K.
// For a contact (e = 0) the law is Coulomb's with Signorini's condition: 0 ≤ j_n ⊥ u_n ≥ 0, |j_t| ≤ μ j_n, and
// where u_t ≠ 0, j_t = −μ j_n u_t/|u_t|. With restitution the normal post-velocity is also at least −e v_n⁻.
// Preconditions: normals and tangents are unit vectors and orthogonal, masses and inertias positive definite, indices
// in range (`check` says what is wrong).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "carom/math/types.h"

namespace carom {

enum class BodyRole : std::uint8_t {
  Dynamic,    ///< takes impulses
  Fixed,      ///< never moves
  Kinematic,  ///< moves with its given velocity, feels nothing
  Frozen      ///< at rest and inactive; a solver may revive it
};

struct ProblemBody {
  BodyRole role = BodyRole::Dynamic;
  Real inverse_mass = 0;  ///< 1/kg; used for dynamic and frozen bodies only
  Mat3 inverse_inertia;   ///< 1/(kg m²), world axes, about the centre of mass
  Vec3 velocity;          ///< m/s, of the centre of mass
  Vec3 angular_velocity;  ///< rad/s, world axes
};

/// A point contact: a block of three rows (normal, first tangent, second tangent) whose impulse lies in a friction
/// cone.
struct ContactPoint {
  std::uint64_t id = 0;       ///< stable from step to step: what a warm start goes by; 0 is none
  std::int32_t a = 0, b = 0;  ///< body indices; the impulse acts on b, its opposite on a
  Vec3 normal;                ///< unit, from a to b
  Vec3 tangent;               ///< unit, orthogonal to the normal; the second tangent is normal × tangent
  Vec3 ra, rb;                ///< m, from each centre of mass to the contact point, world axes
  Real mu = 0;                ///< dynamic friction coefficient
  Real mu_static = 0;         ///< static friction coefficient, at least `mu`
  Real restitution = 0;       ///< e in [0, 1]
  Real target = 0;            ///< m/s: least normal post-velocity; negative where a gap still allows approach
  std::array<Real, 2> tangent_target{};  ///< m/s: tangential velocity that counts as sticking
  Real rolling_friction = 0;             ///< m: lever arm of the moment against rolling
  Real spinning_friction = 0;            ///< m: lever arm of the moment against spinning about the normal

  Vec3 second_tangent() const { return cross(normal, tangent); }
};

/// A bilateral or bounded block of 1 to 6 rows between two bodies, as joints need. Row k constrains
/// jacobian_a[k]·(v_a, ω_a) + jacobian_b[k]·(v_b, ω_b) − target[k] with an impulse in [lower[k], upper[k]].
struct RowBlock {
  struct HalfRow {
    Vec3 linear, angular;
  };
  std::uint64_t id = 0;
  std::int32_t a = 0, b = 0;
  std::int32_t rows = 0;  ///< 1 … 6
  std::array<HalfRow, 6> jacobian_a{}, jacobian_b{};
  std::array<Real, 6> target{};          ///< m/s or rad/s
  std::array<Real, 6> lower{}, upper{};  ///< N s or N m s; infinite where unbounded
};

/// Which set a block's impulse lies in.
enum class ImpulseSet : std::uint8_t { Cone, Pyramid, Interval };

/// A block as a solver sees it: how many rows, where they start in a flat vector, and their set.
struct BlockView {
  std::int32_t rows = 0;
  std::size_t first_row = 0;
  ImpulseSet set = ImpulseSet::Cone;
};

struct ContactProblem {
  std::vector<ProblemBody> bodies;
  std::vector<ContactPoint> contacts;  ///< blocks 0 … contacts.size() − 1
  std::vector<RowBlock> row_blocks;    ///< the blocks after them
  Real dt = 0;                         ///< s; with `gravity` scales the residual; 0 where not given
  Real gravity = 0;                    ///< m/s², magnitude
  Vec3 down;                           ///< unit, the way gravity pulls; zero where not given

  std::size_t block_count() const { return contacts.size() + row_blocks.size(); }
  std::size_t row_count() const;
  void clear();
};

/// Empty if the problem meets its preconditions, else the first thing wrong, by its path (`contacts[3].normal`).
std::string check(const ContactProblem& problem);

/// A tangent that depends on the normal alone.
Vec3 default_tangent(const Vec3& normal);

/// True where impulses change the body's velocity.
constexpr bool takes_impulse(BodyRole role) { return role == BodyRole::Dynamic; }

}  // namespace carom
