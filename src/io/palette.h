// Colours of bodies, the same in every file for other programs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "io/frame.h"

namespace carom {

struct PaletteColour {
  std::string_view name;
  std::array<std::uint8_t, 3> srgb;
  float opacity = 1;

  /// Shares of light, red green blue, in [0, 1]: what renderers reckon with.
  std::array<float, 3> linear() const;
};

std::span<const PaletteColour> palette();
/// The palette's index of what may be looked through: for walls that would hide what happens behind them.
std::size_t glass_colour();

/// For every body an index into the palette. Fixed and kinematic bodies have a neutral colour each. Copies of one body
/// (`ruby[0]`, `ruby[1]`) share a colour, unless all that moves are copies of one: then they differ.
std::vector<std::size_t> body_colours(const Cast& cast);

}  // namespace carom
