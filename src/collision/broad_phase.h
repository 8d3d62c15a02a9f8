// The broad phase: which bodies may touch, kept from step to step and changed where something moves.
//
// Every bounded body has a box (its own, swept over the coming step) and around it a wider one, which lives in a tree.
// As long as the box stays inside the wider one, nothing is done for the body. Pairs whose wider boxes overlap are kept
// in lists, one of each body that is awake; one that leaves its wider box gets a new one, and only its pairs are looked
// for again: those that it had are in its list. `candidates` then
// keeps the pairs whose own boxes overlap: they depend on the boxes given and on nothing that happened before, so a
// run that is resumed finds the same ones.
//
// The wider box is ahead of the motion by no more than the body's own size. A fast body thus costs its own swept box,
// not a multiple of it, and a box that was wide for a fast body is given back when the body slows down.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "collision/bvh.h"

namespace carom {

/// Who pairs with whom.
struct PairRole {
  bool moves = false;          ///< false: never pairs with another that does not move
  bool dynamic = false;        ///< takes impulses; a pair needs at least one that does
  std::uint64_t category = 1;  ///< what the body is, as bits
  std::uint64_t mask = ~0ULL;  ///< what it pairs with: a pair needs a common bit of each one's mask and category
  bool frozen = false;  ///< could move but stays: pairs like a body that does not, and is named like one that does
  bool operator==(const PairRole&) const = default;

  bool awake() const { return moves && !frozen; }
};

inline bool may_pair(const PairRole& a, const PairRole& b) {
  return (a.awake() || b.awake()) && (a.dynamic || b.dynamic) && (a.mask & b.category) != 0 &&
         (b.mask & a.category) != 0;
}

/// Solid where dot(normal, x) < offset, in the world.
struct HalfSpace {
  Vec3 normal;
  Real offset = 0;
  bool touches(const Aabb& box) const {
    Real lowest = 0;
    for (int i = 0; i < 3; ++i) lowest += normal[i] * (normal[i] > 0 ? box.min[i] : box.max[i]);
    return lowest <= offset;
  }
};

class BroadPhase {
 public:
  /// `first` is a moving body, the smaller index where both move.
  struct Pair {
    std::int32_t first = 0, second = 0;
    auto operator<=>(const Pair&) const = default;
  };

  /// What the last `update` had to do: for tests and benchmarks.
  struct Work {
    std::int64_t moved = 0;         ///< bodies that got a new box in the tree
    std::int64_t box_tests = 0;     ///< nodes of the tree that searches looked at
    std::int64_t tree_steps = 0;    ///< nodes that insertions and removals looked at
    std::int64_t pair_changes = 0;  ///< pairs added and removed
    bool rebuilt = false;           ///< so much had moved that everything was built anew
  };

  /// The body's box: `box` is swept over the step, `sweep` says where to. At most once a body between updates.
  void place(std::int32_t body, const Aabb& box, const Vec3& sweep, const PairRole& role);
  /// Another box for a body that was placed before, for a search in between: its wider box is not given back.
  void visit(std::int32_t body, const Aabb& box, const PairRole& role);
  void place_half_space(std::int32_t body, const HalfSpace& half_space, const PairRole& role);
  void remove(std::int32_t body);
  /// One more than the largest index that was ever placed.
  std::size_t size() const { return entries_.size(); }

  /// Brings tree and pairs up to date with what was placed and removed.
  void update(ThreadPool* threads);

  /// Pairs whose boxes overlap, sorted by first and second. Costs what is awake.
  void candidates(ThreadPool* threads, std::vector<Pair>& out);
  /// Bodies of the tree whose boxes overlap this one's: calls visit(body). Requires a bounded body.
  template <class Visit>
  void for_each_overlap(std::int32_t body, Visit&& visit) const {
    const Aabb& own = box(body);
    const auto consider = [&](std::int32_t other) {
      if (other != body && may_pair(entry(body).role, entry(other).role)) visit(other);
    };
    tree_.query(own, [&](std::int32_t other) {
      if (box(other).overlaps(own)) consider(other);
    });
    for (const std::int32_t plane : planes_)
      if (entry(plane).half_space.touches(own)) consider(plane);
  }

  /// Bodies that accept(body) and that this box overlaps: calls visit(body).
  template <class Accept, class Visit>
  void for_each_in(const Aabb& region, const Accept& accept, Visit&& visit) const {
    tree_.query(region, [&](std::int32_t body) {
      if (accept(body) && box(body).overlaps(region)) visit(body);
    });
    for (const std::int32_t plane : planes_)
      if (accept(plane) && entry(plane).half_space.touches(region)) visit(plane);
  }

  const Bvh& tree() const { return tree_; }
  /// Bodies that move and are not frozen, ascending, as of the last update.
  std::span<const std::int32_t> awake() const { return awake_; }
  /// Bodies that are half-spaces.
  std::span<const std::int32_t> half_spaces() const { return planes_; }
  const Work& work() const { return work_; }

 private:
  enum class Kind : std::uint8_t { Absent, Bounded, Unbounded };
  struct Entry {
    Vec3 sweep;  // of the coming step
    Aabb wide;   // in the tree
    HalfSpace half_space;
    PairRole role;
    Kind kind = Kind::Absent;
    std::int32_t leaf = Bvh::kNone;
  };
  /// What a body will be after the update.
  struct Change {
    std::int32_t body = 0;
    Aabb wide;
    HalfSpace half_space;
    PairRole role;
    Kind kind = Kind::Absent;
  };
  /// Twice the body, plus one where the pair is counted here: it is in the lists of both if both are awake.
  using Partner = std::int32_t;
  /// A change of somebody's list, by a body that is its partner, or no longer.
  struct Edit {
    std::int32_t list = 0;
    Partner partner = 0;
    bool stays = false;
  };
  /// Of one chunk of bodies; kept so that a step allocates nothing.
  struct Scratch {
    std::vector<Pair> pairs;
    std::int64_t box_tests = 0;
    bool sorted = true;
  };

  Entry& entry(std::int32_t body) { return entries_[static_cast<std::size_t>(body)]; }
  const Entry& entry(std::int32_t body) const { return entries_[static_cast<std::size_t>(body)]; }
  const Aabb& box(std::int32_t body) const { return boxes_[static_cast<std::size_t>(body)]; }
  Entry& grown_to(std::int32_t body);
  Pair named(std::int32_t a, std::int32_t b) const;
  bool is_awake(std::int32_t body) const { return entry(body).kind != Kind::Absent && entry(body).role.awake(); }
  /// As an item of a body's list.
  Partner partner(std::int32_t body, std::int32_t other) const;
  /// Calls visit(other) for all bodies that pair with this one by their wide boxes; returns how many were looked at.
  template <class Visit>
  std::int64_t for_each_partner(std::int32_t body, Visit&& visit) const;
  /// Partners of the bodies that change, of all or of those that have no list, as things stand: pairs of body and
  /// partner, sorted.
  void collect_changed(ThreadPool* threads, bool unlisted, std::vector<Pair>& out);
  void set(const Change& change);
  void update_changed(ThreadPool* threads);
  void rebuild(ThreadPool* threads);
  void change_lists();
  void change_lists_of_partners(std::int32_t body, bool was_awake, std::span<const Pair> old,
                                std::span<const Pair> now);
  void apply_edits();
  void merge_awake();

  Bvh tree_;
  std::vector<Entry> entries_;
  std::vector<Aabb> boxes_;  // per body, of the coming step; of planes: of no use
  std::vector<char> moves_;  // per body: as its role says
  std::vector<Change> changes_;
  std::vector<std::int32_t> planes_;
  std::vector<std::vector<Partner>> partners_;  // per body that is awake: others, ascending
  std::vector<char> changing_;                  // per body: in changes_
  std::vector<std::int32_t> awake_, woken_;     // woken: awake since the last update, or no longer
  std::int64_t dynamic_ = 0;                    // bodies that are
  Work work_;

  std::vector<Scratch> chunks_;
  std::vector<Pair> before_, after_;  // of the bodies that change
  std::vector<char> was_awake_;       // per change
  std::vector<Edit> edits_;
  std::vector<std::int32_t> merged_;
  std::vector<Bvh::Item> items_;
  std::vector<std::int32_t> leaves_;
};

}  // namespace carom
