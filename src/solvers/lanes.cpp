#include "solvers/lanes.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/simd.h"

namespace carom {

void Lanes::build(const ConeSystem& system) {
  bodies_ = system.free_velocities.size();
  batch_count_ = 0;
  groups_.clear();
  places_.resize(system.contacts.size());
  find_pairs(system);
  const std::span<const Pair> pairs = pairs_;
  for (std::size_t first = 0; first < pairs.size(); first += kLaneCount)
    add_group(pairs.subspan(first, std::min<std::size_t>(kLaneCount, pairs.size() - first)));
  fill(system, doubles_);
  fill(system, floats_);
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
  const auto first = static_cast<std::int32_t>(batch_count_);
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
  batch_count_ += static_cast<std::size_t>(pairs.front().count);
  group.first = first;
  group.last = static_cast<long>(batch_count_);
  groups_.push_back(group);
}

template <class Number>
void Lanes::fill(const ConeSystem& system, Data<Number>& data) const {
  const auto number = [](Real value) { return static_cast<Number>(value); };
  LaneBatch<Number> empty{};
  std::ranges::fill(empty.rho, 1);
  std::ranges::fill(empty.weight, 1);
  data.batches.assign(batch_count_, empty);
  for (std::size_t i = 0; i < system.contacts.size(); ++i) {
    const ConeContact& c = system.contacts[i];
    const auto lane = static_cast<std::size_t>(places_[i].lane);
    LaneBatch<Number>& batch = data.batches[static_cast<std::size_t>(places_[i].batch)];
    for (int k = 0; k < 3; ++k) {
      batch.axes[k][lane] = number(c.axes[0][k]);
      batch.axes[3 + k][lane] = number(c.axes[1][k]);
      batch.arm_a[k][lane] = number(c.arm_a[k]);
      batch.arm_b[k][lane] = number(c.arm_b[k]);
      batch.bias[k][lane] = number(c.bias[k]);
    }
    batch.mu[lane] = number(c.mu);
    batch.rho[lane] = number(c.rho);
    batch.weight[lane] = number(1 / c.rho);
  }
  data.scales.assign(velocity_lines(), {});
  for (std::size_t i = 0; i < bodies_; ++i) {
    const BodyScale& scale = system.scales[i];
    LaneScale<Number>& to = data.scales[i];
    to.linear = number(scale.linear);
    for (int row = 0, at = 0; row < 3; ++row)
      for (int column = 0; column <= row; ++column) to.angular[at++] = number(scale.angular(row, column));
  }
}

template <>
LaneContacts<double> Lanes::contacts() const {
  return {doubles_.batches.data(), groups_.data(), static_cast<long>(groups_.size()), doubles_.scales.data(),
          static_cast<long>(doubles_.scales.size())};
}

template <>
LaneContacts<float> Lanes::contacts() const {
  return {floats_.batches.data(), groups_.data(), static_cast<long>(groups_.size()), floats_.scales.data(),
          static_cast<long>(floats_.scales.size())};
}

void Lanes::take_velocities(std::span<const Vec6> from, LaneLines<Real>& to) const {
  to.assign(velocity_lines(), {});
  for (std::size_t i = 0; i < from.size(); ++i) std::ranges::copy(from[i], to[i].value);
}

void Lanes::give_velocities(std::span<const LaneLine<Real>> from, std::span<Vec6> to) const {
  for (std::size_t i = 0; i < bodies_; ++i) std::copy_n(from[i].value, 6, to[i].begin());
}

void Lanes::take_scalars(std::span<const Real> from, LaneLines<Real>& to) const {
  to.assign(batch_count_, {});
  for (std::size_t i = 0; i < places_.size(); ++i)
    to[static_cast<std::size_t>(places_[i].batch)].value[places_[i].lane] = from[i];
}

void Lanes::take_impulses(std::span<const Vec3> from, LaneLines<Real>& to) const {
  to.assign(impulse_lines(), {});
  for (std::size_t i = 0; i < places_.size(); ++i)
    for (int k = 0; k < 3; ++k)
      to[3 * static_cast<std::size_t>(places_[i].batch) + static_cast<std::size_t>(k)].value[places_[i].lane] =
          from[i][k];
}

template <class Number>
void Lanes::give_impulses(const LaneLines<Number>& from, std::span<Vec3> to) const {
  for (std::size_t i = 0; i < places_.size(); ++i)
    for (int k = 0; k < 3; ++k)
      to[i][k] =
          from[3 * static_cast<std::size_t>(places_[i].batch) + static_cast<std::size_t>(k)].value[places_[i].lane];
}
template void Lanes::give_impulses(const LaneLines<double>& from, std::span<Vec3> to) const;
template void Lanes::give_impulses(const LaneLines<float>& from, std::span<Vec3> to) const;

template <>
const LaneKernels<double>& lane_kernels() {
  static const LaneKernels<double> kernels =
      choose(widest_simd(), baseline::kDoubleLanes, avx2::kDoubleLanes, avx512::kDoubleLanes);
  return kernels;
}

template <>
const LaneKernels<float>& lane_kernels() {
  static const LaneKernels<float> kernels =
      choose(widest_simd(), baseline::kFloatLanes, avx2::kFloatLanes, avx512::kFloatLanes);
  return kernels;
}

}  // namespace carom
