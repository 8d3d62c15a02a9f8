// Compiled once for each width (cmake/CaromWide.cmake): nothing here may be inline in the linker's sense.
#include "math/block_kernels.h"

namespace carom::CAROM_WIDE {
namespace {

using Vector = double __attribute__((vector_size(CAROM_VECTOR_BYTES), may_alias));
constexpr long kLanes = CAROM_VECTOR_BYTES / sizeof(double);

const Vector& vector(const double* x) { return *reinterpret_cast<const Vector*>(x); }
Vector& vector(double* x) { return *reinterpret_cast<Vector*>(x); }

/// `Vectors` vectors of rows of all six columns, kept in registers while the depth goes by.
template <int Vectors>
void subtract_tile(double* c, long c_stride, const double* a, const double* b, long ab_stride, long depth) {
  Vector sum[6][Vectors];
  for (int j = 0; j < 6; ++j)
    for (int i = 0; i < Vectors; ++i) sum[j][i] = vector(c + j * c_stride + i * kLanes);
  for (long k = 0; k < depth; ++k, a += ab_stride, b += ab_stride) {
    Vector left[Vectors];
    for (int i = 0; i < Vectors; ++i) left[i] = vector(a + i * kLanes);
    for (int j = 0; j < 6; ++j)
      for (int i = 0; i < Vectors; ++i) sum[j][i] -= left[i] * b[j];
  }
  for (int j = 0; j < 6; ++j)
    for (int i = 0; i < Vectors; ++i) vector(c + j * c_stride + i * kLanes) = sum[j][i];
}

void subtract_product(double* c, long c_stride, const double* a, const double* b, long ab_stride, long rows,
                      long depth) {
  long row = 0;
  for (; row + 2 * kLanes <= rows; row += 2 * kLanes) subtract_tile<2>(c + row, c_stride, a + row, b, ab_stride, depth);
  for (; row < rows; row += kLanes) subtract_tile<1>(c + row, c_stride, a + row, b, ab_stride, depth);
}

void divide(double* x, long stride, const double* t, const int* order, long rows) {
  for (long row = 0; row < rows; row += kLanes) {
    Vector column[6];
    for (int c = 0; c < 6; ++c) column[c] = vector(x + row + order[c] * stride);
    for (int c = 0; c < 6; ++c) {
      for (int m = 0; m < c; ++m) column[c] -= column[m] * t[m + 6 * c];
      column[c] *= t[7 * c];
    }
    for (int c = 0; c < 6; ++c) vector(x + row + c * stride) = column[c];
  }
}

template <int Vectors>
void subtract_columns_tile(double* y, const double* a, long stride, const double* x, long depth) {
  Vector sum[Vectors];
  for (int i = 0; i < Vectors; ++i) sum[i] = vector(y + i * kLanes);
  for (long k = 0; k < depth; ++k, a += stride)
    for (int i = 0; i < Vectors; ++i) sum[i] -= vector(a + i * kLanes) * x[k];
  for (int i = 0; i < Vectors; ++i) vector(y + i * kLanes) = sum[i];
}

void subtract_columns(double* y, const double* a, long stride, long rows, const double* x, long depth) {
  constexpr int kTile = 8;
  long row = 0;
  for (; row + kTile * kLanes <= rows; row += kTile * kLanes)
    subtract_columns_tile<kTile>(y + row, a + row, stride, x, depth);
  for (; row < rows; row += kLanes) subtract_columns_tile<1>(y + row, a + row, stride, x, depth);
}

/// Eight partial sums a column on every width, added up in one order.
void subtract_dots(double* x, const double* a, long stride, long rows, const double* y) {
  constexpr int kParts = 8 / kLanes;
  Vector sum[6][kParts] = {};
  for (long row = 0; row < rows; row += 8)
    for (int c = 0; c < 6; ++c)
      for (int p = 0; p < kParts; ++p)
        sum[c][p] += vector(a + row + p * kLanes + c * stride) * vector(y + row + p * kLanes);
  for (int c = 0; c < 6; ++c) {
    alignas(64) double s[8];
    for (int p = 0; p < kParts; ++p) vector(s + p * kLanes) = sum[c][p];
    x[c] -= ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
  }
}

void add(double* c, long c_stride, const double* a, long a_stride, long rows) {
  for (int j = 0; j < 6; ++j, c += c_stride, a += a_stride)
    for (long row = 0; row < rows; ++row) c[row] += a[row];
}

}  // namespace

const BlockKernels kBlockKernels{subtract_product, divide, subtract_columns, subtract_dots, add};

}  // namespace carom::CAROM_WIDE
