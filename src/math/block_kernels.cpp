// Compiled once for each width (cmake/CaromWide.cmake): nothing here may be inline in the linker's sense.
#include "math/block_kernels.h"

namespace carom::CAROM_WIDE {
namespace {

using Vector = double __attribute__((vector_size(CAROM_VECTOR_BYTES), may_alias));
constexpr long kLanes = CAROM_VECTOR_BYTES / sizeof(double);

/// `Vectors` vectors of rows of all six columns, kept in registers while the depth goes by.
template <int Vectors>
void subtract_tile(double* c, long c_stride, const double* a, const double* b, long ab_stride, long depth) {
  Vector sum[6][Vectors];
  for (int j = 0; j < 6; ++j)
    for (int i = 0; i < Vectors; ++i) sum[j][i] = *reinterpret_cast<const Vector*>(c + j * c_stride + i * kLanes);
  for (long k = 0; k < depth; ++k, a += ab_stride, b += ab_stride) {
    Vector left[Vectors];
    for (int i = 0; i < Vectors; ++i) left[i] = *reinterpret_cast<const Vector*>(a + i * kLanes);
    for (int j = 0; j < 6; ++j)
      for (int i = 0; i < Vectors; ++i) sum[j][i] -= left[i] * b[j];
  }
  for (int j = 0; j < 6; ++j)
    for (int i = 0; i < Vectors; ++i) *reinterpret_cast<Vector*>(c + j * c_stride + i * kLanes) = sum[j][i];
}

void subtract_product(double* c, long c_stride, const double* a, const double* b, long ab_stride, long rows,
                      long depth) {
  long row = 0;
  for (; row + 2 * kLanes <= rows; row += 2 * kLanes) subtract_tile<2>(c + row, c_stride, a + row, b, ab_stride, depth);
  for (; row < rows; row += kLanes) subtract_tile<1>(c + row, c_stride, a + row, b, ab_stride, depth);
}

}  // namespace

const BlockKernels kBlockKernels{subtract_product};

}  // namespace carom::CAROM_WIDE
