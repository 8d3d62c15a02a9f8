// Compression of whole blocks with Zstandard: the one place that knows the library.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "carom/base/error.h"

namespace carom {

/// Levels as in the zstd program: 3 is fast, 19 is small.
std::string compressed(std::string_view bytes, int level = 3);

/// Fails where the bytes are no Zstandard frame of exactly `size` bytes.
Result<std::string> decompressed(std::string_view bytes, std::size_t size);

}  // namespace carom
