// Which bodies may meet before the end of a frame, as their flights are now.
//
// B. Mirtich and J. Canny 1994, section 3.2: each body has a box around all that it passes through until the end of the
// frame; pairs whose boxes do not touch are not looked at. Boxes live in a tree (the paper: Overmars' subdivision). A
// body whose flight changes gets a new box only if the new flight leaves the old one, which in a microcollision it does
// not.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/prefetch.h"
#include "collision/broad_phase.h"
#include "collision/bvh.h"
#include "collision/time_of_impact.h"
#include "collision/wide_tree.h"
#include "dynamics/state.h"

namespace carom {

/// What is known of two bodies that may meet: two cache lines, of which the second is for those that come close.
struct alignas(64) NearPair {
  std::int32_t a = 0, b = 0;  ///< slots, a < b
  Real floor = 0;             ///< m: they collide when they come this close
  Real struck_gap = 0;        ///< m: how close they were at their last blow
  Real struck_time = -1;      ///< s: when it was, if it was one and nothing else has changed their flights since
  std::uint32_t stamp = 0;    ///< changes with the flight of either
  bool solved = false;        ///< both are led: the contact solver sees to it
  std::int32_t micro = 0;     ///< microcollisions in this frame; until it begins: in the last one
  std::int32_t record = -1;   ///< index of what this frame's impacts come to, once there is one
  Vec3 parting;               ///< m/s: the velocity of b against a that their last blow left them with
  ImpactHint hint;            ///< of the last query of this frame

  /// Whether there is anything to know in the next frame, pairs that have not met being given this floor.
  bool remembers(Real usual_floor) const {
    return floor != usual_floor || struck_gap != 0 || struck_time >= 0 || micro != 0;
  }
};

class NearPairs {
 public:
  /// A new frame, in which the awake bodies (ascending) keep to `boxes` (by slot). Pairs that are still near keep their
  /// floors, new ones get `floor`.
  void begin(const WorldState& world, std::span<const std::int32_t> awake, std::span<const Aabb> boxes, Real floor);
  /// The body's new flight leaves its box: it gets another one. New pairs come at the end of the list.
  void change_box(std::int32_t body, const Aabb& box, Real floor);
  bool contains(std::int32_t body, const Aabb& box) const;

  std::size_t size() const { return pairs_.size(); }
  NearPair& operator[](std::int32_t pair) { return pairs_[static_cast<std::size_t>(pair)]; }
  struct Neighbour {
    std::int32_t body = 0, pair = 0;
  };
  /// Those of a body that is awake.
  std::span<const Neighbour> of(std::int32_t body) const {
    const Neighbours& list = of_[static_cast<std::size_t>(body)];
    if (list.spilled != kNotSpilled) return spilled_[static_cast<std::size_t>(list.spilled)];
    return {list.first.data(), static_cast<std::size_t>(list.count)};
  }

  /// Asks the memory for what will be wanted of a body, then for its box.
  void fetch(std::int32_t body) const {
    prefetch(of_[static_cast<std::size_t>(body)]);
    prefetch(leaves_[static_cast<std::size_t>(body)]);
    prefetch(roles_[static_cast<std::size_t>(body)]);
  }
  void fetch_box(std::int32_t body) const {
    const std::int32_t leaf = leaves_[static_cast<std::size_t>(body)];
    if (leaf != WideTree::kNone) flying_.fetch(leaf);
  }

  std::span<const NearPair> all() const { return pairs_; }
  /// What the next frame has to know of this one.
  void save(ByteWriter& out) const;
  bool restore(ByteReader& in, const WorldState& world);
  void clear() { pairs_.clear(); }

 private:
  static constexpr std::int32_t kNotSpilled = -1;
  /// One cache line; bodies with more neighbours have a list elsewhere.
  struct alignas(64) Neighbours {
    std::int32_t count = 0;
    std::int32_t spilled = kNotSpilled;  // index of that list
    std::array<Neighbour, 7> first;
  };

  /// Who is there, and where those are that do not move.
  void take_bodies(const WorldState& world, std::span<const std::int32_t> awake);
  template <class Visit>
  void for_each_still(const Aabb& box, Visit&& visit) const;
  void index();
  /// The two of a pair to each other.
  void introduce(std::int32_t index);
  void add(std::int32_t body, const Neighbour& near);
  /// What this frame leaves to the next one, in the order of bodies.
  void remember(std::vector<NearPair>& out) const;

  WideTree flying_;
  Bvh still_;
  std::vector<Bvh::Item> items_;
  std::vector<std::int32_t> leaves_, still_leaves_;  // by slot; kNone: not in that tree
  std::vector<std::pair<std::int32_t, HalfSpace>> planes_;
  std::vector<char> flies_;      // by slot
  std::vector<PairRole> roles_;  // by slot: bodies themselves are too large to be looked at for each pair
  std::vector<NearPair> pairs_;
  std::vector<NearPair> before_;  // of the last frame, what is worth remembering, in the order of bodies
  Real floor_ = 0;                // m: that of pairs that have not met
  std::vector<std::pair<std::int32_t, std::int32_t>> keys_;
  std::vector<Neighbours> of_;  // by slot
  std::vector<std::vector<Neighbour>> spilled_;
  std::size_t spilled_count_ = 0;  // of those; later ones are kept for their memory
};

}  // namespace carom
