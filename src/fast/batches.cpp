#include "fast/batches.h"

#include <algorithm>
#include <bit>

namespace carom::fast {
namespace {

/// Colours that bodies remember, for either kind of patch. A patch that finds none free, of a body with more neighbours
/// than that, gets a colour of its own behind them.
constexpr std::size_t kColors = 64;
constexpr std::size_t kAlone = 2 * kColors;

bool acts(const Record& r) {
  return std::any_of(r.normal_impulse.begin(), r.normal_impulse.end(), [](float j) { return j > 0; });
}

}  // namespace

/// Patches that may only come to carry something come before those that have done so in the last step: batches of them
/// mostly have nothing to do, which a sweep sees at one glance. Of either kind those with bodies that take no impulses
/// come last: where not everything can be had, bodies overlap each other and not the floor.
std::size_t Coloring::choose_colors(std::span<const std::int32_t> active, std::span<const Record> records,
                                    std::span<const char> takes) {
  color_.resize(active.size());
  fill_.assign(2 * kColors, 0);
  std::size_t alone = 0;
  for (std::size_t kind = 0; kind < 2; ++kind) {
    used_.assign(takes.size(), 0);
    std::uint64_t closed = 0;  // colours of the patches between bodies that both move
    for (const bool grounded : {false, true}) {
      std::uint64_t chosen = 0;
      for (std::size_t k = 0; k < active.size(); ++k) {
        const Record& r = records[static_cast<std::size_t>(active[k])];
        const auto a = static_cast<std::size_t>(r.base), b = static_cast<std::size_t>(r.probe);
        const bool takes_a = takes[a] != 0, takes_b = takes[b] != 0;
        if ((takes_a && takes_b) == grounded || acts(r) != (kind == 1)) continue;
        const std::uint64_t taken = closed | (takes_a ? used_[a] : 0) | (takes_b ? used_[b] : 0);
        const auto color = static_cast<std::size_t>(std::countr_one(taken));
        if (color == kColors) {
          color_[k] = kAlone;
          ++alone;
          continue;
        }
        color_[k] = static_cast<std::uint8_t>(kind * kColors + color);
        chosen |= std::uint64_t{1} << color;
        used_[a] |= std::uint64_t{1} << color;
        used_[b] |= std::uint64_t{1} << color;
        ++fill_[color_[k]];
      }
      if (std::popcount(chosen) < static_cast<int>(kColors) / 2) closed |= chosen;
    }
  }
  return alone;
}

void Coloring::run(std::span<const std::int32_t> active, std::span<Record> records,
                   std::span<const std::int32_t> motion_of, std::span<const char> takes, std::size_t motions,
                   Batches& batches) {
  const std::size_t lanes = batches.lanes;
  const std::size_t alone = choose_colors(active, records, takes);

  batches.colors.clear();
  std::int32_t first = 0;
  for (std::size_t c = 0; c < 2 * kColors; ++c) {
    if (fill_[c] == 0) continue;
    batches.colors.push_back(first);
    const std::int32_t count = fill_[c];
    fill_[c] = first * static_cast<std::int32_t>(lanes);
    first += (count + static_cast<std::int32_t>(lanes) - 1) / static_cast<std::int32_t>(lanes);
  }
  std::int32_t next_alone = first;
  for (std::size_t k = 0; k < alone; ++k) batches.colors.push_back(first++);
  batches.colors.push_back(first);

  const auto places = static_cast<std::size_t>(first) * lanes;
  batches.data.resize(static_cast<std::size_t>(first) * kFieldCount * lanes);
  for (std::vector<std::int32_t>* list : {&batches.records, &batches.bases, &batches.probes, &batches.read_base,
                                          &batches.read_probe})
    list->assign(places, 0);
  batches.write_base.resize(places);
  batches.write_probe.resize(places);
  batches.motions = motions;
  for (std::size_t c = 0; c + 1 < batches.colors.size(); ++c) {
    const auto begin = static_cast<std::size_t>(batches.colors[c]), end = static_cast<std::size_t>(batches.colors[c + 1]);
    batches.motions = std::max(batches.motions, motions + end - begin);
    for (std::size_t place = begin * lanes; place < end * lanes; ++place)
      batches.write_base[place] = batches.write_probe[place] =
          static_cast<std::int32_t>(motions + place / lanes - begin);
  }
  batches.patches = active.size();
  for (std::size_t k = 0; k < active.size(); ++k) {
    const bool is_alone = color_[k] == kAlone;
    const auto place =
        static_cast<std::size_t>(is_alone ? next_alone++ * static_cast<std::int32_t>(lanes) : fill_[color_[k]]++);
    Record& r = records[static_cast<std::size_t>(active[k])];
    const auto a = static_cast<std::size_t>(r.base), b = static_cast<std::size_t>(r.probe);
    r.place = static_cast<std::int32_t>(place);
    batches.records[place] = active[k];
    batches.bases[place] = r.base;
    batches.probes[place] = r.probe;
    batches.read_base[place] = motion_of[a];
    batches.read_probe[place] = motion_of[b];
    if (takes[a] != 0) batches.write_base[place] = motion_of[a];
    if (takes[b] != 0) batches.write_probe[place] = motion_of[b];
  }
}

}  // namespace carom::fast
