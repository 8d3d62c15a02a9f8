// Bytes of the replay page: little-endian numbers, byte planes, sections packed with zstd, and base64 for the HTML.
// docs/replay.md describes the layout; web/src/data reads it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carom::replay {

void put_u32(std::string& out, std::uint32_t value);
/// One plane a byte of the element, lowest byte first: equal exponents and high bytes stand together.
void put_planes(std::string& out, std::span<const float> values);
void put_planes(std::string& out, std::span<const double> values);

/// Integers of which most are small, as two planes of bytes; what does not fit in them goes to the end.
class ResidualColumn {
 public:
  void push(std::uint32_t difference);
  void append_to(std::string& out) const;
  std::size_t size() const { return low_.size(); }

 private:
  std::string low_, high_;
  std::vector<std::uint32_t> wide_;
};

/// tag (4 characters), size of the content, packed size, packed bytes. Empty content is left out.
void append_section(std::string& out, std::string_view tag, std::string_view content);

std::string base64(std::string_view bytes);

}  // namespace carom::replay
