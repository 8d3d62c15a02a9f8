#include "math/block_ordering.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include "math/eigen.h"

namespace carom {

std::vector<std::int32_t> elimination_order(const BodyGraph& graph) {
  const int bodies = static_cast<int>(graph.begin.size()) - 1;
  if (bodies == 0) return {};
  std::vector<Eigen::Triplet<double, int>> ones;
  ones.reserve(graph.neighbours.size() + static_cast<std::size_t>(bodies));
  for (int k = 0; k < bodies; ++k) {
    ones.emplace_back(k, k, 1);
    for (std::int32_t n = graph.begin[static_cast<std::size_t>(k)]; n < graph.begin[static_cast<std::size_t>(k) + 1];
         ++n)
      ones.emplace_back(graph.neighbours[static_cast<std::size_t>(n)], k, 1);
  }
  Eigen::SparseMatrix<double, Eigen::ColMajor, int> matrix(bodies, bodies);
  matrix.setFromTriplets(ones.begin(), ones.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(matrix, permutation);
  return {permutation.indices().data(), permutation.indices().data() + bodies};
}

}  // namespace carom
