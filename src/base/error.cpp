#include "carom/base/error.h"

#if !defined(__cpp_exceptions)
#include <cstdio>
#include <cstdlib>
#endif

namespace carom {

void fail(const std::string& message) {
#if defined(__cpp_exceptions)
  throw Error(message);
#else
  std::fprintf(stderr, "carom: %s\n", message.c_str());
  std::abort();
#endif
}

}  // namespace carom
