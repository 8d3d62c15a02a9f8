// Tables of numbers in the chunks of a recording. docs/recording.md has the layout.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace carom {

template <std::size_t N>
using NumberRow = std::array<double, N>;

inline constexpr std::size_t kNoPeriod = std::numeric_limits<std::size_t>::max();

/// Column after column, each as eight planes of bytes, the lowest bytes first: signs and exponents, which hardly
/// change, end up beside each other. Each number's bits are first combined (exclusive or) with those of the number
/// `period` rows before it, which leaves zeros where a value has stayed the same.
template <std::size_t N>
void put_table(ByteWriter& out, const std::vector<NumberRow<N>>& rows, std::size_t period = kNoPeriod) {
  std::vector<std::uint64_t> bits(rows.size());
  std::string plane(rows.size(), '\0');
  for (std::size_t column = 0; column < N; ++column) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      bits[i] = std::bit_cast<std::uint64_t>(rows[i][column]);
      if (i >= period) bits[i] ^= std::bit_cast<std::uint64_t>(rows[i - period][column]);
    }
    for (int byte = 0; byte < 8; ++byte) {
      for (std::size_t i = 0; i < rows.size(); ++i) plane[i] = static_cast<char>(bits[i] >> (8 * byte) & 0xff);
      out.put_raw(plane);
    }
  }
}

/// The reverse; no rows where the bytes do not suffice.
template <std::size_t N>
std::vector<NumberRow<N>> get_table(ByteReader& in, std::size_t count, std::size_t period = kNoPeriod) {
  if (!in.fits(count, N * sizeof(double))) return {};
  std::vector<NumberRow<N>> rows(count);
  std::vector<std::uint64_t> bits(count);
  for (std::size_t column = 0; column < N; ++column) {
    std::fill(bits.begin(), bits.end(), 0);
    for (int byte = 0; byte < 8; ++byte) {
      const std::string_view plane = in.get_raw(count);
      for (std::size_t i = 0; i < count; ++i)
        bits[i] |= std::uint64_t{static_cast<unsigned char>(plane[i])} << (8 * byte);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (i >= period) bits[i] ^= bits[i - period];
      rows[i][column] = std::bit_cast<double>(bits[i]);
    }
  }
  return rows;
}

}  // namespace carom
