#include "solvers/hot_spots.h"

#include <algorithm>
#include <utility>

namespace carom {

bool HotSpots::find(const ConeSystem& system, std::span<const Vec3> impulses, Real threshold, int rings,
                    std::size_t most) {
  system.velocities_after(impulses, velocities_);
  is_chosen_.assign(system.contacts.size(), 0);
  is_touched_.assign(system.free_velocities.size(), 0);
  for (std::size_t i = 0; i < system.contacts.size(); ++i) {
    const ConeContact& c = system.contacts[i];
    is_chosen_[i] = coulomb_residual(c, impulses[i], ConeSystem::velocity(c, velocities_)) <= threshold ? 0 : 1;
  }
  for (int ring = 0; ring < rings; ++ring) grow(system);
  chosen_.clear();
  for (std::size_t i = 0; i < is_chosen_.size(); ++i)
    if (is_chosen_[i] != 0) chosen_.push_back(i);
  if (chosen_.empty() || chosen_.size() > most) return false;
  build(system, impulses);
  return true;
}

/// All contacts of bodies that have one.
void HotSpots::grow(const ConeSystem& system) {
  for (std::size_t i = 0; i < is_chosen_.size(); ++i)
    if (is_chosen_[i] != 0)
      for (const std::int32_t body : {system.contacts[i].a, system.contacts[i].b})
        if (body >= 0) is_touched_[static_cast<std::size_t>(body)] = 1;
  for (std::size_t i = 0; i < is_chosen_.size(); ++i)
    for (const std::int32_t body : {system.contacts[i].a, system.contacts[i].b})
      if (body >= 0 && is_touched_[static_cast<std::size_t>(body)] != 0) is_chosen_[i] = 1;
}

void HotSpots::build(const ConeSystem& system, std::span<const Vec3> impulses) {
  part_maker_.take(system, chosen_, part_);
  impulses_.clear();
  // What the others do to the bodies stays; their own impulses come off.
  for (std::size_t k = 0; k < chosen_.size(); ++k) {
    const ConeContact &c = part_.contacts[k], &original = system.contacts[chosen_[k]];
    for (const auto& [body, of_whole] : {std::pair{c.a, original.a}, std::pair{c.b, original.b}})
      if (body >= 0)
        part_.free_velocities[static_cast<std::size_t>(body)] = velocities_[static_cast<std::size_t>(of_whole)];
    impulses_.push_back(impulses[chosen_[k]]);
  }
  for (std::size_t k = 0; k < chosen_.size(); ++k)
    ConeSystem::add_impulse(part_.contacts[k], -impulses_[k], part_.free_velocities);
}

void HotSpots::put_back(std::span<const Vec3> found, std::span<Vec3> impulses) const {
  for (std::size_t k = 0; k < chosen_.size(); ++k) impulses[chosen_[k]] = found[k];
}

}  // namespace carom
