#include "solvers/cone_islands.h"

#include <numeric>

namespace carom {

void ConeIslands::find(const ConeSystem& system) {
  parent_.resize(system.free_velocities.size());
  std::iota(parent_.begin(), parent_.end(), 0);
  for (const ConeContact& c : system.contacts)
    if (c.a >= 0 && c.b >= 0) parent_[root(c.a)] = static_cast<std::int32_t>(root(c.b));

  island_.assign(parent_.size(), -1);
  firsts_.assign(1, 0);
  const auto island_of = [this](const ConeContact& c) -> std::int32_t& { return island_[root(c.a >= 0 ? c.a : c.b)]; };
  for (const ConeContact& c : system.contacts) {
    std::int32_t& island = island_of(c);
    if (island < 0) {
      island = static_cast<std::int32_t>(count());
      firsts_.push_back(0);
    }
    ++firsts_[static_cast<std::size_t>(island) + 1];
  }
  std::partial_sum(firsts_.begin(), firsts_.end(), firsts_.begin());
  members_.resize(system.contacts.size());
  // Each first moves up to the end of its island while that fills, which is where the next one begins.
  for (std::size_t i = 0; i < system.contacts.size(); ++i)
    members_[firsts_[static_cast<std::size_t>(island_of(system.contacts[i]))]++] = i;
  for (std::size_t island = count(); island > 0; --island) firsts_[island] = firsts_[island - 1];
  firsts_[0] = 0;
}

void ConeIslands::take_whole(const ConeSystem& system) {
  members_.resize(system.contacts.size());
  std::iota(members_.begin(), members_.end(), std::size_t{0});
  firsts_.assign(1, 0);
  if (!members_.empty()) firsts_.push_back(members_.size());
}

std::size_t ConeIslands::root(std::int32_t body) {
  auto i = static_cast<std::size_t>(body);
  while (parent_[i] != static_cast<std::int32_t>(i)) {
    parent_[i] = parent_[static_cast<std::size_t>(parent_[i])];
    i = static_cast<std::size_t>(parent_[i]);
  }
  return i;
}

void SystemPart::take(const ConeSystem& whole, std::span<const std::size_t> chosen, ConeSystem& part) {
  part.contacts.clear();
  part.free_velocities.clear();
  part.scales.clear();
  part.body.clear();
  part.reference_velocity = whole.reference_velocity;
  number_.resize(whole.free_velocities.size(), -1);
  taken_.clear();
  const auto number = [&](std::int32_t body) {
    if (body < 0) return body;
    const auto i = static_cast<std::size_t>(body);
    if (number_[i] < 0) {
      number_[i] = static_cast<std::int32_t>(taken_.size());
      taken_.push_back(body);
      part.body.push_back(whole.body[i]);
      part.scales.push_back(whole.scales[i]);
      part.free_velocities.push_back(whole.free_velocities[i]);
    }
    return number_[i];
  };
  for (const std::size_t i : chosen) {
    ConeContact& c = part.contacts.emplace_back(whole.contacts[i]);
    c.a = number(c.a);
    c.b = number(c.b);
  }
  for (const std::int32_t body : taken_) number_[static_cast<std::size_t>(body)] = -1;
}

}  // namespace carom
