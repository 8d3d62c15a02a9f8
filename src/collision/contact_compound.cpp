// Compounds: the contacts of every pair of parts whose boxes meet.
#include <algorithm>
#include <array>

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
  Region() = default;
  Region(const Placed& shape, Real margin) : everywhere_(std::holds_alternative<Plane>(*shape.geometry)) {
    if (!everywhere_) box_ = bounds(*shape.geometry, shape.position, shape.rotation).swept({}, std::max(margin, 0.0));
  }
  bool meets(const Region& o) const { return everywhere_ || o.everywhere_ || box_.overlaps(o.box_); }

 private:
  bool everywhere_ = false;
  Aabb box_;
};

/// The parts of a shape that come near another, in order. The first of them are remembered where they are; if there are
/// more, these are placed anew each time.
class NearParts {
 public:
  NearParts(const Placed& shape, const Region& other) : shape_(shape) {
    for (; rest_ < part_count(shape) && known_ < kMostKnown; ++rest_) {
      Entry& entry = list_[known_];
      entry = {part_of(shape, rest_), {}, rest_};
      entry.region = Region(entry.part, 0);
      if (entry.region.meets(other)) ++known_;
    }
  }

  /// Calls visit(part, index) for the parts that meet a region.
  template <class Visit>
  void visit(const Region& region, Visit&& visit) const {
    for (std::size_t i = 0; i < known_; ++i)
      if (list_[i].region.meets(region)) visit(list_[i].part, list_[i].index);
    for (std::size_t i = rest_; i < part_count(shape_); ++i) {
      const Placed part = part_of(shape_, i);
      if (Region(part, 0).meets(region)) visit(part, i);
    }
  }

 private:
  static constexpr std::size_t kMostKnown = 32;
  struct Entry {
    Placed part;
    Region region;
    std::size_t index = 0;
  };

  const Placed& shape_;
  std::array<Entry, kMostKnown> list_;
  std::size_t known_ = 0, rest_ = 0;
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
  static_assert(Shape::kMostParts <= 1U << 16, "two parts are named by 16 bits each");
  const std::size_t count_a = part_count(a), count_b = part_count(b);
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
  const Region all_b(b, 0);
  const NearParts near_b(b, Region(a, margin));
  for (std::size_t i = 0; i < count_a; ++i) {
    const Placed pa = part_of(a, i);
    const Region region(pa, margin);
    if (!region.meets(all_b)) continue;
    near_b.visit(region, [&](const Placed& pb, std::size_t k) {
      collide_parts(pa, pb, static_cast<std::uint32_t>(i << 16 | k));
    });
  }
}

}  // namespace carom
