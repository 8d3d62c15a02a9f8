#include "math/block_ordering.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "math/block_separator.h"

namespace carom {
namespace {

using Bodies = std::vector<std::int32_t>;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Parts of at most this size are not divided any more.
constexpr std::size_t kLeaf = 120;

class Dissection {
 public:
  explicit Dissection(const BodyGraph& graph) : graph_(graph), separator_(graph), number_(graph.begin.size() - 1, -1) {}

  void run(const Bodies& bodies, Bodies& order) {
    if (bodies.size() <= kLeaf) return eliminate(bodies, order);
    // Parts that do not touch, small ones together.
    std::vector<Bodies> parts = separator_.components(bodies);
    Bodies small;
    for (const Bodies& part : parts) {
      if (part.size() > kLeaf) {
        divide(part, order);
        continue;
      }
      small.insert(small.end(), part.begin(), part.end());
      if (small.size() < kLeaf / 2) continue;
      eliminate(small, order);
      small.clear();
    }
    eliminate(small, order);
  }

 private:
  void divide(const Bodies& bodies, Bodies& order) {
    separator_.divide(bodies);
    std::array<Bodies, 3> parts;
    for (const std::int32_t body : bodies) parts[separator_.side(body)].push_back(body);
    separator_.forget(bodies);
    // What has no separator is one dense piece, more or less.
    if (parts[Separator::Left].empty() || parts[Separator::Right].empty()) return eliminate(bodies, order);
    run(parts[Separator::Left], order);
    run(parts[Separator::Right], order);
    // By then all of these depend on each other, so that their order does not matter.
    order.insert(order.end(), parts[Separator::Middle].begin(), parts[Separator::Middle].end());
  }

  /// Minimum degree, exactly, on sets of bits over the bodies of a part and all that they touch. Only the former are
  /// eliminated; the others belong to separators and come later.
  void eliminate(const Bodies& part, Bodies& order) {
    Bodies local = part;
    for (std::size_t k = 0; k < part.size(); ++k) number_[at(part[k])] = static_cast<std::int32_t>(k);
    for (const std::int32_t body : part)
      for (std::int32_t n = graph_.begin[at(body)]; n < graph_.begin[at(body) + 1]; ++n) {
        const std::int32_t next = graph_.neighbours[at(n)];
        if (number_[at(next)] >= 0) continue;
        number_[at(next)] = static_cast<std::int32_t>(local.size());
        local.push_back(next);
      }
    link(local, part.size());
    order_by_degree(local, part.size(), order);
    for (const std::int32_t body : local) number_[at(body)] = -1;
  }

  std::uint64_t* row(std::size_t k) { return bits_.data() + k * words_; }
  static void set(std::uint64_t* bits, std::size_t k) { bits[k / 64] |= std::uint64_t{1} << (k % 64); }
  static void clear(std::uint64_t* bits, std::size_t k) { bits[k / 64] &= ~(std::uint64_t{1} << (k % 64)); }
  int degree(std::size_t k) {
    int sum = 0;
    for (std::size_t w = 0; w < words_; ++w) sum += std::popcount(row(k)[w]);
    return sum;
  }

  void link(const Bodies& local, std::size_t count) {
    words_ = (local.size() + 63) / 64;
    bits_.assign(local.size() * words_, 0);
    for (std::size_t k = 0; k < count; ++k)
      for (std::int32_t n = graph_.begin[at(local[k])]; n < graph_.begin[at(local[k]) + 1]; ++n) {
        const std::size_t other = at(number_[at(graph_.neighbours[at(n)])]);
        set(row(k), other);
        set(row(other), k);
      }
  }

  void order_by_degree(const Bodies& local, std::size_t count, Bodies& order) {
    constexpr int kGone = 1 << 30;
    degrees_.resize(count);
    for (std::size_t k = 0; k < count; ++k) degrees_[k] = degree(k);
    for (std::size_t step = 0; step < count; ++step) {
      const auto pivot =
          static_cast<std::size_t>(std::min_element(degrees_.begin(), degrees_.end()) - degrees_.begin());
      degrees_[pivot] = kGone;
      order.push_back(local[pivot]);
      // Neighbours of the pivot become neighbours of each other.
      for (std::size_t w = 0; w < words_; ++w)
        for (std::uint64_t left = row(pivot)[w]; left != 0; left &= left - 1) {
          const std::size_t k = 64 * w + static_cast<std::size_t>(std::countr_zero(left));
          for (std::size_t v = 0; v < words_; ++v) row(k)[v] |= row(pivot)[v];
          clear(row(k), k);
          clear(row(k), pivot);
          if (k < count) degrees_[k] = degree(k);
        }
    }
  }

  const BodyGraph& graph_;
  Separator separator_;
  Bodies number_;  // of a body in the part at hand, or −1
  std::size_t words_ = 0;
  std::vector<std::uint64_t> bits_;  // neighbours, a row each
  std::vector<int> degrees_;
};

}  // namespace

std::vector<std::int32_t> elimination_order(const BodyGraph& graph) {
  Bodies all(graph.begin.size() - 1), order;
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<std::int32_t>(k);
  order.reserve(all.size());
  Dissection(graph).run(all, order);
  return order;
}

}  // namespace carom
