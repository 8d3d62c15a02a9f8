#include "base/simd.h"

namespace carom {

SimdWidth widest_simd() {
#if defined(__x86_64__)
  // AVX-512 comes in parts; these are the ones that the kernels are compiled for.
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl"))
    return SimdWidth::Avx512;
  if (__builtin_cpu_supports("avx2")) return SimdWidth::Avx2;
#endif
  return SimdWidth::Baseline;
}

}  // namespace carom
