// Which of a kernel's three versions (cmake/CaromWide.cmake) this machine runs.
#pragma once

#include <cstdint>

namespace carom {

enum class SimdWidth : std::uint8_t { Baseline, Avx2, Avx512 };

/// The widest that the processor and the system have. The answer changes how fast kernels are, not what they give.
SimdWidth widest_simd();

/// The version of a kernel, or of a small table of kernels, that goes with a width.
template <class Kernel>
Kernel choose(SimdWidth width, Kernel baseline, Kernel avx2, Kernel avx512) {
  if (width == SimdWidth::Avx512) return avx512;
  return width == SimdWidth::Avx2 ? avx2 : baseline;
}

}  // namespace carom
