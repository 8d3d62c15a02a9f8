#include "fast/pair_cache.h"

#include <algorithm>
#include <cmath>
#include <concepts>

#include "base/prefetch.h"
#include "collision/chunks.h"
#include "collision/pairs.h"
#include "fast/ball_pair.h"
#include "fast/box_pair.h"
#include "fast/patch_record.h"

namespace carom::fast {
namespace {

constexpr std::size_t kPairsPerChunk = 256;
constexpr std::size_t kUsualParts = 4;  // that two bodies touch with
/// Pairs ahead of the one that is looked at: memory takes as long as that to answer.
constexpr std::size_t kLookAhead = 8;
/// Of the smaller body: how far two bodies may move against each other before flat sides are searched again. Corners on
/// faces are followed exactly; where an edge cuts a face off, the point lags by at most this much.
constexpr Real kStillFlat = 0.03;
/// The same where a side is curved: the contact point wanders as the body rolls, and must not lag.
constexpr Real kStillRound = 1e-5;
/// Of the smaller body: how much farther than needed a search looks.
constexpr Real kAhead = 0.03;

std::array<float, 3> floats(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

Real size_of(const BodyView& a, const BodyView& b) {
  if (a.size == 0 || b.size == 0) return std::max(a.size, b.size);
  return std::min(a.size, b.size);
}

/// How much nearer the two may come within the step. Of two that move alike, the lower may be stopped.
Real margin_of(const BodyView& a, const BodyView& b, const SearchSettings& settings) {
  const Real fastest =
      std::max({squared_norm(a.velocity - b.velocity), squared_norm(a.velocity), squared_norm(b.velocity)});
  return kNear * size_of(a, b) + settings.least_margin + settings.dt * std::sqrt(fastest) + a.spin_reach + b.spin_reach;
}

/// How the smaller of two bodies lies in the frame of the larger: the motion of its points bounds that of all that may
/// touch.
struct RelativePose {
  Vec3 offset;  // m
  Quat turn;
  Real lever = 0;  // m

  RelativePose(const BodyView& first, const BodyView& second) {
    const bool swap = first.size > 0 && (second.size == 0 || first.radius < second.radius);
    const BodyView &large = swap ? second : first, &small = swap ? first : second;
    offset = transposed_times(large.rotation, small.center - large.center);
    turn = conjugate(large.orientation) * small.orientation;
    lever = small.radius;
  }
};

/// The anchor in the world, for the bodies where they are now.
void place(Record& record, const BodyView& base, const BodyView& probe) {
  const Vec3 arm = base.rotation * Vec3{record.anchor_local[0], record.anchor_local[1], record.anchor_local[2]};
  const std::array<float, 3> anchor = floats(arm), offset = floats(probe.center - base.center - arm);
  std::copy(anchor.begin(), anchor.end(), record.anchor_arm.begin());
  std::copy(offset.begin(), offset.end(), record.offset.begin());
}

}  // namespace

namespace {

/// Room for a list that has become this long: memory counts, and lists of records are most of it.
std::size_t with_room(std::size_t size) { return size + size / 8 + 64; }

/// The first search of a chunk finds all its pairs, later ones a few.
void give_back(std::vector<Record>& records) {
  constexpr std::size_t kSpare = 32;
  if (records.capacity() <= kSpare || 4 * records.size() > records.capacity()) return;
  records = {};
  records.reserve(kSpare);
}

}  // namespace

Record PairCache::empty_lane() {
  Record record;
  for (auto& arm : record.arms) arm[3] = Record::kNowhere;
  return record;
}

void PairCache::update(std::span<const BroadPhase::Pair> pairs, std::span<const BodyView> bodies,
                       const SearchSettings& settings, ThreadPool* threads) {
  take_pairs(pairs);
  for_fixed_chunks(threads, entries_.size(), kPairsPerChunk, chunks_,
                   [&](Chunk& chunk, std::size_t begin, std::size_t end) {
                     chunk.manifolds.reserve(kUsualParts);
                     chunk.before.reserve(kUsualParts);
                     chunk.active.clear();
                     chunk.found.clear();
                     chunk.records.clear();
                     for (std::size_t i = begin; i < end; ++i) {
                       if (i + kLookAhead < end) fetch(entries_[i + kLookAhead], bodies);
                       look_at(i, bodies, settings, chunk);
                     }
                   });
  active_.clear();
  fresh_.clear();
  searched_ = 0;
  fresh_.swap(restored_);
  for (std::size_t c = 0; c < chunk_count(entries_.size(), kPairsPerChunk); ++c) {
    gather(chunks_[c]);
    give_back(chunks_[c].records);
  }
}

/// Entries for these pairs, with what was known of them.
void PairCache::take_pairs(std::span<const BroadPhase::Pair> pairs) {
  for (const std::int32_t body : forgotten_)
    for (Entry& e : entries_) {
      if (e.pair.first != body && e.pair.second != body) continue;
      drop(e.head);
      e.head = -1;
      e.known = -1;
    }
  forgotten_.clear();
  const bool same = std::equal(pairs.begin(), pairs.end(), entries_.begin(), entries_.end(),
                               [](const BroadPhase::Pair& pair, const Entry& e) { return pair == e.pair; });
  if (same) return;
  added_.clear();
  std::size_t kept = 0, k = 0;
  for (const BroadPhase::Pair& pair : pairs) {
    for (; k < entries_.size() && entries_[k].pair < pair; ++k) drop(entries_[k].head);
    if (k < entries_.size() && entries_[k].pair == pair) {
      entries_[kept++] = entries_[k++];
    } else {
      added_.push_back(pair);
    }
  }
  for (; k < entries_.size(); ++k) drop(entries_[k].head);
  // From the end, so that they stay in one list.
  entries_.resize(pairs.size());
  for (std::size_t to = pairs.size(), left = added_.size(); left > 0;) {
    if (kept > 0 && added_[left - 1] < entries_[kept - 1].pair) {
      entries_[--to] = entries_[--kept];
    } else {
      entries_[--to] = {};
      entries_[to].pair = added_[--left];
    }
  }
}

/// Asks the memory for what the pair will look at.
void PairCache::fetch(const Entry& e, std::span<const BodyView> bodies) const {
  prefetch(bodies[static_cast<std::size_t>(e.pair.second)]);
  if (e.head >= 0) prefetch(records_[static_cast<std::size_t>(e.head)]);
}

void PairCache::look_at(std::size_t index, std::span<const BodyView> bodies, const SearchSettings& settings,
                        Chunk& chunk) {
  Entry& e = entries_[index];
  const BodyView& first = bodies[static_cast<std::size_t>(e.pair.first)];
  const BodyView& second = bodies[static_cast<std::size_t>(e.pair.second)];
  const Real margin = margin_of(first, second, settings);
  if (is_ball_pair(first, second)) return look_at_ball(e, index, bodies, margin, chunk);
  const auto good = [&](Real motion) { return motion <= Real{e.still} && margin + motion <= Real{e.known}; };
  Real motion = first.travel + second.travel - e.travel;
  if (e.known >= 0 && !good(motion)) {
    const RelativePose now(first, second);
    const Quat before{e.turn[0], e.turn[1], e.turn[2], e.turn[3]};
    const Real angle = 2 * norm((conjugate(before) * now.turn).vector());
    motion = norm(now.offset - Vec3{e.offset[0], e.offset[1], e.offset[2]}) + angle * now.lever;
  }
  if (e.known < 0 || !good(motion)) {
    search(index, first, second, margin + kAhead * size_of(first, second), chunk, bodies);
    motion = 0;
    for (std::size_t n = chunk.found.back().first; n < chunk.records.size(); ++n)
      if (Real{chunk.records[n].least_gap} <= margin) chunk.active.push_back(-1 - static_cast<std::int32_t>(n));
    return;
  }
  for (std::int32_t r = e.head; r >= 0; r = records_[static_cast<std::size_t>(r)].next) {
    Record& record = records_[static_cast<std::size_t>(r)];
    record.place = -1;
    if (Real{record.least_gap} - motion > margin) {
      record.forget_impulses();
      continue;
    }
    place(record, bodies[static_cast<std::size_t>(record.base)], bodies[static_cast<std::size_t>(record.probe)]);
    chunk.active.push_back(r);
  }
}

void PairCache::look_at_ball(Entry& e, std::size_t index, std::span<const BodyView> bodies, Real margin, Chunk& chunk) {
  const auto view = [&](std::int32_t body) -> const BodyView& { return bodies[static_cast<std::size_t>(body)]; };
  if (e.head < 0) {
    const bool swapped = !view(e.pair.second).dynamic;
    const std::int32_t a = swapped ? e.pair.second : e.pair.first, b = swapped ? e.pair.first : e.pair.second;
    chunk.found.push_back({index, chunk.records.size(), 1});
    Record& record = chunk.records.emplace_back(make_ball_record(view(b), a, b));
    place_ball(view(record.base), view(record.probe), record);
    place(record, view(record.base), view(record.probe));
    if (Real{record.least_gap} <= margin) chunk.active.push_back(-static_cast<std::int32_t>(chunk.records.size()));
    return;
  }
  Record& record = records_[static_cast<std::size_t>(e.head)];
  place_ball(view(record.base), view(record.probe), record);
  if (Real{record.least_gap} > margin) {
    record.forget_impulses();
    return;
  }
  place(record, view(record.base), view(record.probe));
  chunk.active.push_back(e.head);
}

void PairCache::search(std::size_t index, const BodyView& first, const BodyView& second, Real known, Chunk& chunk,
                       std::span<const BodyView> bodies) {
  Entry& e = entries_[index];
  // The impulse acts on b: let it be the body that moves where one does not.
  const bool swapped = !second.dynamic;
  const BodyView &a = swapped ? second : first, &b = swapped ? first : second;
  const bool boxes = std::holds_alternative<Box>(*a.geometry) && std::holds_alternative<Box>(*b.geometry);
  chunk.found.push_back({index, chunk.records.size(), 0});
  if (boxes) {
    Manifold& manifold = chunk.manifold;
    manifold.axis = e.head >= 0 ? records_[static_cast<std::size_t>(e.head)].axis : 0;
    known = find_box_points(a.placed(), b.placed(), known, manifold);
    if (manifold.count > 0) add_record(e, manifold, a, b, swapped, chunk, bodies);
  } else {
    chunk.before.clear();
    for (std::int32_t r = e.head; r >= 0; r = records_[static_cast<std::size_t>(r)].next) {
      Manifold& old = chunk.before.emplace_back();
      old.part = records_[static_cast<std::size_t>(r)].part;
      old.axis = records_[static_cast<std::size_t>(r)].axis;
    }
    chunk.manifolds.clear();
    collide_all(a.placed(), b.placed(), known, chunk.before, chunk.manifolds);
    for (Manifold& manifold : chunk.manifolds) add_record(e, manifold, a, b, swapped, chunk, bodies);
  }
  const bool empty = chunk.found.back().count == 0;
  e.known = static_cast<float>(known);
  e.still = static_cast<float>(empty ? known : (a.flat && b.flat ? kStillFlat : kStillRound) * size_of(a, b));
  e.travel = first.travel + second.travel;
  const RelativePose now(first, second);
  e.offset = {now.offset.x, now.offset.y, now.offset.z};
  e.turn = {static_cast<float>(now.turn.w), static_cast<float>(now.turn.x), static_cast<float>(now.turn.y),
            static_cast<float>(now.turn.z)};
}

void PairCache::add_record(const Entry& e, Manifold& manifold, const BodyView& a, const BodyView& b, bool swapped,
                           Chunk& chunk, std::span<const BodyView> bodies) {
  constexpr Real kSamePoint = 0.1;  // of the smaller body
  manifold.a = swapped ? e.pair.second : e.pair.first;
  manifold.b = swapped ? e.pair.first : e.pair.second;
  Record& record = chunk.records.emplace_back(make_record(manifold, a, b));
  ++chunk.found.back().count;
  const BodyView& base = bodies[static_cast<std::size_t>(record.base)];
  const BodyView& probe = bodies[static_cast<std::size_t>(record.probe)];
  place(record, base, probe);
  for (std::int32_t r = e.head; r >= 0; r = records_[static_cast<std::size_t>(r)].next) {
    const Record& old = records_[static_cast<std::size_t>(r)];
    if (old.part != record.part) continue;
    take_impulses(old, kSamePoint * size_of(a, b), bodies[static_cast<std::size_t>(old.base)],
                  bodies[static_cast<std::size_t>(old.probe)], base, probe, record);
  }
}

/// Puts what a chunk has found in the place of what was known.
void PairCache::gather(const Chunk& chunk) {
  searched_ += static_cast<std::int64_t>(chunk.found.size());
  places_.assign(chunk.records.size(), -1);
  for (const Found& found : chunk.found) {
    Entry& e = entries_[found.entry];
    drop(e.head);
    e.head = -1;
    for (std::size_t n = found.count; n-- > 0;) {
      std::int32_t slot = static_cast<std::int32_t>(records_.size());
      if (free_.empty()) {
        if (records_.size() == records_.capacity()) records_.reserve(with_room(records_.size()));
        records_.emplace_back();
        free_.reserve(records_.capacity());  // so that a pair that parts asks for no memory
      } else {
        slot = free_.back();
        free_.pop_back();
      }
      Record& record = records_[static_cast<std::size_t>(slot)];
      record = chunk.records[found.first + n];
      record.next = e.head;
      e.head = slot;
      places_[found.first + n] = slot;
      fresh_.push_back(slot);
    }
  }
  for (const std::int32_t r : chunk.active) active_.push_back(r >= 0 ? r : places_[static_cast<std::size_t>(-1 - r)]);
}

void PairCache::drop(std::int32_t head) {
  for (std::int32_t r = head; r >= 0; r = records_[static_cast<std::size_t>(r)].next) free_.push_back(r);
}

void PairCache::forget(std::int32_t body) { forgotten_.push_back(body); }

void PairCache::clear() {
  entries_.clear();
  records_.resize(1);
  for (std::vector<std::int32_t>* list : {&free_, &active_, &fresh_, &restored_, &forgotten_}) list->clear();
}

namespace {

template <class T, std::size_t N>
void put_all(ByteWriter& out, const std::array<T, N>& values) {
  for (const T& value : values) out.put(value);
}
template <class T, std::size_t N>
void get_all(ByteReader& in, std::array<T, N>& values) {
  for (T& value : values) {
    value = in.get<T>();
    if constexpr (std::floating_point<T>)
      if (!std::isfinite(value)) in.fail();
  }
}

/// What a step does not find anew.
void put_record(ByteWriter& out, const Record& r) {
  put_all(out, r.normal_local);
  put_all(out, r.tangent_local);
  for (const auto& arm : r.arms) put_all(out, arm);
  for (const auto* list : {&r.normal_impulse, &r.tangent_impulse, &r.across_impulse}) put_all(out, *list);
  put_all(out, r.anchor_local);
  out.put(r.base);
  out.put(r.probe);
  out.put(r.part);
  out.put(r.least_gap);
  put_all(out, r.features);
  out.put(r.count);
  out.put(r.axis);
  out.put(static_cast<std::uint8_t>(r.base_is_a));
}

Record get_record(ByteReader& in, std::size_t bodies) {
  Record r;
  get_all(in, r.normal_local);
  get_all(in, r.tangent_local);
  for (auto& arm : r.arms) get_all(in, arm);
  for (auto* list : {&r.normal_impulse, &r.tangent_impulse, &r.across_impulse}) get_all(in, *list);
  get_all(in, r.anchor_local);
  r.base = in.get<std::int32_t>();
  r.probe = in.get<std::int32_t>();
  r.part = in.get<std::uint32_t>();
  r.least_gap = in.get<float>();
  get_all(in, r.features);
  r.count = in.get<std::uint8_t>();
  r.axis = in.get<std::uint8_t>();
  r.base_is_a = in.get<std::uint8_t>() != 0;
  const auto known = [&](std::int32_t body) { return body >= 0 && static_cast<std::size_t>(body) < bodies; };
  if (!known(r.base) || !known(r.probe) || r.count > Record::kMaxPoints) in.fail();
  return r;
}

}  // namespace

void PairCache::save(ByteWriter& out) const {
  out.put(static_cast<std::uint64_t>(entries_.size()));
  for (const Entry& e : entries_) {
    out.put(e.pair.first);
    out.put(e.pair.second);
    out.put(e.known);
    out.put(e.still);
    put_all(out, e.offset);
    put_all(out, e.turn);
    out.put(e.travel);
    std::uint32_t count = 0;
    for (std::int32_t r = e.head; r >= 0; r = records_[static_cast<std::size_t>(r)].next) ++count;
    out.put(count);
    for (std::int32_t r = e.head; r >= 0; r = records_[static_cast<std::size_t>(r)].next)
      put_record(out, records_[static_cast<std::size_t>(r)]);
  }
}

bool PairCache::restore(ByteReader& in, std::size_t bodies) {
  constexpr std::size_t kEntryBytes = 2 * 4 + 2 * 4 + 3 * 8 + 4 * 4 + 8 + 4;
  constexpr std::size_t kRecordBytes = 4 * (3 + 3 + 16 + 12) + 3 * 8 + 4 * 4 + 4 * 2 + 3;
  PairCache found;
  const auto count = in.get<std::uint64_t>();
  if (!in.fits(count, kEntryBytes)) return false;
  found.entries_.resize(count);
  for (Entry& e : found.entries_) {
    e.pair.first = in.get<std::int32_t>();
    e.pair.second = in.get<std::int32_t>();
    for (const std::int32_t body : {e.pair.first, e.pair.second})
      if (body < 0 || static_cast<std::size_t>(body) >= bodies) return false;
    e.known = in.get<float>();
    e.still = in.get<float>();
    get_all(in, e.offset);
    get_all(in, e.turn);
    e.travel = in.get<Real>();
    const auto patches = in.get<std::uint32_t>();
    if (!in.fits(patches, kRecordBytes)) return false;
    const auto first = static_cast<std::int32_t>(found.records_.size());
    for (std::uint32_t k = 0; k < patches; ++k) found.records_.push_back(get_record(in, bodies));
    for (std::uint32_t k = 0; k < patches; ++k)
      found.records_[static_cast<std::size_t>(first) + k].next =
          k + 1 < patches ? first + static_cast<std::int32_t>(k) + 1 : -1;
    if (patches > 0) e.head = first;
  }
  if (!in.ok()) return false;
  for (std::size_t r = 1; r < found.records_.size(); ++r) found.restored_.push_back(static_cast<std::int32_t>(r));
  *this = std::move(found);
  return true;
}

}  // namespace carom::fast
