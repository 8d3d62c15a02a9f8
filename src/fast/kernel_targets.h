// The vector widths that the kernels are compiled for: Highway's, less those that would be the same code once more.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/detect_targets.h>
