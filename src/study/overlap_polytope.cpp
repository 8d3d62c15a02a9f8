// A polytope grows inside the set. Each face gives a bracket: the depth is at least the least distance of a face's
// plane from the origin, and at most how far the set reaches along any normal. Whichever face is nearest gets the
// farthest point of the set along its normal as a new corner, until both ends meet. While the origin is still outside
// of the polytope its distance counts as negative, so that the same rule first encloses it, or finds a direction in
// which the set does not reach it at all.
#include "study/overlap_polytope.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace carom {
namespace {

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

struct Facet {
  std::array<std::size_t, 3> corners{};  // counter-clockwise seen from outside
  Vec3 normal;
  Real offset = 0;  // distance of the plane from the origin
};

class GrowingPolytope {
 public:
  explicit GrowingPolytope(const DifferenceSupport& support) : support_(support) {}

  Real depth() {
    if (!start()) return least_reach_;
    constexpr int kMostCorners = 300;  // a bound for round sets, whose bracket closes slowly in the last digits
    for (int i = 0; i < kMostCorners; ++i) {
      const Facet nearest = *std::min_element(facets_.begin(), facets_.end(),
                                              [](const Facet& a, const Facet& b) { return a.offset < b.offset; });
      const Vec3 corner = reach_along(nearest.normal);
      if (least_reach_ <= 0 || least_reach_ - nearest.offset <= 1e-12 * size_) break;
      if (!grow(corner)) break;
    }
    return least_reach_;
  }

 private:
  Vec3 reach_along(const Vec3& direction) {
    const Vec3 point = support_(direction);
    least_reach_ = std::min(least_reach_, dot(point, direction));
    return point;
  }

  /// A tetrahedron of points far apart.
  bool start() {
    for (int x = -1; x <= 1; ++x)
      for (int y = -1; y <= 1; ++y)
        for (int z = -1; z <= 1; ++z)
          if (x != 0 || y != 0 || z != 0) corners_.push_back(reach_along(normalized(Vec3{Real(x), Real(y), Real(z)})));
    if (least_reach_ <= 0) return false;
    const std::vector<Vec3> found = std::exchange(corners_, {});
    const auto farthest = [&](auto&& measure) {
      return *std::max_element(found.begin(), found.end(),
                               [&](const Vec3& a, const Vec3& b) { return measure(a) < measure(b); });
    };
    const Vec3 a = found[0];
    const Vec3 b = farthest([&](const Vec3& p) { return squared_norm(p - a); });
    const Vec3 c = farthest([&](const Vec3& p) { return squared_norm(cross(p - a, b - a)); });
    const Vec3 normal = cross(b - a, c - a);
    const Vec3 d = farthest([&](const Vec3& p) { return std::abs(dot(p - a, normal)); });
    size_ = norm(b - a);
    corners_ = {a, b, c, d};
    const bool above = dot(d - a, normal) > 0;
    for (const auto& [i, j, k] : {std::array<std::size_t, 3>{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}})
      add(above ? std::array{i, k, j} : std::array{i, j, k});
    for (const Vec3& p : found) grow(p);
    return true;
  }

  /// A facet without area says nothing about the depth: it only closes the surface.
  void add(const std::array<std::size_t, 3>& corners) {
    const Vec3 a = corners_[corners[0]], b = corners_[corners[1]], c = corners_[corners[2]];
    const Vec3 area = cross(b - a, c - a), normal = normalized(area);
    const bool is_thin = norm(area) <= 1e-20 * size_ * size_;
    facets_.push_back({corners, is_thin ? Vec3{} : normal, is_thin ? kInfinity : dot(normal, a)});
  }

  static bool share_an_edge(const Facet& a, const Facet& b) {
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        if (a.corners[i] == b.corners[(j + 1) % 3] && a.corners[(i + 1) % 3] == b.corners[j]) return true;
    return false;
  }

  /// The facets that a point lies above, as far as they hang together with the one it lies highest above: rounding may
  /// put it a hair above others, and without those the outline is one loop.
  std::vector<Facet> take_facets_below(const Vec3& point) {
    std::vector<Facet> below;
    const auto height = [&](const Facet& facet) { return dot(facet.normal, point) - facet.offset; };
    std::erase_if(facets_, [&](const Facet& facet) {
      const bool is_below = height(facet) > 1e-14 * size_;
      if (is_below) below.push_back(facet);
      return is_below;
    });
    if (below.empty()) return below;
    std::iter_swap(below.begin(), std::max_element(below.begin(), below.end(), [&](const Facet& a, const Facet& b) {
                     return height(a) < height(b);
                   }));
    std::size_t connected = 1;
    for (std::size_t i = 0; i < connected; ++i)
      for (std::size_t j = connected; j < below.size(); ++j)
        if (share_an_edge(below[i], below[j])) std::swap(below[connected++], below[j]);
    facets_.insert(facets_.end(), below.begin() + static_cast<std::ptrdiff_t>(connected), below.end());
    below.resize(connected);
    return below;
  }

  /// Replaces the facets that the new corner lies above by those between it and their outline. False where it lies
  /// above none by more than rounding.
  bool grow(const Vec3& corner) {
    const std::vector<Facet> below = take_facets_below(corner);
    if (below.empty()) return false;
    std::vector<std::pair<std::size_t, std::size_t>> outline;
    for (const Facet& facet : below) {
      for (std::size_t k = 0; k < 3; ++k) {
        const std::pair edge{facet.corners[k], facet.corners[(k + 1) % 3]};
        // An edge between two such facets is met from both sides, and is not part of the outline.
        const auto twin = std::find(outline.begin(), outline.end(), std::pair{edge.second, edge.first});
        if (twin == outline.end())
          outline.push_back(edge);
        else
          outline.erase(twin);
      }
    }
    corners_.push_back(corner);
    for (const auto& [from, to] : outline) add({from, to, corners_.size() - 1});
    return true;
  }

  const DifferenceSupport& support_;
  std::vector<Vec3> corners_;
  std::vector<Facet> facets_;
  Real size_ = 0;
  Real least_reach_ = kInfinity;
};

}  // namespace

Real depth_in(const DifferenceSupport& support) { return GrowingPolytope(support).depth(); }

}  // namespace carom
