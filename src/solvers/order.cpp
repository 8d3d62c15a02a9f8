#include "solvers/order.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "carom/base/error.h"
#include "solvers/contact_graph.h"

namespace carom {
namespace {

/// For each group the smallest key of its contacts.
template <class Key>
std::vector<Real> smallest_keys(const PackedProblem& packed, Key&& key) {
  std::vector<Real> keys;
  for (std::size_t g = 0; g < packed.groups.size(); ++g) {
    const ContactGroup& range = packed.schedule.groups()[g];
    Real smallest = std::numeric_limits<Real>::infinity();
    for (auto k = static_cast<std::size_t>(range.first); k < static_cast<std::size_t>(range.last); ++k)
      smallest = std::min(smallest, key(g, k));
    keys.push_back(smallest);
  }
  return keys;
}

std::vector<Real> keys_of(SweepOrder order, const ContactProblem& problem, const PackedProblem& packed) {
  const auto source = [&](std::size_t k) { return static_cast<std::size_t>(packed.schedule.source()[k]); };
  if (order == SweepOrder::Velocity) {
    return smallest_keys(packed, [&](std::size_t group, std::size_t k) {
      return PairVelocity(packed, group).along(packed.contacts[k], 0);
    });
  }
  if (order == SweepOrder::Gravity) {
    const std::vector<Real> heights = contact_heights(problem, up_direction(problem));
    return smallest_keys(packed, [&](std::size_t, std::size_t k) { return heights[source(k)]; });
  }
  const ContactLevels levels = contact_levels(problem);
  return smallest_keys(
      packed, [&](std::size_t, std::size_t k) { return static_cast<Real>(levels.of(problem.contacts[source(k)])); });
}

}  // namespace

SweepOrder sweep_order(std::string_view name) {
  if (name == "gravity") return SweepOrder::Gravity;
  if (name == "velocity") return SweepOrder::Velocity;
  if (name == "level") return SweepOrder::Level;
  require(name == "found", "sweep_order: no order of that name");
  return SweepOrder::Found;
}

std::vector<std::size_t> ordered_groups(SweepOrder order, const ContactProblem& problem, const PackedProblem& packed) {
  std::vector<std::size_t> groups(packed.groups.size());
  std::iota(groups.begin(), groups.end(), std::size_t{0});
  if (order == SweepOrder::Found) return groups;
  const std::vector<Real> keys = keys_of(order, problem, packed);
  std::stable_sort(groups.begin(), groups.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  return groups;
}

}  // namespace carom
