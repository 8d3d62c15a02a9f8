#include "fast/substeps.h"

#include <algorithm>

namespace carom::fast {
namespace {

/// Of a penetration, taken back in a substep; and how soft contacts are meanwhile. Together they make a spring with a
/// damping ratio of about 1.4 and a frequency of about 1.2 radians a substep: a stiffer one lets tall stacks swing, a
/// softer one lets them sag. Few substeps need the softer one. Measured on `tower100`, `pyramid` and `cubeglass`.
constexpr float kShare = 0.3F;
constexpr float kLeak = 0.15F, kLeakOfFew = 0.2F;
constexpr int kFewSubsteps = 8;
/// m/s. Bodies that start deep in each other part at this speed and do not burst.
constexpr float kMostPush = 4;

SweepSettings sweep_settings(const SubstepSettings& settings) {
  SweepSettings s;
  s.h = static_cast<float>(settings.dt / settings.count);
  s.share = kShare;
  s.leak = settings.count <= kFewSubsteps ? kLeakOfFew : kLeak;
  s.most_push = kMostPush;
  return s;
}

struct Range {
  std::size_t begin = 0, end = 0;
  Range part(std::size_t index, std::size_t parts) const {
    const std::size_t size = end - begin;
    return {begin + size * index / parts, begin + size * (index + 1) / parts};
  }
};

void add_scaled(const Motion& from, float scale, Motion& to) {
  for (std::size_t i = 0; i < 3; ++i) {
    to.linear[i] += scale * from.linear[i];
    to.turning[i] += scale * from.turning[i];
  }
}

}  // namespace

void Motions::resize(std::size_t count) {
  for (AlignedVector<Motion>* list : {&velocities, &shifts, &gains, &means}) list->assign(count, {});
}

/// Velocities at the start of the next substep, before its sweeps.
void Substeps::advance(bool first, std::size_t begin, std::size_t end, Motions& motions) {
  for (std::size_t k = begin; k < end; ++k) {
    Motion& v = motions.velocities[k];
    const Motion now = v;
    if (first) {
      add_scaled(motions.gains[k], 1, v);
    } else {
      // Gains and impulses of the last substep once more: what has changed since its start.
      for (std::size_t i = 0; i < 3; ++i) {
        v.linear[i] += now.linear[i] - starts_[k].linear[i];
        v.turning[i] += now.turning[i] - starts_[k].turning[i];
      }
    }
    starts_[k] = now;
  }
}

void Substeps::find_approaching(const SubstepSettings& settings, const Batches& batches,
                                std::span<const Record> records, std::span<const std::int32_t> active,
                                const Motions& motions) {
  flags_.assign(batches.records.size(), 0);
  kernels_->find_approaching(batches, motions.velocities.data(), static_cast<float>(settings.least_rebound),
                             static_cast<float>(settings.dt), flags_.data(), 0, batches.size());
  impacts_.begin(batches, records, active, flags_, motions.shifts.size());
}

void Substeps::run(const SubstepSettings& settings, Batches& batches, std::span<const Record> records,
                   std::span<const std::int32_t> active, Motions& motions, ThreadPool* threads) {
  constexpr std::size_t kWorthSharing = 256;  // patches: with fewer, threads wait for each other longer than they save
  if (batches.patches < kWorthSharing) threads = nullptr;
  const SweepSettings sweep = sweep_settings(settings);
  const std::size_t colors = batches.colors.empty() ? 0 : batches.colors.size() - 1;
  starts_.assign(motions.velocities.begin(), motions.velocities.end());
  motions.velocities.resize(std::max(motions.velocities.size(), batches.motions));
  find_approaching(settings, batches, records, active, motions);

  const Range bodies{0, starts_.size()};
  const auto color = [&](std::size_t c) {
    return Range{static_cast<std::size_t>(batches.colors[c]), static_cast<std::size_t>(batches.colors[c + 1])};
  };
  Motion* v = motions.velocities.data();
  Motion* shifts = motions.shifts.data();
  // Stages of a substep: bounce, advance, (apply the kept impulses,) press, move, relax, (add to the means).
  const std::size_t per_substep = 4 + 3 * colors;
  crew_.run(threads, static_cast<std::size_t>(settings.count) * per_substep,
            [&](std::size_t stage, std::size_t part, std::size_t parts) {
              const bool first = stage < per_substep;
              std::size_t s = stage % per_substep;
              const Range own = bodies.part(part, parts);
              if (s == 0) {
                if (part == 0 && impacts_.any())
                  impacts_.run(static_cast<int>(stage / per_substep), batches,
                               {sweep.h, static_cast<float>(settings.least_rebound)}, motions.velocities, starts_,
                               motions.shifts, motions.gains);
                return;
              }
              if (s == 1) return advance(first, own.begin, own.end, motions);
              s -= 2;
              if (s < colors) {
                const Range range = color(s).part(part, parts);
                if (first) kernels_->apply(batches, v, range.begin, range.end);
                return;
              }
              s -= colors;
              if (s < colors) {
                const Range range = color(s).part(part, parts);
                return kernels_->push(batches, sweep, v, shifts, range.begin, range.end);
              }
              s -= colors;
              if (s == 0) {
                for (std::size_t k = own.begin; k < own.end; ++k) add_scaled(v[k], sweep.h, shifts[k]);
                return;
              }
              s -= 1;
              if (s < colors) {
                const Range range = color(s).part(part, parts);
                return kernels_->relax(batches, sweep, v, range.begin, range.end);
              }
              if (!settings.means) return;
              const float weight = 1.0F / static_cast<float>(settings.count);
              for (std::size_t k = own.begin; k < own.end; ++k) add_scaled(v[k], weight, motions.means[k]);
            });
}

}  // namespace carom::fast
