// Kernels over batches of eight contacts, compiled once for each width (cmake/CaromWide.cmake). Arrays are plain and
// nothing here is inline. A batch's eight contacts stand side by side in lanes; all sums have a fixed order, so the
// results do not depend on the width.
#pragma once

#include <cstdint>

namespace carom {

inline constexpr int kLaneCount = 8;

/// Eight contacts, one a lane. Rows are Ĵ over the velocities of a and b: normal, tangent, second tangent, six each.
/// Lanes without a contact have zero rows and bodies that are not there.
struct alignas(64) LaneBatch {
  double rows_a[18][kLaneCount];
  double rows_b[18][kLaneCount];
  double bias[3][kLaneCount];  // m/s
  double mu[kLaneCount];
  double rho[kLaneCount];      // 3 / tr W_cc, kg
  double weight[kLaneCount];   // 1 / rho
  std::int32_t a[kLaneCount];  // where the velocity of a body starts, in units of eight numbers
  std::int32_t b[kLaneCount];
};

/// What a contact needs to be solved alone: W_cc and its inverse, each xx, xy, xz, yy, yz, zz.
struct alignas(64) LaneBlock {
  double w[6][kLaneCount];
  double w_inverse[6][kLaneCount];  // zero where W_cc is singular
  double tangent_step[kLaneCount];  // 1 / largest eigenvalue of the tangential part
};

/// What a contact's impulse obeys: the convex model on either set, or Coulomb's law, which is that of the round cone
/// with De Saxcé's shift: u_n + μ|u_t| in the place of u_n.
enum class LaneLaw : std::int32_t { Cone, Pyramid, Coulomb };

/// One step of the accelerated projected gradient method: y = current + β (current − previous), next = P_K(y − ρ u(y) /
/// L), and the velocities that go with y and next. Impulses are 3 × 8 numbers a batch, velocities 8 a body of which six
/// count.
struct GradientStep {
  const double* previous;
  const double* current;
  double* next;
  const double* velocity_free;
  const double* velocity_previous;
  const double* velocity_current;
  double* velocity_y;
  double* velocity_next;
  long bodies;
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
  LaneLaw law;
  double compliance;
  alignas(64) double largest[kLaneCount];
  alignas(64) double sum[kLaneCount];
};

/// A Gauss–Seidel sweep with Coulomb's law at each contact on the round cone; batches go one after the other.
struct LaneSweep {
  double* impulses;
  double* velocities;
  alignas(64) double largest[kLaneCount];  // out, per lane: the largest |Δj|² / ρ²
};

struct LaneKernels {
  void (*gradient_step)(const LaneBatch* batches, long count, GradientStep& step);
  void (*residual)(const LaneBatch* batches, long count, ResidualCheck& check);
  void (*coulomb_sweep)(const LaneBatch* batches, const LaneBlock* blocks, long count, LaneSweep& sweep);
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
