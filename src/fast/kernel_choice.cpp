// Which version of the kernels a width has.
#include "fast/kernel_targets.h"
#include "fast/kernels.h"

namespace carom::fast {

// Of fast/kernels.cpp, one a width.
#if HWY_TARGETS & HWY_AVX3
namespace N_AVX3 {
Kernels table(const char* name);
}
#endif
#if HWY_TARGETS & HWY_AVX2
namespace N_AVX2 {
Kernels table(const char* name);
}
#endif
#if HWY_TARGETS & HWY_SSE4
namespace N_SSE4 {
Kernels table(const char* name);
}
#endif
#if HWY_TARGETS & HWY_NEON
namespace N_NEON {
Kernels table(const char* name);
}
#endif
#if HWY_TARGETS & HWY_WASM
namespace N_WASM {
Kernels table(const char* name);
}
#endif
#if HWY_TARGETS & HWY_EMU128
namespace N_EMU128 {
Kernels table(const char* name);
}
namespace one_lane = N_EMU128;
#else
namespace N_SCALAR {
Kernels table(const char* name);
}
namespace one_lane = N_SCALAR;
#endif

const Kernels& kernels(SimdWidth width) {
#if HWY_TARGETS & HWY_AVX3
  static const Kernels avx3 = N_AVX3::table("avx512");
  if (width >= SimdWidth::Avx512) return avx3;
#endif
#if HWY_TARGETS & HWY_AVX2
  static const Kernels avx2 = N_AVX2::table("avx2");
  if (width >= SimdWidth::Avx2) return avx2;
#endif
#if HWY_TARGETS & HWY_SSE4
  static const Kernels sse = N_SSE4::table("sse");
  if (width >= SimdWidth::Sse) return sse;
#endif
#if HWY_TARGETS & HWY_NEON
  static const Kernels neon = N_NEON::table("neon");
  if (width >= SimdWidth::Baseline) return neon;
#endif
#if HWY_TARGETS & HWY_WASM
  static const Kernels wasm = N_WASM::table("wasm");
  if (width >= SimdWidth::Baseline) return wasm;
#endif
  static const Kernels scalar = one_lane::table("scalar");
  return scalar;
}

}  // namespace carom::fast
