#include "solvers/hot_spots.h"

#include <algorithm>

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
  part_.contacts.clear();
  part_.free_velocities.clear();
  part_.scales.clear();
  part_.body.clear();
  part_.reference_velocity = system.reference_velocity;
  impulses_.clear();
  number_.assign(system.free_velocities.size(), -1);
  const auto number = [&](std::int32_t body) {
    if (body < 0) return body;
    const auto i = static_cast<std::size_t>(body);
    if (number_[i] < 0) {
      number_[i] = static_cast<std::int32_t>(part_.body.size());
      part_.body.push_back(system.body[i]);
      part_.scales.push_back(system.scales[i]);
      part_.free_velocities.push_back(velocities_[i]);
    }
    return number_[i];
  };
  for (const std::size_t i : chosen_) {
    ConeContact& c = part_.contacts.emplace_back(system.contacts[i]);
    c.a = number(c.a);
    c.b = number(c.b);
    impulses_.push_back(impulses[i]);
  }
  // What the others do to the bodies stays; their own impulses come off.
  for (std::size_t k = 0; k < chosen_.size(); ++k)
    ConeSystem::add_impulse(part_.contacts[k], -impulses_[k], part_.free_velocities);
}

void HotSpots::put_back(std::span<const Vec3> found, std::span<Vec3> impulses) const {
  for (std::size_t k = 0; k < chosen_.size(); ++k) impulses[chosen_[k]] = found[k];
}

}  // namespace carom
