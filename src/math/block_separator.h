// A small set of bodies that divides a graph in two.
//
// Distances from a few bodies far apart serve as coordinates: bodies nearer to one than to another make a half, and
// what lies between is about as flat as a separator can be. Bodies are then moved out of it as long as it gets smaller
// (C. Fiduccia, R. Mattheyses, "A linear-time heuristic for improving network partitions", 1982, on vertices as in
// C. Ashcraft, J. Liu, "Using domain decomposition to find graph bisectors", 1997).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "math/block_ordering.h"

namespace carom {

class Separator {
 public:
  enum Side : std::uint8_t { Left, Right, Middle, Out };

  explicit Separator(const BodyGraph& graph);

  /// Divides a connected set of bodies. `side` tells where each of them is, until they are forgotten, which must be
  /// before the next call.
  void divide(std::span<const std::int32_t> bodies);
  Side side(std::int32_t body) const { return side_[static_cast<std::size_t>(body)]; }
  void forget(std::span<const std::int32_t> bodies);

  /// The connected parts of a set, each ascending.
  std::vector<std::vector<std::int32_t>> components(std::span<const std::int32_t> bodies);

 private:
  struct Start {
    double cost = 0;
    std::size_t from = 0, against = 0;  // landmarks; the same twice: distance from one
  };
  struct Change {
    std::int32_t body = 0;
    Side from = Middle;
  };

  std::span<const std::int32_t> neighbours(std::int32_t body) const;
  void begin(std::span<const std::int32_t> bodies);
  void search(std::int32_t from);
  void search_anew(std::int32_t from);
  void set_landmarks();
  void halve(const Start& start);
  void refine();
  bool improve();
  std::pair<std::int32_t, Side> best_move() const;
  void put(std::int32_t body, Side to);
  double cost() const;

  const BodyGraph& graph_;
  std::span<const std::int32_t> bodies_;
  std::vector<Side> side_;
  std::vector<Side> best_;                            // in the order of bodies_
  std::vector<std::int32_t> distance_;                // of the last search, or −1
  std::vector<std::int32_t> found_;                   // by the last search
  std::vector<std::vector<std::int32_t>> landmarks_;  // distances from each, in the order of bodies_
  std::vector<std::int32_t> sorted_, first_;
  std::array<int, 3> sizes_{};                // of the sides
  std::vector<std::array<int, 2>> touching_;  // of a body: neighbours left and right
  std::vector<std::int32_t> middle_;          // bodies of the separator that may move, and some that have left it
  std::vector<char> locked_;
  std::vector<Change> changes_;
};

}  // namespace carom
