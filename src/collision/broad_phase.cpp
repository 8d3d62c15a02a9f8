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

/// Room for some steps to come, ahead of the motion. None for a body that will be out of it in the next step whatever
/// it gets: that would only find it more pairs.
Aabb widened(const Aabb& box, const Vec3& sweep) {
  const Vec3 d = box.max - box.min;
  Vec3 ahead;
  Real widest = 0;
  bool leaves = false;
  for (int i = 0; i < 3; ++i) {
    const Real own = std::max(d[i] - std::abs(sweep[i]), 0.0);
    widest = std::max(widest, own);
    ahead[i] = std::clamp(2 * sweep[i], -own, own);
    leaves = leaves || std::abs(sweep[i]) > own;
  }
  return leaves ? box : box.swept(ahead, kPad * widest);
}

}  // namespace

BroadPhase::Entry& BroadPhase::grown_to(std::int32_t body) {
  if (static_cast<std::size_t>(body) >= entries_.size()) {
    entries_.resize(static_cast<std::size_t>(body) + 1);
    boxes_.resize(entries_.size());
    moves_.resize(entries_.size(), 0);
    constexpr std::size_t kUsualPartners = 24;  // in a crowd: lists that grow and shrink by a few keep their memory
    const std::size_t known = partners_.size();
    partners_.resize(entries_.size());
    for (std::size_t i = known; i < partners_.size(); ++i) partners_[i].reserve(kUsualPartners);
    changing_.resize(entries_.size(), 0);
  }
  return entry(body);
}

void BroadPhase::place(std::int32_t body, const Aabb& box, const Vec3& sweep, const PairRole& role) {
  Entry& e = grown_to(body);
  boxes_[static_cast<std::size_t>(body)] = box;
  e.sweep = sweep;
  if (e.kind == Kind::Bounded && e.role == role && e.wide.contains(box)) {
    // Only a box that is much too wide is worth the comparison with what it should be.
    if (girth(e.wide) <= kMostWaste * girth(box) || girth(e.wide) <= kMostWaste * girth(widened(box, sweep))) return;
  }
  changes_.push_back({body, widened(box, sweep), {}, role, Kind::Bounded});
}

void BroadPhase::visit(std::int32_t body, const Aabb& box, const PairRole& role) {
  Entry& e = entry(body);
  boxes_[static_cast<std::size_t>(body)] = box;
  if (!e.wide.contains(box) || e.role != role) changes_.push_back({body, widened(box, {}), {}, role, e.kind});
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
  const bool a_moves = moves_[static_cast<std::size_t>(a)] != 0, b_moves = moves_[static_cast<std::size_t>(b)] != 0;
  const bool keep = a_moves && b_moves ? a < b : a_moves;
  return keep ? Pair{a, b} : Pair{b, a};
}

BroadPhase::Partner BroadPhase::partner(std::int32_t body, std::int32_t other) const {
  const bool counted = !is_awake(other) || named(body, other).first == body;
  return 2 * other + (counted ? 1 : 0);
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

void BroadPhase::collect_changed(ThreadPool* threads, bool unlisted, std::vector<Pair>& out) {
  for_fixed_chunks(threads, changes_.size(), kBodiesPerChunk, chunks_, [&](Scratch& s, std::size_t i, std::size_t end) {
    s.pairs.clear();
    s.box_tests = 0;
    for (; i < end; ++i) {
      const std::int32_t body = changes_[i].body;
      if (unlisted && is_awake(body)) continue;
      s.box_tests += for_each_partner(body, [&](std::int32_t other) { s.pairs.push_back({body, other}); });
    }
  });
  out.clear();
  const std::size_t chunks = chunk_count(changes_.size(), kBodiesPerChunk);
  for (std::size_t c = 0; c < chunks; ++c) {
    out.insert(out.end(), chunks_[c].pairs.begin(), chunks_[c].pairs.end());
    work_.box_tests += chunks_[c].box_tests;
  }
  std::sort(out.begin(), out.end());
}

void BroadPhase::set(const Change& change) {
  Entry& e = entry(change.body);
  if (e.kind == Kind::Unbounded) std::erase(planes_, change.body);
  if (change.kind == Kind::Unbounded) planes_.push_back(change.body);
  const auto count = [](Kind kind, const PairRole& role) { return kind != Kind::Absent && role.dynamic ? 1 : 0; };
  dynamic_ += count(change.kind, change.role) - count(e.kind, e.role);
  const bool awake = change.kind != Kind::Absent && change.role.awake();
  if (awake != is_awake(change.body)) woken_.push_back(change.body);
  e.kind = change.kind;
  e.role = change.role;
  moves_[static_cast<std::size_t>(change.body)] = change.role.moves ? 1 : 0;
  if (change.kind == Kind::Unbounded) boxes_[static_cast<std::size_t>(change.body)] = {};
  e.half_space = change.half_space;
  e.wide = change.wide;
}

void BroadPhase::update_changed(ThreadPool* threads) {
  const std::int64_t steps = tree_.steps();
  collect_changed(threads, true, before_);
  was_awake_.clear();
  for (const Change& change : changes_) {
    was_awake_.push_back(is_awake(change.body) ? 1 : 0);
    changing_[static_cast<std::size_t>(change.body)] = 1;
    Entry& e = entry(change.body);
    if (e.kind == Kind::Bounded) tree_.remove(e.leaf);
    set(change);
    e.leaf = e.kind == Kind::Bounded ? tree_.insert(e.wide, change.body) : Bvh::kNone;
  }
  collect_changed(threads, false, after_);
  change_lists();
  work_.tree_steps = tree_.steps() - steps;
}

void BroadPhase::change_lists() {
  edits_.clear();
  const auto of = [](const std::vector<Pair>& pairs, std::int32_t body) {
    const auto first = std::lower_bound(pairs.begin(), pairs.end(), Pair{body, 0});
    const auto last = std::lower_bound(first, pairs.end(), Pair{body + 1, 0});
    return std::span<const Pair>(first, last);
  };
  for (std::size_t c = 0; c < changes_.size(); ++c) {
    const std::int32_t body = changes_[c].body;
    const std::span<const Pair> now = of(after_, body);
    change_lists_of_partners(body, was_awake_[c] != 0, of(before_, body), now);
    std::vector<Partner>& list = partners_[static_cast<std::size_t>(body)];
    list.clear();
    if (!is_awake(body)) continue;
    for (const Pair& pair : now) list.push_back(partner(body, pair.second));
  }
  for (const Change& change : changes_) changing_[static_cast<std::size_t>(change.body)] = 0;
  apply_edits();
}

/// `old` are the partners of a body that had no list.
void BroadPhase::change_lists_of_partners(std::int32_t body, bool was_awake, std::span<const Pair> old,
                                          std::span<const Pair> now) {
  const std::vector<Partner>& list = partners_[static_cast<std::size_t>(body)];
  const bool renamed = was_awake != is_awake(body);
  const auto edit = [&](std::int32_t other, bool stays) {
    // Others that change too have looked for this one themselves.
    if (is_awake(other) && changing_[static_cast<std::size_t>(other)] == 0)
      edits_.push_back({other, partner(other, body), stays});
  };
  const std::size_t known = list.size() + old.size();  // one of them is empty
  std::size_t k = 0;
  const auto known_at = [&](std::size_t i) { return list.empty() ? old[i].second : list[i] / 2; };
  for (const Pair& pair : now) {
    for (; k < known && known_at(k) < pair.second; ++k) edit(known_at(k), false);
    const bool had = k < known && known_at(k) == pair.second;
    if (had) ++k;
    if (!had || renamed) edit(pair.second, true);
  }
  for (; k < known; ++k) edit(known_at(k), false);
}

/// One walk along each list that changes.
void BroadPhase::apply_edits() {
  std::sort(edits_.begin(), edits_.end(),
            [](const Edit& a, const Edit& b) { return a.list != b.list ? a.list < b.list : a.partner < b.partner; });
  for (std::size_t i = 0; i < edits_.size();) {
    const std::int32_t body = edits_[i].list;
    std::vector<Partner>& list = partners_[static_cast<std::size_t>(body)];
    merged_.clear();
    std::size_t k = 0;
    for (; i < edits_.size() && edits_[i].list == body; ++i) {
      const Edit& e = edits_[i];
      for (; k < list.size() && list[k] / 2 < e.partner / 2; ++k) merged_.push_back(list[k]);
      if (k < list.size() && list[k] / 2 == e.partner / 2) ++k;
      if (e.stays) merged_.push_back(e.partner);
    }
    merged_.insert(merged_.end(), list.begin() + static_cast<std::ptrdiff_t>(k), list.end());
    list.assign(merged_.begin(), merged_.end());
  }
  work_.pair_changes += static_cast<std::int64_t>(edits_.size());
}

void BroadPhase::rebuild(ThreadPool* threads) {
  constexpr std::size_t kFew = 256;  // pairs that a body brings along when it leaves its wider box
  work_.rebuilt = true;
  before_.reserve(kFew);
  after_.reserve(kFew);
  edits_.reserve(kFew);
  merged_.reserve(kFew);
  was_awake_.reserve(kFew);
  for (const Change& change : changes_) set(change);
  items_.clear();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& e = entries_[i];
    if (e.kind != Kind::Bounded) continue;
    // All at once, so that in a crowd that moves not some leave their wider boxes in every step.
    if (e.role.awake()) e.wide = widened(boxes_[i], e.sweep);
    items_.push_back({e.wide, static_cast<std::int32_t>(i)});
  }
  leaves_.assign(entries_.size(), Bvh::kNone);
  tree_.build(items_, leaves_);
  for (std::size_t i = 0; i < entries_.size(); ++i) entries_[i].leaf = leaves_[i];

  for_fixed_chunks(threads, entries_.size(), kBodiesPerChunk, chunks_, [&](Scratch& s, std::size_t i, std::size_t end) {
    s.box_tests = 0;
    for (; i < end; ++i) {
      std::vector<Partner>& list = partners_[i];
      list.clear();
      const auto body = static_cast<std::int32_t>(i);
      if (!is_awake(body)) continue;
      s.box_tests += for_each_partner(body, [&](std::int32_t other) { list.push_back(partner(body, other)); });
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
      const Aabb& own = box(body);
      for (const Partner p : partners_[static_cast<std::size_t>(body)]) {
        if (p % 2 == 0) continue;  // counted by the other
        const std::int32_t other = p / 2;
        // Half-spaces have no box, and so overlap nothing here.
        if (!box(other).overlaps(own) &&
            !(entry(other).kind == Kind::Unbounded && entry(other).half_space.touches(own)))
          continue;
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
