#include "math/block_kernels.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/simd.h"
#include "support/random.h"

namespace carom {
namespace {

using test::Random;

/// Every width that this machine runs.
std::vector<SimdWidth> widths() {
  std::vector<SimdWidth> all;
  for (const SimdWidth width : {SimdWidth::Baseline, SimdWidth::Avx2, SimdWidth::Avx512})
    if (width <= widest_simd()) all.push_back(width);
  return all;
}

BlockKernels kernels(SimdWidth width) {
  return choose(width, baseline::kBlockKernels, avx2::kBlockKernels, avx512::kBlockKernels);
}

/// Room for doubles that starts at a multiple of 64 bytes, filled at random.
class Aligned {
 public:
  Aligned(Random& random, std::size_t count) : lines_(count / 8 + 1) {
    for (Line& line : lines_)
      for (double& x : line.values) x = random.uniform(-1, 1);
  }
  double* data() { return lines_.front().values; }
  double& operator[](std::size_t i) { return data()[i]; }

 private:
  struct alignas(64) Line {
    double values[8];
  };
  std::vector<Line> lines_;
};

TEST(BlockKernels, ProductOfEveryWidthHasTheBitsOfThePlainLoop) {
  Random random(3);
  constexpr long kStride = 48;
  for (const long rows : {8, 16, 24, 40})
    for (const long depth : {0, 1, 6, 17}) {
      Aligned a(random, kStride * 18), b(random, kStride * 18), c(random, kStride * 6);
      Aligned expected = c;
      for (long j = 0; j < 6; ++j)
        for (long i = 0; i < rows; ++i)
          for (long k = 0; k < depth; ++k) expected[i + j * kStride] -= a[i + k * kStride] * b[j + k * kStride];
      for (const SimdWidth width : widths()) {
        Aligned result = c;
        kernels(width).subtract_product(result.data(), kStride, a.data(), b.data(), kStride, rows, depth);
        for (long i = 0; i < 6 * kStride; ++i)
          ASSERT_EQ(result[i], expected[i]) << "width " << static_cast<int>(width) << ", entry " << i;
      }
    }
}

}  // namespace
}  // namespace carom
