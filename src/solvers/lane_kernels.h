// Kernels over batches of eight contacts, compiled once for each width (cmake/CaromWide.cmake). Arrays are plain and
// nothing here is inline. A batch's eight contacts stand side by side in lanes; all sums have a fixed order, so the
// results do not depend on the width. All of it is there in double and in single precision: a pass over a large problem
// is bound by what it reads, and the first digits do not need the last ones.
#pragma once

#include <cstdint>

namespace carom {

inline constexpr int kLaneCount = 8;

/// Eight contacts, one a lane, in terms of true velocities: half the numbers of rows over scaled ones, and a large
/// problem is read from memory once a pass. Lanes without a contact have zero axes.
template <class Number>
struct alignas(kLaneCount * sizeof(Number)) LaneBatch {
  Number axes[6][kLaneCount];   // normal and tangent, three numbers each; the second tangent is their product
  Number arm_a[3][kLaneCount];  // m
  Number arm_b[3][kLaneCount];
  Number bias[3][kLaneCount];  // m/s
  Number mu[kLaneCount];
  Number rho[kLaneCount];     // 3 / tr W_cc, kg
  Number weight[kLaneCount];  // 1 / rho
};

/// S of a body: v = linear · v̂, ω = angular · ω̂. Zero for a body that is not there.
template <class Number>
struct alignas(kLaneCount * sizeof(Number)) LaneScale {
  Number linear;
  Number angular[6];  // lower triangle: xx, yx, yy, zx, zy, zz
};

/// Batches whose lanes are contacts of the same eight pairs of bodies: velocities are fetched once for all of them,
/// which costs more than the sums that they go into.
struct alignas(64) LaneGroup {
  std::int32_t a[kLaneCount];  // where the velocity of a body starts, in units of eight numbers
  std::int32_t b[kLaneCount];
  long first, last;  // batches
};

template <class Number>
struct LaneContacts {
  const LaneBatch<Number>* batches;
  const LaneGroup* groups;
  long group_count;
  const LaneScale<Number>* scales;  // of bodies
  long bodies;                      // with the one that is not there
};

/// What a contact's impulse obeys: the convex model on either set, or Coulomb's law, which is that of the round cone
/// with De Saxcé's shift: u_n + μ|u_t| in the place of u_n.
enum class LaneLaw : std::int32_t { Cone, Pyramid, Coulomb };

/// How far De Saxcé's shift follows the velocities in a step. With momentum, contacts that change between sticking and
/// sliding would swing if it followed at once.
inline constexpr double kShiftFollows = 0.3;

/// One step of the accelerated projected gradient method: y = current + β (current − previous), next = P_K(y − ρ u(y) /
/// L), and the scaled velocities that go with y and next. Impulses are 3 × 8 numbers a batch, velocities 8 a body of
/// which six count.
template <class Number>
struct GradientStep {
  const Number* previous;
  const Number* current;
  Number* next;
  const Number* velocity_free;
  const Number* velocity_previous;
  const Number* velocity_current;
  Number* velocity_y;
  Number* velocity_next;
  Number* shift;     // Coulomb's law: De Saxcé's shift as it was used, 8 numbers a batch
  Number* unscaled;  // scratch: true velocities of y
  Number* wrench;    // scratch: force and moment of next
  Number beta;
  Number inverse_l;
  LaneLaw law;
  Number compliance;  // times 1 / ρ: added to the diagonal of W
  // What comes out, per lane: |v̂_next − v̂_y|², Σ |next − y|² / ρ, Σ u·(next − current), the largest |next − y|² / ρ².
  alignas(kLaneCount * sizeof(Number)) Number travelled[kLaneCount];
  alignas(kLaneCount * sizeof(Number)) Number moved[kLaneCount];
  alignas(kLaneCount * sizeof(Number)) Number along[kLaneCount];
  alignas(kLaneCount * sizeof(Number)) Number largest[kLaneCount];
};

/// The natural map |j − P_K(j − ρ u)| / ρ, squared, per lane: the largest, and the sum.
template <class Number>
struct ResidualCheck {
  const Number* impulses;
  const Number* velocities;
  Number* unscaled;  // scratch: true velocities
  LaneLaw law;
  Number compliance;
  alignas(kLaneCount * sizeof(Number)) Number largest[kLaneCount];
  alignas(kLaneCount * sizeof(Number)) Number sum[kLaneCount];
};

template <class Number>
struct LaneKernels {
  void (*gradient_step)(const LaneContacts<Number>& contacts, GradientStep<Number>& step);
  void (*residual)(const LaneContacts<Number>& contacts, ResidualCheck<Number>& check);
};

namespace baseline {
extern const LaneKernels<double> kDoubleLanes;
extern const LaneKernels<float> kFloatLanes;
}  // namespace baseline
namespace avx2 {
extern const LaneKernels<double> kDoubleLanes;
extern const LaneKernels<float> kFloatLanes;
}  // namespace avx2
namespace avx512 {
extern const LaneKernels<double> kDoubleLanes;
extern const LaneKernels<float> kFloatLanes;
}  // namespace avx512

}  // namespace carom
