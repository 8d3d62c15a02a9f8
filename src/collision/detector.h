// Detection: broad phase, narrow phase, and manifolds that persist from step to step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/thread_pool.h"
#include "collision/broad_phase.h"
#include "collision/kept_contacts.h"
#include "collision/manifold.h"
#include "collision/pairs.h"

namespace carom {

/// A body as detection sees it.
struct Proxy {
  const Shape::Geometry* geometry = nullptr;  ///< null: no body here
  Vec3 position;                              ///< of the shape's frame
  Mat3 rotation;
  Vec3 sweep;                  ///< m: the motion of the coming step, as far as it is known
  Real reach = 0;              ///< m: what the surface may move beyond the sweep (turning, being hit, a base margin)
  bool bounded = true;         ///< false for planes
  bool moves = false;          ///< false: never pairs with another that does not move
  bool dynamic = false;        ///< takes impulses; a pair needs at least one that does
  std::uint64_t category = 1;  ///< as in PairRole
  std::uint64_t mask = ~std::uint64_t{0};

  Placed placed() const { return {geometry, position, rotation}; }
};

/// What the last `detect` did.
struct DetectionCounts {
  std::int64_t pairs = 0;      ///< pairs of bodies that the narrow phase looked at
  std::int64_t manifolds = 0;  ///< with points
  std::int64_t reused = 0;     ///< of those, manifolds whose points followed their bodies without a new search
  double broad_seconds = 0;    ///< wall time of the broad phase
  double narrow_seconds = 0;   ///< wall time of the narrow phase, persistence included
};

/// Bodies are known by their slots. Those that move and are not frozen are awake: the caller brings their proxies up to
/// date before each detection and lists them. All others (fixed, or frozen) are given once and again when they change,
/// and cost nothing in between.
class Detector {
 public:
  /// To be written to: geometry, pose, sweep and reach of a body that is awake.
  Proxy& proxy(std::int32_t body);
  /// A body that is not awake, new or changed.
  void set(std::int32_t body, const Proxy& proxy);
  /// Forgets the body and its contacts.
  void remove(std::int32_t body);

  /// The body stays where its proxy is. From the next detection on, contacts with others that are not awake are at
  /// rest: listed by `resting`, and found no more.
  void freeze(std::int32_t body);
  /// The body is awake again, at once: its contacts at rest become active and are returned, appended to `manifolds()`,
  /// with the impulses that they had; their points are numbered on from the last. Earlier spans are no longer valid.
  std::span<const Manifold> revive(std::int32_t body);
  bool is_frozen(std::int32_t body) const {
    return static_cast<std::size_t>(body) < frozen_.size() && frozen_[static_cast<std::size_t>(body)] != 0;
  }

  /// Contacts that exist or may come to exist within the sweeps, of pairs with a body that is awake, in an order that
  /// depends on body indices alone. A pair of bodies has one manifold, or several in a row where a compound is in it.
  /// `awake` are all bodies that are, ascending. The result is valid until the next call, or the next `revive`.
  std::span<const Manifold> detect(std::span<const std::int32_t> awake, ThreadPool* threads);
  /// The same of all bodies given, none of them frozen.
  std::span<const Manifold> detect(std::span<const Proxy> proxies, ThreadPool* threads);
  std::span<const Manifold> manifolds() const { return now_.manifolds; }
  /// Points of `manifolds()`, numbered by their `first_point` on.
  std::size_t point_count() const { return now_.anchors.size(); }
  /// Per point, for the caller to keep impulses in: a detection carries them over to the points of the same names, and
  /// new points have zeros.
  std::span<Vec3> impulses() { return now_.impulses; }
  const DetectionCounts& counts() const { return counts_; }

  /// Normal, points and gaps that `manifolds()[index]` has with its bodies placed elsewhere, a little way off: corners
  /// and balls follow their bodies, points of other round surfaces are searched for. False where some are not found.
  bool manifold_at(std::int32_t index, const Placed& a, const Placed& b, Manifold& out) const;

  /// Contacts of a body at rest, sorted by pair; pointers are valid until the next change.
  void resting_of(std::int32_t body, std::vector<const Manifold*>& out) const { resting_.of(body, out); }
  /// All contacts at rest, sorted by pair.
  std::span<const Manifold* const> resting() { return resting_.all(); }

  /// Overlaps deeper than `depth` at the poses that the proxies of bodies that are awake have now, of pairs in which a
  /// body has moved there (sweep and reach) by more than `least_motion`. Points have no history, and `manifolds()`
  /// stays as it is. Requires a `detect` of these bodies; some may have been revived since.
  std::span<const Manifold> detect_overlaps(std::span<const std::int32_t> awake, Real least_motion, Real depth,
                                            ThreadPool* threads);
  /// The same of all bodies given to `detect`, none of them frozen.
  std::span<const Manifold> detect_overlaps(std::span<const Proxy> moved, Real least_motion, Real depth,
                                            ThreadPool* threads);
  /// Bodies that are not awake, may touch this one, and whose boxes overlap `box`: calls visit(other).
  template <class Visit>
  void for_each_still(std::int32_t body, const Aabb& box, Visit&& visit) const {
    const auto accept = [&](std::int32_t other) { return !is_awake(other) && may_pair(role(body), role(other)); };
    broad_.for_each_in(box, accept, visit);
  }

  /// Before a `detect` of all bodies: one that does not move was added, removed or placed anew.
  void fixed_bodies_changed() { fixed_changed_ = true; }
  /// Contacts of this body are new in the next step.
  void forget(std::int32_t body);
  /// Contacts of all bodies are new in the next step.
  void clear();

  /// What the next detection takes from this one: who is frozen, contacts active and at rest with their names,
  /// preferred axes and impulses, and where the points sit on their bodies.
  void save(ByteWriter& out) const;
  /// Requires a new detector of the same bodies. All of them have to be given anew after it, frozen ones by `set`.
  /// False, and nothing changed, where the bytes cannot be what `save` wrote.
  bool restore(ByteReader& in, std::size_t bodies);

 private:
  using Pair = BroadPhase::Pair;
  /// Pairs for the narrow phase, sorted.
  struct PairList {
    std::vector<Pair> pairs;
    std::vector<std::size_t> previous;  // per pair: the first of its manifolds in before_, or their number
  };

  const Proxy& at(std::int32_t body) const { return proxies_[static_cast<std::size_t>(body)]; }
  bool is_awake(std::int32_t body) const;
  PairRole role(std::int32_t body) const;
  void mark(std::int32_t body);
  void place(std::int32_t body);
  void find_previous();
  void put_to_rest(ThreadPool* threads);
  void find_contacts(const PairList& list, bool coming_to_rest, ThreadPool* threads, KeptContacts& out);
  void find_pair(const Pair& pair, std::size_t first, bool coming_to_rest, KeptContacts& out) const;
  void find_overlap_pairs(ThreadPool* threads);

  std::vector<Proxy> proxies_;
  std::vector<char> frozen_;
  std::vector<std::int32_t> changed_;  // to be placed at the next detection, besides those that are awake
  std::vector<char> marked_;           // per body: in changed_
  std::vector<std::int32_t> movers_;   // of a detection of all bodies
  bool fixed_changed_ = true;
  bool froze_ = false;    // some body since the last detection
  bool revived_ = false;  // contacts were appended to now_ since then

  BroadPhase broad_;
  KeptContacts now_, before_;
  RestingContacts resting_;
  DetectionCounts counts_;
  PairList active_, settling_;
  KeptContacts settled_;
  std::vector<KeptContacts> chunks_;
  std::vector<std::int32_t> fast_;  // of the bodies of detect_overlaps
  std::vector<char> queried_;       // per body: it asks for its pairs itself
  std::vector<Pair> overlap_pairs_;
  std::vector<std::vector<Pair>> overlap_pair_chunks_;
  std::vector<std::vector<Manifold>> overlap_chunks_;
  std::vector<Manifold> overlaps_;
};

}  // namespace carom
