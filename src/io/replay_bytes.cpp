#include "io/replay_bytes.h"

#include <cstring>

#include "carom/base/error.h"
#include "io/compress.h"

namespace carom::replay {
namespace {

/// Higher levels gain less than a percent on this data, which is mostly literals.
constexpr int kLevel = 9;

/// In two bytes: says that the value is in the list at the end.
constexpr std::uint32_t kWide = 0xffff;

template <class Number>
void put_number_planes(std::string& out, std::span<const Number> values) {
  if (values.empty()) return;
  std::string bytes(values.size_bytes(), '\0');
  std::memcpy(bytes.data(), values.data(), values.size_bytes());
  for (std::size_t plane = 0; plane < sizeof(Number); ++plane)
    for (std::size_t i = 0; i < values.size(); ++i) out.push_back(bytes[i * sizeof(Number) + plane]);
}

}  // namespace

void put_u32(std::string& out, std::uint32_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>((value >> shift) & 0xff));
}

void put_planes(std::string& out, std::span<const float> values) { put_number_planes(out, values); }
void put_planes(std::string& out, std::span<const double> values) { put_number_planes(out, values); }

void ResidualColumn::push(std::uint32_t difference) {
  // Small of either sign to small without: 0, −1, 1, −2 … to 0, 1, 2, 3 …
  const std::uint32_t folded = (difference << 1) ^ ((difference >> 31) != 0 ? 0xffffffffU : 0U);
  const std::uint32_t kept = folded < kWide ? folded : kWide;
  if (kept == kWide) wide_.push_back(folded);
  low_.push_back(static_cast<char>(kept & 0xff));
  high_.push_back(static_cast<char>(kept >> 8));
}

void ResidualColumn::append_to(std::string& out) const {
  out += low_;
  out += high_;
  put_u32(out, static_cast<std::uint32_t>(wide_.size()));
  for (const std::uint32_t value : wide_) put_u32(out, value);
}

void append_section(std::string& out, std::string_view tag, std::string_view content) {
  if (content.empty()) return;
  if (content.size() > 0xffffffffU) fail("append_section: expected at most 4 GiB");
  const std::string packed = compressed(content, kLevel);
  out += tag;
  put_u32(out, static_cast<std::uint32_t>(content.size()));
  put_u32(out, static_cast<std::uint32_t>(packed.size()));
  out += packed;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = bytes.size() - i < 3 ? bytes.size() - i : 3;
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = (group << 8) | (k < count ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text.push_back(k <= count ? kDigits[(group >> (18 - 6 * k)) & 63] : '=');
  }
  return text;
}

}  // namespace carom::replay
