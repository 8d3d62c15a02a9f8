// What the real-time step works on: motions of bodies, and manifolds, in single precision and whole blocks of memory.
//
// Masters are in double precision elsewhere (the world's bodies). Everything here is relative to them: velocities, the
// displacement within the step, arms from centres of mass. So single precision is enough at any place of the world.
//
// Angular velocities are whitened: with I⁻¹ = F Fᵀ, F the factor in world axes, ω = F ω̃. The row of a Jacobian that
// reads ω̃ is Fᵀ (r × n), and an impulse λ along n changes ω̃ by the same vector times λ: sweeps need no inertia.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

namespace carom::fast {

/// A velocity, or a displacement within the step. Record 0 of every array stands for all bodies that stand still.
struct alignas(32) Motion {
  std::array<float, 3> linear{};   ///< m/s; m
  float inverse_mass = 0;          ///< 1/kg, of velocities
  std::array<float, 3> turning{};  ///< whitened
  float unused = 0;
};

/// How a body lies at the start of the step. Rows are padded to four.
struct alignas(16) Frame {
  std::array<std::array<float, 4>, 3> rotation{};   ///< body to world
  std::array<std::array<float, 4>, 3> whitening{};  ///< Fᵀ; zero for bodies that take no impulses, 1 for kinematic ones
};

/// A patch of contact between two bodies. One of them is the base: normal, tangent and the plane through the anchor are
/// fixed to it. The other is the probe: its points are fixed to it. So all follow their bodies without a new search.
struct alignas(16) Record {
  static constexpr int kMaxPoints = 4;
  /// Level of a point that is not there: it never touches.
  static constexpr float kNowhere = -1e10F;

  // In chunks of four for the kernels (fast/kernels.cpp), in this order.
  std::array<float, 3> normal_local{};  ///< unit, from base to probe, in the base's axes
  float friction = 0;
  std::array<float, 3> tangent_local{};  ///< unit
  float static_friction = 0;
  /// Per point: from the probe's centre of mass to its surface, in its axes; last: height over the plane at which the
  /// base begins there, m.
  std::array<std::array<float, 4>, kMaxPoints> arms{};
  std::array<float, 4> normal_impulse{};   ///< N s, of the last substep
  std::array<float, 4> tangent_impulse{};  ///< likewise, along the tangent
  std::array<float, 4> across_impulse{};   ///< likewise, along normal × tangent
  std::array<float, 3> offset{};           ///< m, world, in this step: from the anchor to the probe's centre of mass
  float restitution = 0;
  std::array<float, 3> anchor_arm{};  ///< likewise: from the base's centre of mass to the anchor
  float round = 0;                    ///< m: the probe is a ball of this radius about its arm's end

  // For everybody else.
  std::array<double, 3> anchor_local{};                 ///< m, from the base's centre of mass, in its axes
  std::int32_t base = 0, probe = 0;                     ///< bodies by slot
  std::int32_t next = -1;                               ///< another patch of the same two bodies
  std::int32_t place = -1;                              ///< lane in the batches of this step; −1: out of reach
  std::uint32_t part = 0;                               ///< as in Manifold
  float least_gap = std::numeric_limits<float>::max();  ///< m, when the points were searched for
  std::array<std::uint16_t, kMaxPoints> features{};
  std::uint8_t count = 0;
  std::uint8_t axis = 0;  ///< as in Manifold
  bool base_is_a = true;  ///< the contact's first body is the base

  void forget_impulses() { normal_impulse = tangent_impulse = across_impulse = {}; }
};
static_assert(sizeof(Record) % 16 == 0);

/// Where the kernels find the chunks of a record, in floats.
enum RecordChunk : std::size_t {
  kNormalChunk = 0,
  kTangentChunk = 4,
  kArmChunk = 8,
  kNormalImpulseChunk = 24,
  kTangentImpulseChunk = 28,
  kAcrossImpulseChunk = 32,
  kOffsetChunk = 36,
  kAnchorArmChunk = 40
};

}  // namespace carom::fast
