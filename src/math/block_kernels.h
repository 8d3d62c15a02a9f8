// Dense kernels of the sparse block factorisations. Matrices are column-major; columns start at multiples of 64 bytes
// and have a multiple of eight rows, so that no kernel needs a tail.
#pragma once

namespace carom {

struct BlockKernels {
  /// c −= a bᵀ, with six columns in c: c is rows × 6, a is rows × depth, b is 6 × depth. `stride` is from column to
  /// column. The sum over the depth goes from the first to the last.
  void (*subtract_product)(double* c, long c_stride, const double* a, const double* b, long ab_stride, long rows,
                           long depth);
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
