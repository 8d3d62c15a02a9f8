// Dense kernels of the sparse block factorisations. Matrices are column-major; columns start at multiples of 64 bytes
// and have a multiple of eight rows, so that no kernel needs a tail. A stride is from column to column. Every sum has
// an order of its own, whatever the width (cmake/CaromWide.cmake).
#pragma once

namespace carom {

struct BlockKernels {
  /// c −= a bᵀ, with six columns in c: c is rows × 6, a is rows × depth, b is 6 × depth.
  void (*subtract_product)(double* c, long c_stride, const double* a, const double* b, long ab_stride, long rows,
                           long depth);
  /// x ← x P t⁻¹ for rows × 6: t is upper triangular, 6 × 6, with the reciprocals of its diagonal in their place, and
  /// column k of x P is column order[k] of x.
  void (*divide)(double* x, long stride, const double* t, const int* order, long rows);
  /// y −= a x, with a of rows × depth.
  void (*subtract_columns)(double* y, const double* a, long stride, long rows, const double* x, long depth);
  /// x −= aᵀ y, with a of rows × 6.
  void (*subtract_dots)(double* x, const double* a, long stride, long rows, const double* y);
  /// c += a for rows × 6, at any place and for any number of rows.
  void (*add)(double* c, long c_stride, const double* a, long a_stride, long rows);
};

namespace baseline {
extern const BlockKernels kBlockKernels;
}
namespace avx2 {
extern const BlockKernels kBlockKernels;
}
namespace avx512 {
extern const BlockKernels kBlockKernels;
}

}  // namespace carom
