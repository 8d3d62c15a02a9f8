// Numbers to bytes and back, little-endian whatever the machine. Doubles survive bit for bit.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace carom {

template <class T>
concept ByteNumber = std::integral<T> || std::floating_point<T>;

class ByteWriter {
 public:
  template <ByteNumber T>
  void put(T value) {
    std::array<char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &value, sizeof(T));
    if constexpr (std::endian::native == std::endian::big) std::reverse(bytes.begin(), bytes.end());
    bytes_.append(bytes.data(), bytes.size());
  }
  /// The length, then the characters.
  void put_text(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes_.append(text);
  }
  void put_raw(std::string_view bytes) { bytes_.append(bytes); }

  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads what a ByteWriter wrote. Reading past the end gives zeros and is remembered: check `ok()` before trusting
/// anything, and sizes with `fits` before allocating by them.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <ByteNumber T>
  T get() {
    std::array<char, sizeof(T)> bytes{};
    if (take(sizeof(T))) std::copy_n(taken_.begin(), sizeof(T), bytes.begin());
    if constexpr (std::endian::native == std::endian::big) std::reverse(bytes.begin(), bytes.end());
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
  std::string_view get_text() {
    const auto size = get<std::uint64_t>();
    return take(size) ? taken_ : std::string_view();
  }
  std::string_view get_raw(std::size_t size) { return take(size) ? taken_ : std::string_view(); }

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }
  /// Whether `count` items of at least `size` bytes each can follow. If not, that counts as a failure.
  bool fits(std::uint64_t count, std::size_t size) {
    if (count > rest_.size() / size) ok_ = false;
    return ok_;
  }
  void fail() { ok_ = false; }

 private:
  bool take(std::uint64_t size) {
    if (!ok_ || size > rest_.size()) {
      ok_ = false;
      return false;
    }
    taken_ = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }

  std::string_view rest_, taken_;
  bool ok_ = true;
};

}  // namespace carom
