// Detection of the real-time step: pairs that may touch, with what was found of each when it was last looked at.
//
// A search for contact points looks farther than the step needs. What it has found stays good while the two bodies move
// little against each other: points and planes follow the bodies that they sit on (fast/records.h), and where nothing
// was found nothing can have come near. Most pairs of a crowd are thus settled by one comparison: the ways of both
// bodies since then, added up, against what is allowed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/thread_pool.h"
#include "collision/broad_phase.h"
#include "collision/manifold.h"
#include "fast/body_view.h"
#include "fast/records.h"

namespace carom::fast {

struct SearchSettings {
  Real dt = 0;            ///< s
  Real least_margin = 0;  ///< m: beside what motion asks for
};

class PairCache {
 public:
  /// Brings the pairs up to date with the list given (sorted), searches where it must, and lists the records that may
  /// matter within the step.
  void update(std::span<const BroadPhase::Pair> pairs, std::span<const BodyView> bodies, const SearchSettings& settings,
              ThreadPool* threads);

  /// Records that may matter in this step, in the order of their pairs.
  std::span<const std::int32_t> active() const { return active_; }
  /// Records that are new since the last update: their surface properties have to be set.
  std::span<const std::int32_t> fresh() const { return fresh_; }
  /// Record 0 is that of empty lanes.
  std::span<Record> records() { return records_; }
  std::span<const Record> records() const { return records_; }
  std::int64_t searched() const { return searched_; }
  std::size_t pair_count() const { return entries_.size(); }

  /// Forgets what was found of this body.
  void forget(std::int32_t body);
  void clear();

  void save(ByteWriter& out) const;
  /// False, and nothing changed, where the bytes cannot be what `save` wrote for that many bodies.
  bool restore(ByteReader& in, std::size_t bodies);

 private:
  /// Two bodies whose boxes overlap.
  struct Entry {
    BroadPhase::Pair pair;
    std::int32_t head = -1;        // its first record; −1: nothing was found
    float known = -1;              // m: everything up to this gap was found; negative: not searched yet
    float still = 0;               // m: motion that points may follow
    std::array<Real, 3> offset{};  // m, of the smaller body in the frame of the larger, when they were searched
    std::array<float, 4> turn{};   // likewise; w first
    Real travel = 0;               // m: ways of both bodies until then
  };
  struct Found {
    std::size_t entry = 0;
    std::size_t first = 0, count = 0;  // of the chunk's records
  };
  struct Chunk {
    std::vector<std::int32_t> active;  // records, or −1 − n: record n of those found
    std::vector<Found> found;
    std::vector<Record> records;
    Manifold manifold;  // scratch, as these
    std::vector<Manifold> manifolds, before;
  };

  void fetch(const Entry& entry, std::span<const BodyView> bodies) const;
  void take_pairs(std::span<const BroadPhase::Pair> pairs);
  void look_at(std::size_t entry, std::span<const BodyView> bodies, const SearchSettings& settings, Chunk& chunk);
  void search(std::size_t entry, const BodyView& first, const BodyView& second, Real known, Chunk& chunk,
              std::span<const BodyView> bodies);
  void look_at_ball(Entry& entry, std::size_t index, std::span<const BodyView> bodies, Real margin, Chunk& chunk);
  void add_record(const Entry& entry, Manifold& manifold, const BodyView& a, const BodyView& b, bool swapped,
                  Chunk& chunk, std::span<const BodyView> bodies);
  void gather(const Chunk& chunk);
  void drop(std::int32_t head);

  std::vector<Entry> entries_;
  std::vector<BroadPhase::Pair> added_;  // since the last update
  std::vector<Record> records_ = std::vector<Record>(1, empty_lane());
  std::vector<std::int32_t> free_, active_, fresh_, restored_;
  std::vector<std::int32_t> forgotten_;  // bodies, since the last update
  std::vector<std::int32_t> places_;     // scratch: slots of the records that a chunk has found
  std::vector<Chunk> chunks_;
  std::int64_t searched_ = 0;

  static Record empty_lane();
};

}  // namespace carom::fast
