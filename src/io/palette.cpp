#include "io/palette.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace carom {
namespace {

/// Neutral ones first. Of the others there are seven: a prime number keeps the colours of stacked rows from lining up.
constexpr std::array<PaletteColour, 10> kPalette{{{"stone", {0xA9, 0xAF, 0xB6}},
                                                  {"slate", {0x5C, 0x67, 0x73}},
                                                  {"glass", {0xBC, 0xCE, 0xD8}, 0.1F},
                                                  {"ruby", {0xC8, 0x35, 0x4A}},
                                                  {"amber", {0xE8, 0xA3, 0x3D}},
                                                  {"jade", {0x3E, 0x9E, 0x78}},
                                                  {"sapphire", {0x3B, 0x6F, 0xB6}},
                                                  {"pearl", {0xE9, 0xE2, 0xD3}},
                                                  {"amethyst", {0x8A, 0x63, 0xB0}},
                                                  {"copper", {0xC9, 0x73, 0x3F}}}};
constexpr std::size_t kFixed = 0, kKinematic = 1, kGlass = 2, kFirstBright = 3;

std::string_view stem(std::string_view name) { return name.substr(0, name.find('[')); }

std::size_t bright(std::size_t i) { return kFirstBright + i % (kPalette.size() - kFirstBright); }

}  // namespace

std::array<float, 3> PaletteColour::linear() const {
  std::array<float, 3> light{};
  std::transform(srgb.begin(), srgb.end(), light.begin(), [](std::uint8_t byte) {
    const double c = byte / 255.0;  // IEC 61966-2-1
    const double value = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    // Four digits, so that the last bit of the library's power does not get into files.
    return static_cast<float>(std::round(1e4 * value) / 1e4);
  });
  return light;
}

std::span<const PaletteColour> palette() { return kPalette; }

std::size_t glass_colour() { return kGlass; }

std::vector<std::size_t> body_colours(const Cast& cast) {
  std::map<std::string_view, std::size_t> groups;
  for (const CastBody& body : cast.bodies)
    if (body.type == BodyType::Dynamic) groups.try_emplace(stem(body.name), groups.size());

  std::vector<std::size_t> colours;
  colours.reserve(cast.bodies.size());
  std::size_t movers = 0;
  for (const CastBody& body : cast.bodies) {
    if (body.type == BodyType::Fixed) {
      colours.push_back(kFixed);
    } else if (body.type == BodyType::Kinematic) {
      colours.push_back(kKinematic);
    } else {
      colours.push_back(bright(groups.size() > 1 ? groups.at(stem(body.name)) : movers));
      ++movers;
    }
  }
  return colours;
}

}  // namespace carom
