#include "solvers/lanes.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/simd.h"

namespace carom {

void Lanes::build(const ConeSystem& system) {
  bodies_ = system.free_velocities.size();
  batches_.clear();
  groups_.clear();
  places_.resize(system.contacts.size());
  find_pairs(system);
  const std::span<const Pair> pairs = pairs_;
  for (std::size_t first = 0; first < pairs.size(); first += kLaneCount)
    add_group(pairs.subspan(first, std::min<std::size_t>(kLaneCount, pairs.size() - first)));
  fill_batches(system);
  fill_scales(system);
}

void Lanes::find_pairs(const ConeSystem& system) {
  const auto bodies = [&](std::int32_t i) {
    const ConeContact& c = system.contacts[static_cast<std::size_t>(i)];
    return std::pair{c.a, c.b};
  };
  order_.resize(system.contacts.size());
  std::iota(order_.begin(), order_.end(), 0);
  // By bodies, then as found: a total order, so that no sort needs memory of its own.
  std::ranges::sort(order_, {}, [&](std::int32_t i) { return std::pair{bodies(i), i}; });
  pairs_.clear();
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const auto [a, b] = bodies(order_[i]);
    if (pairs_.empty() || pairs_.back().a != a || pairs_.back().b != b)
      pairs_.push_back({a, b, static_cast<std::int32_t>(i), 0});
    ++pairs_.back().count;
  }
  // So that few lanes stay empty; otherwise in order, which keeps bodies that touch close in memory.
  std::ranges::sort(pairs_, {}, [](const Pair& pair) { return std::pair{-pair.count, pair.first}; });
}

std::size_t Lanes::contact_of(const Pair& pair, std::int32_t k) const {
  return static_cast<std::size_t>(order_[static_cast<std::size_t>(pair.first) + static_cast<std::size_t>(k)]);
}

void Lanes::add_group(std::span<const Pair> pairs) {
  const auto nobody = static_cast<std::int32_t>(bodies_);
  const auto first = static_cast<std::int32_t>(batches_.size());
  LaneGroup group{};
  std::ranges::fill(group.a, nobody);
  std::ranges::fill(group.b, nobody);
  for (std::size_t lane = 0; lane < pairs.size(); ++lane) {
    const Pair& pair = pairs[lane];
    if (pair.a >= 0) group.a[lane] = pair.a;
    if (pair.b >= 0) group.b[lane] = pair.b;
    for (std::int32_t k = 0; k < pair.count; ++k)
      places_[contact_of(pair, k)] = {first + k, static_cast<std::int32_t>(lane)};
  }
  LaneBatch empty{};
  std::ranges::fill(empty.rho, 1);
  std::ranges::fill(empty.weight, 1);
  batches_.resize(batches_.size() + static_cast<std::size_t>(pairs.front().count), empty);
  group.first = first;
  group.last = static_cast<long>(batches_.size());
  groups_.push_back(group);
}

void Lanes::fill_batches(const ConeSystem& system) {
  for (std::size_t i = 0; i < system.contacts.size(); ++i) {
    const ConeContact& c = system.contacts[i];
    const auto lane = static_cast<std::size_t>(places_[i].lane);
    LaneBatch& batch = batches_[static_cast<std::size_t>(places_[i].batch)];
    for (int k = 0; k < 3; ++k) {
      for (int l = 0; l < 3; ++l) batch.axes[3 * k + l][lane] = c.axes[static_cast<std::size_t>(k)][l];
      batch.arm_a[k][lane] = c.arm_a[k];
      batch.arm_b[k][lane] = c.arm_b[k];
      batch.bias[k][lane] = c.bias[k];
    }
    batch.mu[lane] = c.mu;
    batch.rho[lane] = c.rho;
    batch.weight[lane] = 1 / c.rho;
  }
}

void Lanes::fill_scales(const ConeSystem& system) {
  scales_.assign(velocity_lines(), {});
  for (std::size_t i = 0; i < bodies_; ++i) {
    const Mat3& a = system.scales[i].angular;
    scales_[i] = {system.scales[i].linear, {a(0, 0), a(1, 0), a(1, 1), a(2, 0), a(2, 1), a(2, 2)}};
  }
}

void Lanes::take_velocities(std::span<const Vec6> from, std::vector<LaneLine>& to) const {
  to.assign(velocity_lines(), {});
  for (std::size_t i = 0; i < from.size(); ++i) std::ranges::copy(from[i], to[i].value);
}

void Lanes::give_velocities(std::span<const LaneLine> from, std::span<Vec6> to) const {
  for (std::size_t i = 0; i < bodies_; ++i) std::copy_n(from[i].value, 6, to[i].begin());
}

void Lanes::take_scalars(std::span<const Real> from, std::vector<LaneLine>& to) const {
  to.assign(batches_.size(), {});
  for (std::size_t i = 0; i < places_.size(); ++i)
    to[static_cast<std::size_t>(places_[i].batch)].value[places_[i].lane] = from[i];
}

void Lanes::take_impulses(std::span<const Vec3> from, std::vector<LaneLine>& to) const {
  to.assign(impulse_lines(), {});
  for (std::size_t i = 0; i < places_.size(); ++i)
    for (int k = 0; k < 3; ++k)
      to[3 * static_cast<std::size_t>(places_[i].batch) + static_cast<std::size_t>(k)].value[places_[i].lane] =
          from[i][k];
}

void Lanes::give_impulses(std::span<const LaneLine> from, std::span<Vec3> to) const {
  for (std::size_t i = 0; i < places_.size(); ++i)
    for (int k = 0; k < 3; ++k)
      to[i][k] =
          from[3 * static_cast<std::size_t>(places_[i].batch) + static_cast<std::size_t>(k)].value[places_[i].lane];
}

const LaneKernels& lane_kernels() {
  static const LaneKernels kernels =
      choose(widest_simd(), baseline::kLaneKernels, avx2::kLaneKernels, avx512::kLaneKernels);
  return kernels;
}

}  // namespace carom
