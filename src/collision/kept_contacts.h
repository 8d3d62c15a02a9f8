// What detection keeps of contacts from step to step: those that were active in the last step, and those at rest.
//
// Contacts of which neither body is awake are taken out of the step and put aside, with everything that the step knew
// of them: points, names, how the bodies lay to each other, impulses. They cost nothing there. When one of the bodies
// is revived they come back as if they had been there in the step before.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "collision/broad_phase.h"
#include "collision/manifold.h"
#include "collision/recycle.h"

namespace carom {

/// Manifolds with what is remembered of them; the lists run side by side.
struct KeptContacts {
  using Pair = BroadPhase::Pair;

  std::vector<Manifold> manifolds;
  std::vector<Pair> pairs;                   // per manifold
  std::vector<ContactReference> references;  // per manifold
  std::vector<PointAnchor> anchors;          // per point, by `first_point`
  std::vector<Vec3> impulses;                // per point, N s: what the caller keeps with it
  std::int64_t reused = 0;

  void clear();
  void append(const KeptContacts& other);
  /// Numbers the points of all manifolds.
  void number_points();
  /// Appends manifold m with what is remembered of it; points keep their old numbers as their previous ones.
  void take_over(const KeptContacts& before, std::size_t m);
  /// Puts manifolds in the order of their pairs; points keep their numbers.
  void sort_by_pair();
  /// Drops the manifolds of a body; points keep their numbers.
  void forget(std::int32_t body);

  void save(ByteWriter& out) const;
  /// False where the bytes cannot be what `save` wrote for that many bodies.
  bool restore(ByteReader& in, std::size_t bodies);
};

/// Contacts put aside, listed by body.
class RestingContacts {
 public:
  RestingContacts() = default;
  // Lists point into the entries.
  RestingContacts(const RestingContacts&) = delete;
  RestingContacts& operator=(const RestingContacts&) = delete;
  RestingContacts(RestingContacts&&) = default;
  RestingContacts& operator=(RestingContacts&&) = default;
  ~RestingContacts() = default;

  std::size_t size() const { return entries_.size() - free_.size(); }
  /// Takes the contacts; those of one pair must come in a row, and none of the pair may be here already.
  void add(const KeptContacts& contacts);
  /// Appends the contacts of a body to those given, sorted by pair, and drops them here.
  void move_to(std::int32_t body, KeptContacts& contacts);
  void forget(std::int32_t body);
  void clear();

  /// Sorted by pair. Pointers are valid until the next change.
  void of(std::int32_t body, std::vector<const Manifold*>& out) const;
  std::span<const Manifold* const> all();

  /// In the order of pairs.
  void gather(KeptContacts& out) const;

 private:
  /// A link stands for one of the two bodies of an entry: twice the entry, plus one for the second body.
  using Link = std::int32_t;
  static constexpr Link kNone = -1;

  struct Entry {
    Manifold manifold;
    BroadPhase::Pair pair;
    std::int32_t part = 0;  // place in the row of the pair's manifolds
    ContactReference reference;
    std::array<PointAnchor, Manifold::kMaxPoints> anchors;
    std::array<Vec3, Manifold::kMaxPoints> impulses;
    std::array<Link, 2> next{kNone, kNone}, last{kNone, kNone};
    bool used = false;
  };

  Entry& entry_of(Link link) { return entries_[static_cast<std::size_t>(link / 2)]; }
  const Entry& entry_of(Link link) const { return entries_[static_cast<std::size_t>(link / 2)]; }
  static std::size_t side(Link link) { return static_cast<std::size_t>(link % 2); }
  void link(Link link, std::int32_t body);
  void unlink(Link link, std::int32_t body);
  void drop(std::int32_t entry);
  /// Entries of a body, sorted.
  void list(std::int32_t body, std::vector<std::int32_t>& out) const;
  void list_all(std::vector<std::int32_t>& out) const;
  void sort(std::vector<std::int32_t>& entries) const;
  void append_to(const Entry& entry, KeptContacts& contacts) const;

  std::vector<Entry> entries_;
  std::vector<std::int32_t> free_;
  std::vector<Link> first_;  // per body
  std::vector<const Manifold*> all_;
  bool listed_ = true;  // all_ is up to date
};

}  // namespace carom
