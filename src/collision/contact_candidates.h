// Contact points before the choice of those that a manifold keeps.
#pragma once

#include <array>

#include "collision/manifold.h"

namespace carom {

class ContactCandidates {
 public:
  static constexpr int kCapacity = 96;

  struct Candidate {
    Vec3 point;
    Real gap = 0;
    std::uint16_t name = 0;
  };

  /// Points come in the order of importance: one for which there is no room is left out. Names of 16 bits may coincide
  /// though the points differ; the later one is then called by the next name that is free.
  void add(const Vec3& point, Real gap, std::uint16_t name) {
    if (count_ == kCapacity) return;
    while (has(name)) ++name;
    list_[static_cast<std::size_t>(count_++)] = {point, gap, name};
  }
  bool has(std::uint16_t name) const {
    for (int i = 0; i < count_; ++i)
      if (list_[static_cast<std::size_t>(i)].name == name) return true;
    return false;
  }
  /// A point nearer than `distance` to this one.
  bool has_near(const Vec3& point, Real distance) const {
    for (int i = 0; i < count_; ++i)
      if (squared_norm(list_[static_cast<std::size_t>(i)].point - point) < distance * distance) return true;
    return false;
  }

  int count() const { return count_; }
  const Candidate& operator[](int i) const { return list_[static_cast<std::size_t>(i)]; }
  Real least_gap() const;

  /// Adds at most Manifold::kMaxPoints of them to the manifold, whose normal is set: all where they fit. Otherwise the
  /// deepest, those that reach farthest in eight directions across the normal (`across` is one of them), and of the
  /// rest the deepest. A point that is higher by some gap has to reach eight times that much farther, so that what
  /// touches goes before what may touch later.
  void choose(const Vec3& across, Manifold& manifold) const;

 private:
  std::array<Candidate, kCapacity> list_;
  int count_ = 0;
};

}  // namespace carom
