#include "base/simd.h"

#include <algorithm>
#include <cstdlib>

namespace carom {
namespace {

SimdWidth find_widest() {
#if defined(__x86_64__)
  // Extensions come in parts; these are the ones that kernels are compiled for, Highway's among them.
  const bool sse = __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") &&
                   __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul");
  const bool avx2 = sse && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512cd");
  if (avx512) return SimdWidth::Avx512;
  if (avx2) return SimdWidth::Avx2;
  if (sse) return SimdWidth::Sse;
#endif
  return SimdWidth::Baseline;
}

}  // namespace

SimdWidth simd_named(std::string_view name, SimdWidth available) {
  if (name == "scalar") return SimdWidth::Scalar;
  if (name == "sse") return std::min(SimdWidth::Sse, available);
  if (name == "avx2") return std::min(SimdWidth::Avx2, available);
  return available;
}

SimdWidth widest_simd() {
  const char* forced = std::getenv("CAROM_SIMD");
  return forced == nullptr ? find_widest() : simd_named(forced, find_widest());
}

}  // namespace carom
