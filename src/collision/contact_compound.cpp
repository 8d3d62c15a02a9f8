// Compounds: the contacts of every pair of parts whose boxes meet.
#include <algorithm>

#include "carom/base/error.h"
#include "collision/pairs.h"
#include "geometry/bounds.h"

namespace carom {
namespace {

const std::vector<CompoundPart>* parts_of(const Placed& shape) {
  const auto* compound = std::get_if<Compound>(shape.geometry);
  return compound != nullptr ? compound->parts.get() : nullptr;
}

std::size_t part_count(const Placed& shape) {
  const std::vector<CompoundPart>* parts = parts_of(shape);
  return parts != nullptr ? parts->size() : 1;
}

/// A part where it is in the world; a shape that is no compound is its own only part.
Placed part_of(const Placed& shape, std::size_t index) {
  const std::vector<CompoundPart>* parts = parts_of(shape);
  if (parts == nullptr) return shape;
  const CompoundPart& part = (*parts)[index];
  return {&part.shape->geometry(), shape.position + shape.rotation * part.pose.position,
          shape.rotation * to_matrix(part.pose.orientation)};
}

/// The box round a shape, grown by the margin; planes have none and are never ruled out.
class Region {
 public:
  Region(const Placed& shape, Real margin) : everywhere_(std::holds_alternative<Plane>(*shape.geometry)) {
    if (!everywhere_) box_ = bounds(*shape.geometry, shape.position, shape.rotation).swept({}, std::max(margin, 0.0));
  }
  bool meets(const Region& o) const { return everywhere_ || o.everywhere_ || box_.overlaps(o.box_); }

 private:
  bool everywhere_;
  Aabb box_;
};

/// Finds the manifold of a pair of parts in a list in ascending order; each search goes on from the last.
class PreviousManifolds {
 public:
  explicit PreviousManifolds(std::span<const Manifold> list) : list_(list) {}
  std::uint8_t axis(std::uint32_t part) {
    while (next_ < list_.size() && list_[next_].part < part) ++next_;
    return next_ < list_.size() && list_[next_].part == part ? list_[next_].axis : std::uint8_t{0};
  }

 private:
  std::span<const Manifold> list_;
  std::size_t next_ = 0;
};

}  // namespace

void collide_all(const Placed& a, const Placed& b, Real margin, std::span<const Manifold> previous,
                 std::vector<Manifold>& out) {
  constexpr std::size_t kMostParts = 1U << 16;
  const std::size_t count_a = part_count(a), count_b = part_count(b);
  require(count_a <= kMostParts && count_b <= kMostParts, "collide_all: a compound has at most 65536 parts");
  PreviousManifolds before(previous);
  const auto collide_parts = [&](const Placed& pa, const Placed& pb, std::uint32_t part) {
    Manifold& manifold = out.emplace_back();
    manifold.part = part;
    manifold.axis = before.axis(part);
    collide(pa, pb, margin, manifold);
    if (manifold.count == 0) out.pop_back();
  };
  if (count_a == 1 && count_b == 1) {
    collide_parts(part_of(a, 0), part_of(b, 0), 0);
    return;
  }
  const Region all_b(b, margin);
  for (std::size_t i = 0; i < count_a; ++i) {
    const Placed pa = part_of(a, i);
    const Region region(pa, margin);
    if (!region.meets(all_b)) continue;
    for (std::size_t k = 0; k < count_b; ++k) {
      const Placed pb = part_of(b, k);
      if (region.meets(Region(pb, 0))) collide_parts(pa, pb, static_cast<std::uint32_t>(i << 16 | k));
    }
  }
}

}  // namespace carom
