// Which of a kernel's versions (cmake/CaromWide.cmake, fast/kernels.cpp) this machine runs.
#pragma once

#include <cstdint>
#include <string_view>

namespace carom {

/// Ascending. `Scalar` is chosen only where it is asked for; `Baseline` is what every processor of the platform has.
enum class SimdWidth : std::uint8_t { Scalar, Baseline, Sse, Avx2, Avx512 };

/// The widest that the processor and the system have, or a narrower one where the environment variable CAROM_SIMD names
/// it: scalar, sse, avx2 or avx512. The answer changes how fast kernels are, not what they give.
SimdWidth widest_simd();

/// The width of that name, and no wider than `available`; `available` where it is no name.
SimdWidth simd_named(std::string_view name, SimdWidth available);

/// The version of a kernel, or of a small table of kernels, that goes with a width.
template <class Kernel>
Kernel choose(SimdWidth width, Kernel baseline, Kernel avx2, Kernel avx512) {
  if (width == SimdWidth::Avx512) return avx512;
  return width == SimdWidth::Avx2 ? avx2 : baseline;
}

}  // namespace carom
