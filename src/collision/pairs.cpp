// Which function finds the contacts of which pair of kinds: one table, read by the dispatch, the tests and the manual.
#include "collision/pairs.h"

#include "carom/base/error.h"
#include "collision/contact_pairs.h"

namespace carom {
namespace {

using Collider = void (*)(const Placed&, const Placed&, Real, Manifold&);

struct Route {
  std::string_view algorithm;
  Collider collide = nullptr;  // null: never any contacts
  bool swap = false;           // it takes the kinds in the other order
};

constexpr std::size_t kKinds = kKindNames.size();
constexpr std::size_t kSphere = 0, kBox = 1, kCapsule = 2, kPlane = 3, kCylinder = 4, kCone = 5, kEllipsoid = 6,
                      kCompound = 8;

struct Table {
  std::array<std::array<Route, kKinds>, kKinds> routes;

  constexpr void set(std::size_t a, std::size_t b, std::string_view algorithm, Collider collide) {
    routes[b][a] = {algorithm, collide, true};
    routes[a][b] = {algorithm, collide, false};
  }
};

constexpr Table make_table() {
  Table table;
  for (std::size_t a = 0; a < kKinds; ++a)
    for (std::size_t b = a; b < kKinds; ++b) table.set(a, b, "distance-patches", convex_convex);
  for (std::size_t b = 0; b < kKinds; ++b) table.set(kPlane, b, "support", plane_any);
  table.set(kPlane, kPlane, "none", nullptr);
  table.set(kSphere, kSphere, "centres", sphere_sphere);
  table.set(kSphere, kCapsule, "point-segment", sphere_capsule);
  for (const std::size_t b : {kBox, kCylinder, kCone, kEllipsoid})
    table.set(kSphere, b, "point-surface", sphere_surface);
  table.set(kBox, kBox, "axes-clip", box_box);
  for (std::size_t b = 0; b < kKinds; ++b) table.set(kCompound, b, "parts", nullptr);
  return table;
}

constexpr Table kTable = make_table();

}  // namespace

void collide(const Placed& a, const Placed& b, Real margin, Manifold& manifold) {
  require(a.geometry->index() != kCompound && b.geometry->index() != kCompound, "collide: compounds need collide_all");
  manifold.count = 0;
  const Route& route = kTable.routes[a.geometry->index()][b.geometry->index()];
  if (route.collide == nullptr) return;
  if (!route.swap) {
    route.collide(a, b, margin, manifold);
  } else {
    route.collide(b, a, margin, manifold);
    manifold.normal = -manifold.normal;
  }
}

std::string_view pair_algorithm(std::size_t kind_a, std::size_t kind_b) {
  require(kind_a < kKinds && kind_b < kKinds, "pair_algorithm: no such kind");
  return kTable.routes[kind_a][kind_b].algorithm;
}

}  // namespace carom
