#include "fast/batches.h"

#include <algorithm>
#include <bit>

#include "base/prefetch.h"

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

/// In a crowd, patches that may only come to carry something come before those that have done so in the last step:
/// batches of them mostly have nothing to do, which a sweep sees at one glance. Patches with bodies that take no
/// impulses come as late as they can: where not everything can be had, bodies overlap each other and not the floor.
std::size_t Coloring::choose_colors(std::size_t bodies) {
  constexpr std::size_t kCrowd = 1000;  // patches: fewer would leave too many lanes empty
  color_.resize(patches_.size());
  fill_.assign(2 * kColors, 0);
  std::size_t alone = 0;
  const bool apart = patches_.size() >= kCrowd;
  for (std::size_t kind = apart ? 0 : 1; kind < 2; ++kind) {
    used_.assign(bodies, 0);
    std::uint64_t opened = 0;
    for (const bool grounded : {false, true}) {
      for (std::size_t k = 0; k < patches_.size(); ++k) {
        const Patch& p = patches_[k];
        if ((p.base_takes && p.probe_takes) == grounded || (apart && p.acts != (kind == 1))) continue;
        const auto a = static_cast<std::size_t>(p.base), b = static_cast<std::size_t>(p.probe);
        const std::uint64_t taken = (p.base_takes ? used_[a] : 0) | (p.probe_takes ? used_[b] : 0);
        const std::uint64_t late = grounded ? opened & ~taken : 0;
        const int color = late != 0 ? std::bit_width(late) - 1 : std::countr_one(grounded ? taken | opened : taken);
        if (color == static_cast<int>(kColors)) {
          color_[k] = kAlone;
          ++alone;
          continue;
        }
        color_[k] = static_cast<std::uint8_t>(kind * kColors + static_cast<std::size_t>(color));
        const std::uint64_t bit = std::uint64_t{1} << color;
        opened |= bit;
        used_[a] |= bit;
        used_[b] |= bit;
        ++fill_[color_[k]];
      }
    }
  }
  return alone;
}

void Coloring::run(std::span<const std::int32_t> active, std::span<Record> records,
                   std::span<const std::int32_t> motion_of, std::span<const char> takes, std::size_t motions,
                   Batches& batches) {
  const std::size_t lanes = batches.lanes;
  patches_.resize(active.size());
  for (std::size_t k = 0; k < active.size(); ++k) {
    constexpr std::size_t kLookAhead = 8;
    if (k + kLookAhead < active.size()) prefetch(records[static_cast<std::size_t>(active[k + kLookAhead])]);
    const Record& r = records[static_cast<std::size_t>(active[k])];
    patches_[k] = {r.base, r.probe, takes[static_cast<std::size_t>(r.base)] != 0,
                   takes[static_cast<std::size_t>(r.probe)] != 0, acts(r)};
  }
  const std::size_t alone = choose_colors(takes.size());

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
  const std::size_t floats = static_cast<std::size_t>(first) * kFieldCount * lanes;
  if (floats > batches.data.capacity()) batches.data.reserve(floats + floats / 8);
  batches.data.resize(floats);
  for (std::vector<std::int32_t>* list :
       {&batches.records, &batches.bases, &batches.probes, &batches.read_base, &batches.read_probe})
    list->assign(places, 0);
  batches.write_base.resize(places);
  batches.write_probe.resize(places);
  batches.motions = motions;
  for (std::size_t c = 0; c + 1 < batches.colors.size(); ++c) {
    const auto begin = static_cast<std::size_t>(batches.colors[c]),
               end = static_cast<std::size_t>(batches.colors[c + 1]);
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
    const Patch& p = patches_[k];
    records[static_cast<std::size_t>(active[k])].place = static_cast<std::int32_t>(place);
    batches.records[place] = active[k];
    batches.bases[place] = p.base;
    batches.probes[place] = p.probe;
    batches.read_base[place] = motion_of[static_cast<std::size_t>(p.base)];
    batches.read_probe[place] = motion_of[static_cast<std::size_t>(p.probe)];
    if (p.base_takes) batches.write_base[place] = batches.read_base[place];
    if (p.probe_takes) batches.write_probe[place] = batches.read_probe[place];
  }
}

}  // namespace carom::fast
