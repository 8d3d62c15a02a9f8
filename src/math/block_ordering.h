// The order in which a sparse factorisation eliminates the bodies of a graph.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace carom {

/// Neighbours of body k are neighbours[begin[k]] … neighbours[begin[k + 1] − 1], ascending; both ways round.
struct BodyGraph {
  std::vector<std::int32_t> begin, neighbours;
};

/// An order that fills in little: result[k] is the body that is eliminated k-th. The same graph gives the same order.
std::vector<std::int32_t> elimination_order(const BodyGraph& graph);

}  // namespace carom
