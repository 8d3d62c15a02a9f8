// Kernels over batches of eight contacts, compiled once for each width (cmake/CaromWide.cmake). Arrays are plain and
// nothing here is inline. A batch's eight contacts stand side by side in lanes; all sums have a fixed order, so the
// results do not depend on the width.
#pragma once

#include <cstdint>

namespace carom {

inline constexpr int kLaneCount = 8;

/// Eight contacts, one a lane, in terms of true velocities: half the numbers of rows over scaled ones, and a large
/// problem is read from memory once a pass. Lanes without a contact have zero axes.
struct alignas(64) LaneBatch {
  double axes[9][kLaneCount];   // normal, tangent, second tangent, three numbers each
  double arm_a[3][kLaneCount];  // m
  double arm_b[3][kLaneCount];
  double bias[3][kLaneCount];  // m/s
  double mu[kLaneCount];
  double rho[kLaneCount];     // 3 / tr W_cc, kg
  double weight[kLaneCount];  // 1 / rho
};

/// S of a body: v = linear · v̂, ω = angular · ω̂. Zero for a body that is not there.
struct alignas(64) LaneScale {
  double linear;
  double angular[6];  // lower triangle: xx, yx, yy, zx, zy, zz
};

/// Batches whose lanes are contacts of the same eight pairs of bodies: velocities are fetched once for all of them,
/// which costs more than the sums that they go into.
struct alignas(64) LaneGroup {
  std::int32_t a[kLaneCount];  // where the velocity of a body starts, in units of eight numbers
  std::int32_t b[kLaneCount];
  long first, last;  // batches
};

struct LaneContacts {
  const LaneBatch* batches;
  const LaneGroup* groups;
  long group_count;
  const LaneScale* scales;  // of bodies
  long bodies;              // with the one that is not there
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
struct GradientStep {
  const double* previous;
  const double* current;
  double* next;
  const double* velocity_free;
  const double* velocity_previous;
  const double* velocity_current;
  double* velocity_y;
  double* velocity_next;
  double* shift;     // Coulomb's law: De Saxcé's shift as it was used, 8 numbers a batch
  double* unscaled;  // scratch: true velocities of y
  double* wrench;    // scratch: force and moment of next
  double beta;
  double inverse_l;
  LaneLaw law;
  double compliance;  // times 1 / ρ: added to the diagonal of W
  // What comes out, per lane: |v̂_next − v̂_y|², Σ |next − y|² / ρ, Σ u·(next − current), the largest |next − y|² / ρ².
  alignas(64) double travelled[kLaneCount];
  alignas(64) double moved[kLaneCount];
  alignas(64) double along[kLaneCount];
  alignas(64) double largest[kLaneCount];
};

/// The natural map |j − P_K(j − ρ u)| / ρ, squared, per lane: the largest, and the sum.
struct ResidualCheck {
  const double* impulses;
  const double* velocities;
  double* unscaled;  // scratch: true velocities
  LaneLaw law;
  double compliance;
  alignas(64) double largest[kLaneCount];
  alignas(64) double sum[kLaneCount];
};

struct LaneKernels {
  void (*gradient_step)(const LaneContacts& contacts, GradientStep& step);
  void (*residual)(const LaneContacts& contacts, ResidualCheck& check);
};

namespace baseline {
extern const LaneKernels kLaneKernels;
}
namespace avx2 {
extern const LaneKernels kLaneKernels;
}
namespace avx512 {
extern const LaneKernels kLaneKernels;
}

}  // namespace carom
