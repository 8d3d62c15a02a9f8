#include "collision/broad_phase.h"

#include <algorithm>
#include <iterator>

#include "collision/chunks.h"

namespace carom {
namespace {

constexpr std::size_t kBodiesPerChunk = 128;
constexpr Real kPad = 0.1;        // of the widest side: the room around a box in which its body moves for free
constexpr Real kMostWaste = 2.5;  // a wider box with more than this times the girth it needs is given back
// Above this share of bodies that move, building all anew is cheaper, and gives the better tree.
constexpr std::size_t kRebuildShare = 4;
constexpr std::size_t kLeastRebuild = 64;

Real girth(const Aabb& box) {
  const Vec3 d = box.max - box.min;
  return d.x + d.y + d.z;
}

bool contains(const Aabb& outer, const Aabb& inner) {
  return outer.min.x <= inner.min.x && outer.min.y <= inner.min.y && outer.min.z <= inner.min.z &&
         outer.max.x >= inner.max.x && outer.max.y >= inner.max.y && outer.max.z >= inner.max.z;
}

/// Room for some steps to come, ahead of the motion.
Aabb widened(const Aabb& box, const Vec3& sweep) {
  const Vec3 d = box.max - box.min;
  Vec3 ahead;
  Real widest = 0;
  for (int i = 0; i < 3; ++i) {
    const Real own = std::max(d[i] - std::abs(sweep[i]), 0.0);
    widest = std::max(widest, own);
    ahead[i] = std::clamp(2 * sweep[i], -own, own);
  }
  return box.swept(ahead, kPad * widest);
}

}  // namespace

BroadPhase::Entry& BroadPhase::grown_to(std::int32_t body) {
  if (static_cast<std::size_t>(body) >= entries_.size()) {
    entries_.resize(static_cast<std::size_t>(body) + 1);
    partners_.resize(entries_.size());
  }
  return entry(body);
}

void BroadPhase::place(std::int32_t body, const Aabb& box, const Vec3& sweep, const PairRole& role) {
  Entry& e = grown_to(body);
  e.box = box;
  if (e.kind == Kind::Bounded && e.role == role && contains(e.wide, box)) {
    // Only a box that is much too wide is worth the comparison with what it should be.
    if (girth(e.wide) <= kMostWaste * girth(box) || girth(e.wide) <= kMostWaste * girth(widened(box, sweep))) return;
  }
  changes_.push_back({body, widened(box, sweep), {}, role, Kind::Bounded});
}

void BroadPhase::visit(std::int32_t body, const Aabb& box, const PairRole& role) {
  Entry& e = entry(body);
  e.box = box;
  if (!contains(e.wide, box) || e.role != role) changes_.push_back({body, widened(box, {}), {}, role, e.kind});
}

void BroadPhase::place_half_space(std::int32_t body, const HalfSpace& half_space, const PairRole& role) {
  const Entry& e = grown_to(body);
  if (e.kind == Kind::Unbounded && e.role == role && e.half_space.normal == half_space.normal &&
      e.half_space.offset == half_space.offset)
    return;
  changes_.push_back({body, {}, half_space, role, Kind::Unbounded});
}

void BroadPhase::remove(std::int32_t body) {
  if (static_cast<std::size_t>(body) < entries_.size() && entry(body).kind != Kind::Absent)
    changes_.push_back({body, {}, {}, {}, Kind::Absent});
}

void BroadPhase::update(ThreadPool* threads) {
  work_ = {};
  work_.moved = static_cast<std::int64_t>(changes_.size());
  if (changes_.empty()) return;
  if (changes_.size() > std::max(kLeastRebuild, entries_.size() / kRebuildShare)) {
    rebuild(threads);
  } else {
    update_changed(threads);
  }
  changes_.clear();
  merge_awake();
}

void BroadPhase::merge_awake() {
  if (woken_.empty()) return;
  std::sort(woken_.begin(), woken_.end());
  merged_.clear();
  std::set_symmetric_difference(awake_.begin(), awake_.end(), woken_.begin(), woken_.end(),
                                std::back_inserter(merged_));
  awake_.swap(merged_);
  woken_.clear();
}

BroadPhase::Pair BroadPhase::named(std::int32_t a, std::int32_t b) const {
  const bool both = entry(a).role.moves && entry(b).role.moves;
  const bool keep = both ? a < b : entry(a).role.moves;
  return keep ? Pair{a, b} : Pair{b, a};
}

BroadPhase::Pair BroadPhase::kept(std::int32_t a, std::int32_t b) const {
  const bool awake_a = entry(a).role.awake(), awake_b = entry(b).role.awake();
  if (awake_a && awake_b) return named(a, b);
  return awake_a ? Pair{a, b} : Pair{b, a};
}

template <class Visit>
std::int64_t BroadPhase::for_each_partner(std::int32_t body, Visit&& visit) const {
  const Entry& e = entry(body);
  std::int64_t tests = 0;
  if (dynamic_ == 0) return tests;  // nothing pairs
  const auto consider = [&](std::int32_t other) {
    if (other != body && may_pair(e.role, entry(other).role)) visit(other);
  };
  if (e.kind == Kind::Unbounded) {
    tree_.search([&](const Aabb& box) { return ++tests, e.half_space.touches(box); }, consider);
  } else if (e.kind == Kind::Bounded) {
    tree_.search([&](const Aabb& box) { return ++tests, e.wide.overlaps(box); }, consider);
    for (const std::int32_t plane : planes_)
      if (entry(plane).half_space.touches(e.wide)) consider(plane);
  }
  return tests;
}

void BroadPhase::collect_changed(ThreadPool* threads, std::vector<Pair>& out) {
  for_fixed_chunks(threads, changes_.size(), kBodiesPerChunk, chunks_, [&](Scratch& s, std::size_t i, std::size_t end) {
    s.pairs.clear();
    s.box_tests = 0;
    for (; i < end; ++i) {
      const std::int32_t body = changes_[i].body;
      s.box_tests += for_each_partner(body, [&](std::int32_t other) { s.pairs.push_back(kept(body, other)); });
    }
  });
  out.clear();
  const std::size_t chunks = chunk_count(changes_.size(), kBodiesPerChunk);
  for (std::size_t c = 0; c < chunks; ++c) {
    out.insert(out.end(), chunks_[c].pairs.begin(), chunks_[c].pairs.end());
    work_.box_tests += chunks_[c].box_tests;
  }
  // Two bodies that both change have found each other twice.
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
}

void BroadPhase::set(const Change& change) {
  Entry& e = entry(change.body);
  if (e.kind == Kind::Unbounded) std::erase(planes_, change.body);
  if (change.kind == Kind::Unbounded) planes_.push_back(change.body);
  const auto count = [](Kind kind, const PairRole& role) { return kind != Kind::Absent && role.dynamic ? 1 : 0; };
  dynamic_ += count(change.kind, change.role) - count(e.kind, e.role);
  const auto awake = [](Kind kind, const PairRole& role) { return kind != Kind::Absent && role.awake(); };
  if (awake(change.kind, change.role) != awake(e.kind, e.role)) woken_.push_back(change.body);
  e.kind = change.kind;
  e.role = change.role;
  e.half_space = change.half_space;
  e.wide = change.wide;
}

/// Pairs before and after, each at boxes that belong together: what differs has changed.
void BroadPhase::update_changed(ThreadPool* threads) {
  const std::int64_t steps = tree_.steps();
  collect_changed(threads, before_);
  for (const Change& change : changes_) {
    Entry& e = entry(change.body);
    if (e.kind == Kind::Bounded) tree_.remove(e.leaf);
    set(change);
    e.leaf = e.kind == Kind::Bounded ? tree_.insert(e.wide, change.body) : Bvh::kNone;
  }
  collect_changed(threads, after_);
  merge_pairs();
  work_.tree_steps = tree_.steps() - steps;
}

/// Takes `before_` out of the lists and puts `after_` in: one walk along each list that has a part in it.
void BroadPhase::merge_pairs() {
  std::size_t i = 0, k = 0;
  while (i < before_.size() || k < after_.size()) {
    const bool from_before = k == after_.size() || (i < before_.size() && before_[i].first <= after_[k].first);
    const std::int32_t first = from_before ? before_[i].first : after_[k].first;
    const std::size_t i0 = i, k0 = k;
    while (i < before_.size() && before_[i].first == first) ++i;
    while (k < after_.size() && after_[k].first == first) ++k;
    const std::span<const Pair> old{before_.data() + i0, i - i0}, now{after_.data() + k0, k - k0};
    if (std::equal(old.begin(), old.end(), now.begin(), now.end())) continue;

    std::vector<std::int32_t>& list = partners_[static_cast<std::size_t>(first)];
    merged_.clear();
    std::size_t o = 0, n = 0;
    for (const std::int32_t second : list) {
      for (; n < now.size() && now[n].second < second; ++n) merged_.push_back(now[n].second);
      while (o < old.size() && old[o].second < second) ++o;
      const bool stays = n < now.size() && now[n].second == second;
      if (stays) ++n;
      if (stays || o == old.size() || old[o].second != second) merged_.push_back(second);
    }
    for (; n < now.size(); ++n) merged_.push_back(now[n].second);
    work_.pair_changes += static_cast<std::int64_t>(merged_.size() > list.size() ? merged_.size() - list.size()
                                                                                 : list.size() - merged_.size());
    list.assign(merged_.begin(), merged_.end());
  }
}

void BroadPhase::rebuild(ThreadPool* threads) {
  work_.rebuilt = true;
  for (const Change& change : changes_) set(change);
  items_.clear();
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].kind == Kind::Bounded) items_.push_back({entries_[i].wide, static_cast<std::int32_t>(i)});
  leaves_.assign(entries_.size(), Bvh::kNone);
  tree_.build(items_, leaves_);
  for (std::size_t i = 0; i < entries_.size(); ++i) entries_[i].leaf = leaves_[i];

  for_fixed_chunks(threads, entries_.size(), kBodiesPerChunk, chunks_, [&](Scratch& s, std::size_t i, std::size_t end) {
    s.box_tests = 0;
    for (; i < end; ++i) {
      std::vector<std::int32_t>& list = partners_[i];
      list.clear();
      if (!entries_[i].role.awake() || entries_[i].kind == Kind::Absent) continue;
      const auto body = static_cast<std::int32_t>(i);
      s.box_tests += for_each_partner(body, [&](std::int32_t other) {
        if (kept(body, other).first == body) list.push_back(other);
      });
      std::sort(list.begin(), list.end());
    }
  });
  const std::size_t chunks = chunk_count(entries_.size(), kBodiesPerChunk);
  for (std::size_t c = 0; c < chunks; ++c) work_.box_tests += chunks_[c].box_tests;
}

void BroadPhase::candidates(ThreadPool* threads, std::vector<Pair>& out) {
  for_fixed_chunks(threads, awake_.size(), kBodiesPerChunk, chunks_, [&](Scratch& s, std::size_t i, std::size_t end) {
    s.pairs.clear();
    s.sorted = true;
    for (; i < end; ++i) {
      const std::int32_t body = awake_[i];
      const Aabb& box = entry(body).box;
      for (const std::int32_t other : partners_[static_cast<std::size_t>(body)]) {
        const Entry& e = entry(other);
        if (!(e.kind == Kind::Unbounded ? e.half_space.touches(box) : e.box.overlaps(box))) continue;
        s.pairs.push_back(named(body, other));
        s.sorted = s.sorted && s.pairs.back().first == body;
      }
    }
  });
  out.clear();
  bool sorted = true;
  const std::size_t chunks = chunk_count(awake_.size(), kBodiesPerChunk);
  for (std::size_t c = 0; c < chunks; ++c) {
    out.insert(out.end(), chunks_[c].pairs.begin(), chunks_[c].pairs.end());
    sorted = sorted && chunks_[c].sorted;
  }
  // Pairs are listed by the body that is awake and named without regard to it.
  if (!sorted) std::sort(out.begin(), out.end());
}

}  // namespace carom
