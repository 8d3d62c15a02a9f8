// Which bodies may meet before the end of a frame, as their flights are now.
//
// B. Mirtich and J. Canny 1994, section 3.2: each body has a box around all that it passes through until the end of the
// frame; pairs whose boxes do not touch are not looked at. Boxes live in a tree (the paper: Overmars' subdivision). A
// body whose flight changes gets a new box only if the new flight leaves the old one, which in a microcollision it does
// not.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "collision/broad_phase.h"
#include "collision/bvh.h"
#include "collision/time_of_impact.h"
#include "dynamics/state.h"

namespace carom {

/// What is known of two bodies that may meet.
struct NearPair {
  std::int32_t a = 0, b = 0;  ///< slots, a < b
  Real floor = 0;             ///< m: they collide when they come this close
  Real struck_gap = 0;        ///< m: how close they were at their last blow
  Real struck_time = -1;      ///< s: when it was, if it was one and nothing else has changed their flights since
  Vec3 parting;               ///< m/s: the velocity of b against a that it left them with
  ImpactHint hint;            ///< of the last query of this frame
  std::uint32_t stamp = 0;    ///< changes with the flight of either
  bool solved = false;        ///< both are led: the contact solver sees to it
  std::int32_t micro = 0;     ///< microcollisions in this frame; until it begins: in the last one
  std::int32_t record = -1;   ///< index of what this frame's impacts come to, once there is one
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
  std::span<const Neighbour> of(std::int32_t body) const { return of_[static_cast<std::size_t>(body)]; }

  /// In the order of bodies.
  void sort();
  std::span<const NearPair> all() const { return pairs_; }
  /// What an earlier run knew: pairs in order.
  void restore(std::vector<NearPair> pairs) {
    pairs_ = std::move(pairs);
    sorted_ = 0;
  }
  void clear() {
    pairs_.clear();
    sorted_ = 0;
  }

 private:
  void place_still(const WorldState& world, std::span<const std::int32_t> awake);
  template <class Visit>
  void for_each_still(const Aabb& box, Visit&& visit) const;
  template <class Visit>
  void for_each_near(std::int32_t body, const Aabb& box, Visit&& visit) const;
  void index();
  /// The two of a pair to each other.
  void introduce(std::int32_t index);

  Bvh flying_, still_;
  std::vector<Bvh::Item> items_;
  std::vector<std::int32_t> leaves_, still_leaves_;  // by slot; kNone: not in that tree
  std::vector<std::pair<std::int32_t, HalfSpace>> planes_;
  std::vector<char> flies_;      // by slot
  std::vector<PairRole> roles_;  // by slot: bodies themselves are too large to be looked at for each pair
  std::vector<NearPair> pairs_, before_;
  std::size_t sorted_ = 0;  // so many of them are in order; later ones came within the frame
  std::vector<std::pair<std::int32_t, std::int32_t>> keys_;
  std::vector<std::vector<Neighbour>> of_;  // by slot
};

}  // namespace carom
