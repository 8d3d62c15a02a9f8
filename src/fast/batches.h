// Manifolds in batches: as many side by side as the vectors of this machine have lanes, and no dynamic body twice in a
// colour, so that all of a colour can be solved at once, on any number of threads, with the same result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.h"
#include "fast/records.h"

namespace carom::fast {

/// Fields of a batch. Each is a row of as many floats as there are lanes.
///
/// The motion of the probe against the base has six components at the manifold's centre c, in two groups of three: the
/// normal one (approach along n; turning about t1 and about t2) and the tangential one (sliding along t1 and t2;
/// twisting about n). A point at (x, y) in the plane has the normal velocity N0 + y N1 − x N2 and slides with
/// (T0 − y T2, T1 + x T2): however many points there are, bodies are read and written through six rows.
enum Field : std::size_t {
  kNormal = 0,          // 3
  kTangent = 3,         // 3
  kRows = 6,            // 36: of N0, N1, N2, T0, T1, T2 each three for the base's turning and three for the probe's
  kNormalMatrix = 42,   // 6: how the normal group answers impulses: 00 01 02 11 12 22
  kTangentMatrix = 48,  // 6
  kX = 54,              // 4, m
  kY = 58,              // 4, m
  kGap = 62,            // 4, m, at the start of the step
  kInverse = 66,        // 4, kg: of a point's diagonal entry
  kStep = 70,           // 4, kg: of a point's largest tangential eigenvalue, inverted
  kFriction = 74,
  kRestitution = 75,
  kNormalImpulse = 76,   // 4, N s, of the substep
  kTangentImpulse = 80,  // 4
  kAcrossImpulse = 84,   // 4
  kNormalSum = 88,       // 4, N s, of the whole step
  kTangentSum = 92,      // 4
  kAcrossSum = 96,       // 4
  kPointMatrix = 100,    // 10: how points answer each other's normal impulses: 00 01 02 03 11 12 13 22 23 33
  kOpening = 110,        // 4, m: the gap at the start of the substep
  kAwake = 114,          // 1 where a point presses, rubs or is about to press in this substep
  kArm = 115,            // 3, m: from the probe's centre of mass to the manifold's centre
  kFieldCount = 118
};

/// A row of the Jacobian begins here.
constexpr std::size_t row_of(std::size_t component) { return kRows + 6 * component; }

struct Batches {
  std::size_t lanes = 4;
  AlignedVector<float> data;                        // per batch kFieldCount rows
  std::vector<std::int32_t> records;                // per lane; 0: empty
  std::vector<std::int32_t> bases, probes;          // per lane: bodies, by slot
  std::vector<std::int32_t> read_base, read_probe;  // per lane: which motions are read
  /// Likewise written. Motions behind the last body's take what bodies that take no impulses would get, one a batch of
  /// a colour.
  std::vector<std::int32_t> write_base, write_probe;
  std::vector<std::int32_t> colors;  // first batch of each colour, and the end
  std::size_t patches = 0;           // lanes that are not empty
  std::size_t motions = 0;           // read or written

  std::size_t size() const { return colors.empty() ? 0 : static_cast<std::size_t>(colors.back()); }
  float* batch(std::size_t b) { return data.data() + b * kFieldCount * lanes; }
  const float* batch(std::size_t b) const { return data.data() + b * kFieldCount * lanes; }
  /// A field of one lane.
  float& at(std::size_t place, std::size_t field) { return batch(place / lanes)[field * lanes + place % lanes]; }
  float at(std::size_t place, std::size_t field) const { return batch(place / lanes)[field * lanes + place % lanes]; }

  /// After the substeps: whether the patch has no impulse in the whole step.
  bool is_idle(std::size_t place) const {
    float sum = 0;
    for (std::size_t i = 0; i < Record::kMaxPoints; ++i)
      sum += at(place, kNormalSum + i) + at(place, kNormalImpulse + i);  // none is negative
    return sum == 0;
  }
  /// For the next step to begin with.
  void keep_impulses(std::size_t place, Record& record) const {
    for (std::size_t i = 0; i < Record::kMaxPoints; ++i) {
      record.normal_impulse[i] = at(place, kNormalImpulse + i);
      record.tangent_impulse[i] = at(place, kTangentImpulse + i);
      record.across_impulse[i] = at(place, kAcrossImpulse + i);
    }
  }
};

/// Distributes the records named in `active` over colours and lanes, in their order, and notes the places in them.
/// `motion_of` says which motion a body has, by slot: 0 for those that stand still; `takes` whether it takes impulses.
class Coloring {
 public:
  /// Motions have numbers below `motions`.
  void run(std::span<const std::int32_t> active, std::span<Record> records, std::span<const std::int32_t> motion_of,
           std::span<const char> takes, std::size_t motions, Batches& batches);

 private:
  struct Patch {
    std::int32_t base = 0, probe = 0;
    bool base_takes = false, probe_takes = false;
    bool acts = false;  // had an impulse in the last step
  };

  /// Returns how many found no colour.
  std::size_t choose_colors(std::size_t bodies);

  std::vector<Patch> patches_;
  std::vector<std::uint64_t> used_;  // per body: colours
  std::vector<std::uint8_t> color_;  // per active record
  std::vector<std::int32_t> fill_;
};

}  // namespace carom::fast
