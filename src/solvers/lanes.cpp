#include "solvers/lanes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/simd.h"

namespace carom {
namespace {

constexpr std::size_t kOpen = 64;  // batches that are being filled at a time, one a bit

struct OpenBatch {
  std::int32_t number = -1;  // of the batch, or none
  std::int32_t size = 0;
  std::array<std::int32_t, 2 * kLaneCount> bodies{};
  std::int32_t body_count = 0;
};

/// Empties the slot; its bodies may be used again.
void close(OpenBatch& open, std::uint64_t bit, std::vector<std::uint64_t>& used) {
  for (std::int32_t k = 0; k < open.body_count; ++k)
    used[static_cast<std::size_t>(open.bodies[static_cast<std::size_t>(k)])] &= ~bit;
  open = {};
}

void fill_block(const Mat3& w, std::size_t lane, LaneBlock& block) {
  const std::array<Real, 6> entries{w(0, 0), w(0, 1), w(0, 2), w(1, 1), w(1, 2), w(2, 2)};
  const Real mean = 0.5 * (w(1, 1) + w(2, 2)), half = 0.5 * (w(1, 1) - w(2, 2));
  const Real largest = mean + std::sqrt(half * half + w(1, 2) * w(1, 2));
  block.tangent_step[lane] = largest > 0 ? 1 / largest : 0;
  // Singular up to rounding: the inverse would be noise.
  constexpr Real kSingular = 1e-12;
  const Real scale = w.trace() / 3;
  const Real determinant =
      dot(Vec3{w(0, 0), w(1, 0), w(2, 0)}, cross({w(0, 1), w(1, 1), w(2, 1)}, {w(0, 2), w(1, 2), w(2, 2)}));
  const bool regular = determinant > kSingular * scale * scale * scale;
  const Mat3 inverse_w = regular ? inverse(w) : Mat3{};
  const std::array<Real, 6> inverted{inverse_w(0, 0), inverse_w(0, 1), inverse_w(0, 2),
                                     inverse_w(1, 1), inverse_w(1, 2), inverse_w(2, 2)};
  for (std::size_t k = 0; k < 6; ++k) {
    block.w[k][lane] = entries[k];
    block.w_inverse[k][lane] = inverted[k];
  }
}

}  // namespace

void Lanes::build(const ConeSystem& system, bool with_blocks) {
  bodies_ = system.free_velocities.size();
  assign(system);
  fill(system, with_blocks);
}

void Lanes::assign(const ConeSystem& system) {
  used_.assign(bodies_, 0);
  places_.resize(system.contacts.size());
  std::array<OpenBatch, kOpen> open{};
  std::int32_t batches = 0;
  std::size_t oldest = 0;
  for (std::size_t i = 0; i < system.contacts.size(); ++i) {
    const ConeContact& c = system.contacts[i];
    std::uint64_t taken = 0;
    for (const std::int32_t body : {c.a, c.b})
      if (body >= 0) taken |= used_[static_cast<std::size_t>(body)];
    auto slot = static_cast<std::size_t>(std::countr_one(taken));
    if (slot == kOpen) {
      // In all of them: give one up, in turn.
      slot = oldest;
      oldest = (oldest + 1) % kOpen;
      close(open[slot], std::uint64_t{1} << slot, used_);
    }
    OpenBatch& batch = open[slot];
    const std::uint64_t bit = std::uint64_t{1} << slot;
    if (batch.number < 0) batch.number = batches++;
    places_[i] = {batch.number, batch.size++};
    for (const std::int32_t body : {c.a, c.b}) {
      if (body < 0) continue;
      used_[static_cast<std::size_t>(body)] |= bit;
      batch.bodies[static_cast<std::size_t>(batch.body_count++)] = body;
    }
    if (batch.size == kLaneCount) close(batch, bit, used_);
  }
  batches_.resize(static_cast<std::size_t>(batches));
}

void Lanes::fill(const ConeSystem& system, bool with_blocks) {
  const auto nobody = static_cast<std::int32_t>(bodies_);
  LaneBatch empty{};
  std::ranges::fill(empty.rho, 1);
  std::ranges::fill(empty.weight, 1);
  std::ranges::fill(empty.a, nobody);
  std::ranges::fill(empty.b, nobody);
  std::ranges::fill(batches_, empty);
  blocks_.assign(with_blocks ? batches_.size() : 0, LaneBlock{});
  for (std::size_t i = 0; i < system.contacts.size(); ++i) {
    const ConeContact& c = system.contacts[i];
    const auto lane = static_cast<std::size_t>(places_[i].lane);
    LaneBatch& batch = batches_[static_cast<std::size_t>(places_[i].batch)];
    for (std::size_t k = 0; k < 18; ++k) {
      batch.rows_a[k][lane] = c.rows_a[k / 6][k % 6];
      batch.rows_b[k][lane] = c.rows_b[k / 6][k % 6];
    }
    for (int k = 0; k < 3; ++k) batch.bias[k][lane] = c.bias[k];
    batch.mu[lane] = c.mu;
    batch.rho[lane] = c.rho;
    batch.weight[lane] = 1 / c.rho;
    batch.a[lane] = c.a >= 0 ? c.a : nobody;
    batch.b[lane] = c.b >= 0 ? c.b : nobody;
    if (with_blocks) fill_block(c.w, lane, blocks_[static_cast<std::size_t>(places_[i].batch)]);
  }
}

void Lanes::take_velocities(std::span<const Vec6> from, std::vector<LaneLine>& to) const {
  to.assign(velocity_lines(), {});
  for (std::size_t i = 0; i < from.size(); ++i) std::ranges::copy(from[i], to[i].value);
}

void Lanes::give_velocities(std::span<const LaneLine> from, std::span<Vec6> to) const {
  for (std::size_t i = 0; i < bodies_; ++i) std::copy_n(from[i].value, 6, to[i].begin());
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

void Lanes::set_normal_shift(const ConeSystem& system, std::span<const Real> shift) {
  for (std::size_t i = 0; i < places_.size(); ++i)
    batches_[static_cast<std::size_t>(places_[i].batch)].bias[0][places_[i].lane] =
        system.contacts[i].bias.x + shift[i];
}

const LaneKernels& lane_kernels() {
  static const LaneKernels kernels =
      choose(widest_simd(), baseline::kLaneKernels, avx2::kLaneKernels, avx512::kLaneKernels);
  return kernels;
}

}  // namespace carom
