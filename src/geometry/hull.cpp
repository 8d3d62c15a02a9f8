// C. B. Barber, D. P. Dobkin, H. Huhdanpaa, "The Quickhull algorithm for convex hulls", ACM TOMS 22, 1996, through
// Qhull's reentrant C library; this file is the only one that knows it.
//
// The points are moved to the origin and scaled to size 1 first, so that Qhull's tolerances mean the same everywhere.
// Qhull merges facets whose centres do not lie clearly below each other's planes ("C-n", n = kFlat) as it goes; merging
// at the end alone ("Cn") was tried and leaves nearly flat pairs. What comes back is checked: a closed surface with
// Euler's characteristic, and corners in their faces' planes. Qhull's triangulated output ("Qt") is not used: where
// facets were merged it may hold triangles without area.
#include "geometry/hull.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "carom/geometry/shape.h"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace carom {
namespace {

using Loops = std::vector<std::vector<std::int32_t>>;
using HullResult = Result<std::shared_ptr<const Polyhedron>>;

/// Sizes whose fourth power neither overflows nor vanishes, m: areas are squared.
constexpr Real kLargest = 1e60;

/// The points about the middle of their box, in units of its largest width.
struct Scaled {
  std::vector<Vec3> points;
  Real flat = 0;  // what is flat, in the same units
};

struct Extent {
  Vec3 middle;
  Real size = 0, farthest = 0;  // the largest width, and the largest coordinate
};

Extent extent_of(std::span<const Vec3> points) {
  Vec3 low = points[0], high = points[0];
  for (const Vec3& p : points)
    for (int i = 0; i < 3; ++i) low[i] = std::min(low[i], p[i]), high[i] = std::max(high[i], p[i]);
  Extent extent;
  extent.middle = 0.5 * low + 0.5 * high;
  for (int i = 0; i < 3; ++i) {
    extent.size = std::max(extent.size, high[i] - low[i]);
    extent.farthest = std::max({extent.farthest, std::abs(low[i]), std::abs(high[i])});
  }
  return extent;
}

template <class Measure>
std::size_t farthest(const std::vector<Vec3>& points, Measure&& measure) {
  std::size_t best = 0;
  Real most = -1;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (const Real value = measure(points[i]); value > most) most = value, best = i;
  return best;
}

/// What keeps the points from having a volume; empty where they have one.
std::string flatness(const std::vector<Vec3>& points) {
  const Vec3 a = points[farthest(points, [](const Vec3& p) { return squared_norm(p); })];
  const Vec3 b = points[farthest(points, [&](const Vec3& p) { return squared_norm(p - a); })];
  const Vec3 along = normalized(b - a);
  const auto off_line = [&](const Vec3& p) { return squared_norm(cross(p - a, along)); };
  const Vec3 c = points[farthest(points, off_line)];
  if (std::sqrt(off_line(c)) <= kThinnest) return "points that lie on a line";
  const Vec3 normal = normalized(cross(along, c - a));
  const auto off_plane = [&](const Vec3& p) { return std::abs(dot(p - a, normal)); };
  if (off_plane(points[farthest(points, off_plane)]) <= kThinnest) return "points that lie in a plane";
  return {};
}

/// Qhull's memory and messages, given back at the end.
class QhullRun {
 public:
  QhullRun() { qh_zero(&qh_, messages_); }
  ~QhullRun() {
    qh_freeqhull(&qh_, !qh_ALL);
    int long_left = 0, bytes_left = 0;
    qh_memfreeshort(&qh_, &long_left, &bytes_left);
    if (messages_ != nullptr) std::fclose(messages_);
    std::free(text_);
  }
  QhullRun(const QhullRun&) = delete;
  QhullRun& operator=(const QhullRun&) = delete;

  /// False where Qhull gives up.
  bool run(const std::vector<Vec3>& points, Real flat) {
    if (messages_ == nullptr) return false;
    static_assert(sizeof(Vec3) == 3 * sizeof(coordT));
    coordinates_.reserve(3 * points.size());
    for (const Vec3& p : points) coordinates_.insert(coordinates_.end(), {p.x, p.y, p.z});
    std::array<char, 100> command{};
    std::snprintf(command.data(), command.size(), "qhull Pp C-%.3g TA%zu", flat, Shape::kMostCorners + 2);
    return qh_new_qhull(&qh_, 3, static_cast<int>(points.size()), coordinates_.data(), False, command.data(), nullptr,
                        messages_) == 0;
  }

  std::size_t vertex_count() const { return static_cast<std::size_t>(qh_.num_vertices); }

  /// The facets as loops of point numbers. Qhull reports its own errors by jumping out: nothing in this function may
  /// need destruction.
  bool collect(Loops& loops) {
    const int failed = setjmp(qh_.errexit);
    if (failed == 0) {
      qh_.NOerrexit = False;
      for (facetT* facet = qh_.facet_list; facet != nullptr && facet->next != nullptr; facet = facet->next)
        append_loop(facet, loops);
    }
    qh_.NOerrexit = True;
    return failed == 0;
  }

 private:
  void append_loop(facetT* facet, Loops& loops) {
    setT* vertices = qh_facet3vertex(&qh_, facet);
    loops.emplace_back();
    for (void** at = reinterpret_cast<void**>(&vertices->e[0].p); *at != nullptr; ++at)
      loops.back().push_back(qh_pointid(&qh_, static_cast<vertexT*>(*at)->point));
    qh_settempfree(&qh_, &vertices);
    orient(facet, loops.back());
  }

  /// Counter-clockwise seen from outside.
  void orient(const facetT* facet, std::vector<std::int32_t>& loop) const {
    const auto at = [&](std::size_t k) {
      const coordT* p = coordinates_.data() + 3 * static_cast<std::size_t>(loop[k]);
      return Vec3{p[0], p[1], p[2]};
    };
    Vec3 area;
    for (std::size_t k = 1; k + 1 < loop.size(); ++k) area += cross(at(k) - at(0), at(k + 1) - at(0));
    if (dot(area, {facet->normal[0], facet->normal[1], facet->normal[2]}) < 0) std::reverse(loop.begin(), loop.end());
  }

  char* text_ = nullptr;
  std::size_t text_size_ = 0;
  std::FILE* messages_ = open_memstream(&text_, &text_size_);
  std::vector<coordT> coordinates_;
  qhT qh_{};
};

/// Where facets were merged a vertex may be left between two faces, on a straight edge, and a face with two corners.
void drop_straight_corners(Loops& loops, std::size_t point_count) {
  std::vector<std::int32_t> uses(point_count);
  for (bool changed = true; changed;) {
    std::fill(uses.begin(), uses.end(), 0);
    for (const auto& loop : loops)
      for (const std::int32_t v : loop) ++uses[static_cast<std::size_t>(v)];
    std::size_t dropped = 0;
    for (auto& loop : loops)
      dropped += std::erase_if(loop, [&](std::int32_t v) { return uses[static_cast<std::size_t>(v)] < 3; });
    dropped += std::erase_if(loops, [](const auto& loop) { return loop.size() < 3; });
    changed = dropped > 0;
  }
}

/// The points that are used, in their order, and loops of their new numbers.
std::vector<Vec3> renumber(std::span<const Vec3> points, Loops& loops) {
  std::vector<std::int32_t> numbers(points.size(), -1);
  for (const auto& loop : loops)
    for (const std::int32_t v : loop) numbers[static_cast<std::size_t>(v)] = 0;
  std::vector<Vec3> vertices;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (numbers[i] < 0) continue;
    numbers[i] = static_cast<std::int32_t>(vertices.size());
    vertices.push_back(points[i]);
  }
  for (auto& loop : loops)
    for (std::int32_t& v : loop) v = numbers[static_cast<std::size_t>(v)];
  return vertices;
}

/// No vertex of a face may lie deeper below it than `tolerance`; none lies above, since faces are raised to the
/// highest.
bool is_flat(const Polyhedron& hull, Real tolerance) {
  for (std::int32_t f = 0; f < static_cast<std::int32_t>(hull.faces().size()); ++f) {
    const Polyhedron::Face& face = hull.faces()[static_cast<std::size_t>(f)];
    for (const std::int32_t v : hull.face_vertices(f))
      if (face.offset - dot(face.normal, hull.vertices()[static_cast<std::size_t>(v)]) > tolerance) return false;
  }
  return true;
}

HullResult refuse(const std::string& found, const std::string& expected) {
  return HullResult::failure("found " + found + ", expected " + expected);
}

}  // namespace

HullResult make_hull(std::span<const Vec3> points) {
  const std::string volume = "finite points that span a volume";
  if (points.size() < 4) return refuse(std::to_string(points.size()) + " points", "at least four that span a volume");
  if (points.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()) / 4)
    return refuse(std::to_string(points.size()) + " points", "fewer than 500 million");
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!(dot(points[i], points[i]) <= kLargest * kLargest))
      return refuse("a point that is not finite, or too far out, at index " + std::to_string(i), volume);

  const Extent extent = extent_of(points);
  // Coordinates far from the origin carry their rounding with them.
  const Real rounding = std::numeric_limits<Real>::epsilon() * extent.farthest;
  if (!(extent.size > std::max(rounding / kThinnest, 1 / kLargest))) return refuse("points that coincide", volume);
  Scaled scaled;
  scaled.points.reserve(points.size());
  for (const Vec3& p : points) scaled.points.push_back((p - extent.middle) / extent.size);
  scaled.flat = std::max(kFlat, 4 * rounding / extent.size);
  if (const std::string found = flatness(scaled.points); !found.empty()) return refuse(found, volume);

  // Noise of the size of the tolerance leaves slivers whose planes tilt; a coarser view of the same points merges them.
  for (const Real coarser : {1.0, 10.0, 100.0, 1e3, 1e4}) {
    QhullRun qhull;
    const bool built = qhull.run(scaled.points, coarser * scaled.flat);
    if (built && qhull.vertex_count() > Shape::kMostCorners)
      return refuse("a hull with more than " + std::to_string(Shape::kMostCorners) + " corners", "a simpler hull");
    Loops loops;
    if (!built || !qhull.collect(loops)) continue;
    drop_straight_corners(loops, points.size());
    std::vector<Vec3> vertices = renumber(points, loops);
    HullResult hull = Polyhedron::make(std::move(vertices), loops);
    if (hull && is_flat(*hull.value(), 4 * coarser * scaled.flat * extent.size)) return hull;
  }
  return refuse("points whose hull rounding leaves undecided", volume);
}

}  // namespace carom
