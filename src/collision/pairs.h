// Contact points between two shapes of any kinds.
//
// Separated shapes get points too, as far as `margin`: that is what lets the contact stage stop a body at a surface
// before it has passed it.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "collision/manifold.h"
#include "geometry/placed.h"

namespace carom {

/// The normal (from a to b) and all points whose gap is at most `margin`. Requires shapes that are not compounds;
/// `manifold.axis` is the hint that the last step's manifold holds (0: none). Two planes never touch.
void collide(const Placed& a, const Placed& b, Real margin, Manifold& manifold);

/// The same for any two shapes, compounds included: appends a manifold for each pair of parts that has points, in
/// ascending order of `Manifold::part`. `previous` are the manifolds of this pair in the last step, in the same order.
/// Bodies are left for the caller to name.
void collide_all(const Placed& a, const Placed& b, Real margin, std::span<const Manifold> previous,
                 std::vector<Manifold>& out);

/// Names of the kinds, in the order of `Shape::Geometry`.
inline constexpr std::array<std::string_view, std::variant_size_v<Shape::Geometry>> kKindNames = {
    "sphere", "box", "capsule", "plane", "cylinder", "cone", "ellipsoid", "hull", "compound"};

/// By which algorithm a pair of kinds (indices of `Shape::Geometry`) is treated.
std::string_view pair_algorithm(std::size_t kind_a, std::size_t kind_b);

}  // namespace carom
