// Asks for memory before it is needed.
#pragma once

#include <cstddef>

namespace carom {

constexpr std::size_t kLine = 64;  ///< bytes of a cache line

/// Every cache line of the object, or of its first bytes. Changes how fast things are and nothing else; does nothing
/// where the compiler has no means for it.
template <std::size_t Bytes = 0, class Object>
void prefetch(const Object& object) {
#if defined(__GNUC__)
  const char* const bytes = reinterpret_cast<const char*>(&object);
  constexpr std::size_t kBytes = Bytes != 0 ? Bytes : sizeof(Object);
  for (std::size_t i = 0; i < kBytes; i += kLine) __builtin_prefetch(bytes + i);
  // GCC takes functions that do nothing else for functions without effect and drops calls of them; this keeps them.
  __asm__ volatile("");
#else
  static_cast<void>(object);
#endif
}

/// All of these.
template <class... Objects>
void prefetch_all(const Objects&... objects) {
  (prefetch(objects), ...);
}

}  // namespace carom
