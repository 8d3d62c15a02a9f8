// A contact problem packed for sweeps: contacts grouped by pair of bodies, groups coloured so that no two of a colour share
// a body that moves, everything of a contact in one place, velocities scaled by the mass.
//
// With M⁻¹ = S Sᵀ and v = S v̂ the velocity update v += M⁻¹ Jᵀ j becomes v̂ += (J S)ᵀ j: one matrix serves both ways, which
// nearly halves what a sweep reads. Colours make sweeps parallel, and their order is the same on any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "carom/contact/problem.h"
#include "carom/contact/solution.h"
#include "carom/solvers/solver.h"

namespace carom {

/// Mass-scaled velocity of a body.
struct ScaledVelocity {
  Vec3 linear, angular;
};

struct PackedContact {
  Vec3 axis[3];          // normal and tangents
  Vec3 angular_a[3];     // −S_aᵀ (r_a × axis)
  Vec3 angular_b[3];     // S_bᵀ (r_b × axis)
  Vec3 bias;             // what kinematic bodies add to the contact's velocity, less its target
  Mat3 w;                // diagonal block of the Delassus operator
  Vec3 impulse;          // in the contact's frame
  Real mu = 0, mu_static = 0;
  Real restitution = 0;
  Vec3 bounce;           // part of the impulse that belongs to the bounce being worked on
  Real bounce_target = 0;
  Real tangent_step = 0; // 1 / largest eigenvalue of the tangential part of w
};

/// Contacts first … last − 1 of the packed array, all between the same two bodies.
struct ContactGroup {
  std::int32_t a = 0, b = 0;
  std::int32_t first = 0, last = 0;
  Real root_mass_a = 0, root_mass_b = 0;  // √(1/m); zero for what does not take impulses
};

class PackedProblem {
 public:
  void pack(const ContactProblem& problem, std::span<const Vec3> warm_impulses, ThreadPool* threads);
  /// Impulses into contact order and world axes; velocities recomputed from them.
  void unpack(const ContactProblem& problem, ContactSolution& solution) const;

  std::vector<PackedContact>& contacts() { return contacts_; }
  const std::vector<PackedContact>& contacts() const { return contacts_; }
  const std::vector<ScaledVelocity>& velocities() const { return velocities_; }
  const std::vector<ContactGroup>& groups() const { return groups_; }
  std::vector<ScaledVelocity>& velocities() { return velocities_; }
  const Mat3& root_inertia(std::int32_t body) const { return root_inertia_[static_cast<std::size_t>(body)]; }
  Real root_mass(std::int32_t body) const { return root_mass_[static_cast<std::size_t>(body)]; }

  /// Calls visit(group) for every group, colour by colour; groups of a colour may run at the same time. `visit` returns a
  /// number; the largest is returned.
  template <class Visit>
  Real sweep(ThreadPool* threads, Visit&& visit) {
    std::atomic<Real> largest{0};
    for (const Colour& colour : colours_) {
      // A colour that holds leftovers has groups that share bodies: it goes in order.
      ThreadPool* pool = colour.parallel ? threads : nullptr;
      const std::size_t first = colour.first;
      for_chunks(pool, colour.last - first, kGroupsPerChunk, [&](std::size_t begin, std::size_t end) {
        Real chunk_largest = 0;
        for (std::size_t g = begin; g < end; ++g) chunk_largest = std::max(chunk_largest, visit(groups_[first + g]));
        Real seen = largest.load(std::memory_order_relaxed);
        while (chunk_largest > seen && !largest.compare_exchange_weak(seen, chunk_largest, std::memory_order_relaxed)) {
        }
      });
    }
    return largest.load(std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t kGroupsPerChunk = 48;
  struct Colour {
    std::size_t first = 0, last = 0;  // groups
    bool parallel = true;
  };

  void pack_bodies(const ContactProblem& problem);
  void find_groups(const ContactProblem& problem);
  void colour_groups(const ContactProblem& problem);
  void pack_contact(const ContactProblem& problem, const ContactGroup& group, std::size_t source, PackedContact& packed) const;
  void apply_warm_impulses();

  std::vector<PackedContact> contacts_;
  std::vector<std::int32_t> source_;       // per packed contact: its index in the problem
  std::vector<ContactGroup> groups_;
  std::vector<Colour> colours_;
  std::vector<ScaledVelocity> velocities_;
  std::vector<Mat3> root_inertia_;         // S of each body's inverse inertia
  std::vector<Real> root_mass_;
  std::vector<ContactGroup> found_;        // groups in problem order, `first` and `last` into the problem's contacts
  std::vector<std::uint64_t> used_;        // per body: colours taken
  std::vector<std::uint8_t> colour_of_;    // per found group
};

/// A body pair's velocities while its contacts are worked on.
struct PairVelocity {
  ScaledVelocity a, b;

  /// The contact's velocity less its target, in its frame.
  Vec3 at(const PackedContact& c, const ContactGroup& g) const {
    const Vec3 d = g.root_mass_b * b.linear - g.root_mass_a * a.linear;
    return {dot(c.axis[0], d) + dot(c.angular_a[0], a.angular) + dot(c.angular_b[0], b.angular) + c.bias.x,
            dot(c.axis[1], d) + dot(c.angular_a[1], a.angular) + dot(c.angular_b[1], b.angular) + c.bias.y,
            dot(c.axis[2], d) + dot(c.angular_a[2], a.angular) + dot(c.angular_b[2], b.angular) + c.bias.z};
  }
  Real normal_at(const PackedContact& c, const ContactGroup& g) const {
    return dot(c.axis[0], g.root_mass_b * b.linear - g.root_mass_a * a.linear) + dot(c.angular_a[0], a.angular) +
           dot(c.angular_b[0], b.angular) + c.bias.x;
  }
  void add(const PackedContact& c, const ContactGroup& g, const Vec3& j) {
    const Vec3 p = j.x * c.axis[0] + j.y * c.axis[1] + j.z * c.axis[2];
    a.linear -= g.root_mass_a * p;
    b.linear += g.root_mass_b * p;
    a.angular += j.x * c.angular_a[0] + j.y * c.angular_a[1] + j.z * c.angular_a[2];
    b.angular += j.x * c.angular_b[0] + j.y * c.angular_b[1] + j.z * c.angular_b[2];
  }
};

inline PairVelocity load(const std::vector<ScaledVelocity>& v, const ContactGroup& g) {
  return {v[static_cast<std::size_t>(g.a)], v[static_cast<std::size_t>(g.b)]};
}
/// Bodies that do not take impulses are shared between groups of a colour, so they are not written.
inline void store(std::vector<ScaledVelocity>& v, const ContactGroup& g, const PairVelocity& pair) {
  if (g.root_mass_a > 0) v[static_cast<std::size_t>(g.a)] = pair.a;
  if (g.root_mass_b > 0) v[static_cast<std::size_t>(g.b)] = pair.b;
}

}  // namespace carom
