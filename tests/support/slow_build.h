// Which builds are too slow for the long tests.
#pragma once

#include <gtest/gtest.h>

// Instrumented and debug builds are ten to fifty times slower; the same properties are tested there on small
// scenes.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
#define CAROM_SLOW_BUILD 1
#else
#define CAROM_SLOW_BUILD 0
#endif

/// First line of a test that takes more than a second or two in a release build.
#define CAROM_SKIP_IN_SLOW_BUILDS()                                                                                    \
  if (CAROM_SLOW_BUILD) {                                                                                              \
    GTEST_SKIP() << "SKIPPED: a long run, done in the release build only (this one is instrumented or a debug build)"; \
  }                                                                                                                    \
  static_assert(true)
