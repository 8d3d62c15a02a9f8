#include "io/compress.h"

#include <zstd.h>

namespace carom {

std::string compressed(std::string_view bytes, int level) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), level);
  if (ZSTD_isError(size) != 0) fail(std::string("cannot compress: ") + ZSTD_getErrorName(size));
  out.resize(size);
  return out;
}

Result<std::string> decompressed(std::string_view bytes, std::size_t size) {
  std::string out(size, '\0');
  const std::size_t found = ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(found) != 0)
    return Result<std::string>::failure(std::string("cannot decompress: ") + ZSTD_getErrorName(found));
  if (found != size) return Result<std::string>::failure("cannot decompress: the size differs from the stated one");
  return out;
}

}  // namespace carom
