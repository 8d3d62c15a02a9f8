#include "collision/kept_contacts.h"

#include <algorithm>
#include <numeric>

namespace carom {
namespace {

template <class T>
void permute(const std::vector<std::int32_t>& order, std::vector<T>& list) {
  std::vector<T> sorted;
  sorted.reserve(list.size());
  for (const std::int32_t i : order) sorted.push_back(list[static_cast<std::size_t>(i)]);
  list.assign(sorted.begin(), sorted.end());  // keeps its memory, which may be that of a whole pile
}

}  // namespace

void KeptContacts::clear() {
  manifolds.clear();
  pairs.clear();
  references.clear();
  anchors.clear();
  impulses.clear();
  reused = 0;
}

void KeptContacts::append(const KeptContacts& other) {
  manifolds.insert(manifolds.end(), other.manifolds.begin(), other.manifolds.end());
  pairs.insert(pairs.end(), other.pairs.begin(), other.pairs.end());
  references.insert(references.end(), other.references.begin(), other.references.end());
  anchors.insert(anchors.end(), other.anchors.begin(), other.anchors.end());
  impulses.insert(impulses.end(), other.impulses.begin(), other.impulses.end());
  reused += other.reused;
}

void KeptContacts::number_points() {
  std::int32_t points = 0;
  for (Manifold& m : manifolds) {
    m.first_point = points;
    points += m.count;
  }
}

void KeptContacts::take_over(const KeptContacts& before, std::size_t m) {
  const Manifold& manifold = before.manifolds[m];
  manifolds.push_back(manifold);
  pairs.push_back(before.pairs[m]);
  references.push_back(before.references[m]);
  const auto anchor = before.anchors.begin() + manifold.first_point;
  anchors.insert(anchors.end(), anchor, anchor + manifold.count);
  const auto impulse = before.impulses.begin() + manifold.first_point;
  impulses.insert(impulses.end(), impulse, impulse + manifold.count);
  for (int i = 0; i < manifold.count; ++i)
    manifolds.back().points[static_cast<std::size_t>(i)].previous = manifold.first_point + i;
}

void KeptContacts::sort_by_pair() {
  std::vector<std::int32_t> order(manifolds.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return pairs[static_cast<std::size_t>(a)] < pairs[static_cast<std::size_t>(b)];
  });
  permute(order, manifolds);
  permute(order, references);
  permute(order, pairs);
}

void KeptContacts::forget(std::int32_t body) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < manifolds.size(); ++i) {
    if (manifolds[i].a == body || manifolds[i].b == body) continue;
    manifolds[kept] = manifolds[i];
    pairs[kept] = pairs[i];
    references[kept++] = references[i];
  }
  manifolds.resize(kept);
  pairs.resize(kept);
  references.resize(kept);
}

void KeptContacts::save(ByteWriter& out) const {
  out.put(static_cast<std::uint64_t>(manifolds.size()));
  for (std::size_t i = 0; i < manifolds.size(); ++i) {
    const Manifold& m = manifolds[i];
    out.put(m.a);
    out.put(m.b);
    out.put(static_cast<std::uint8_t>(m.swapped));
    out.put(m.axis);
    out.put(m.part);
    out.put(static_cast<std::uint8_t>(m.count));
    put_vector(out, m.normal);
    put(out, references[i]);
    for (int k = 0; k < m.count; ++k) {
      const ManifoldPoint& p = m.points[static_cast<std::size_t>(k)];
      const auto number = static_cast<std::size_t>(m.first_point) + static_cast<std::size_t>(k);
      out.put(p.feature);
      out.put(p.gap);
      put_vector(out, p.point);
      put(out, anchors[number]);
      put_vector(out, impulses[number]);
    }
  }
}

bool KeptContacts::restore(ByteReader& in, std::size_t bodies) {
  constexpr std::size_t kLeastBytes = 3 * sizeof(std::int32_t) + 4 + 22 * sizeof(Real);
  const auto count = in.get<std::uint64_t>();
  if (!in.fits(count, kLeastBytes)) return false;
  const auto is_body = [&](std::int32_t i) { return i >= 0 && static_cast<std::size_t>(i) < bodies; };
  for (std::size_t i = 0; i < count; ++i) {
    Manifold& m = manifolds.emplace_back();
    m.a = in.get<std::int32_t>();
    m.b = in.get<std::int32_t>();
    m.swapped = in.get<std::uint8_t>() != 0;
    m.axis = in.get<std::uint8_t>();
    m.part = in.get<std::uint32_t>();
    const int points = in.get<std::uint8_t>();
    if (!is_body(m.a) || !is_body(m.b) || m.a == m.b || points > Manifold::kMaxPoints) return false;
    m.normal = get_finite_vector(in);
    references.push_back(get_reference(in));
    for (int k = 0; k < points; ++k) {
      const auto feature = in.get<std::uint16_t>();
      const Real gap = get_finite(in);
      m.add(get_finite_vector(in), gap, feature);
      anchors.push_back(get_anchor(in));
      impulses.push_back(get_finite_vector(in));
    }
    pairs.push_back(m.swapped ? Pair{m.b, m.a} : Pair{m.a, m.b});
  }
  number_points();
  return in.ok();
}

void RestingContacts::add(const KeptContacts& contacts) {
  std::int32_t part = 0;
  for (std::size_t m = 0; m < contacts.manifolds.size(); ++m) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::int32_t>(entries_.size()));
      entries_.emplace_back();
    }
    const std::int32_t at = free_.back();
    free_.pop_back();
    Entry& e = entries_[static_cast<std::size_t>(at)];
    part = m > 0 && contacts.pairs[m] == contacts.pairs[m - 1] ? part + 1 : 0;
    e.part = part;
    e.manifold = contacts.manifolds[m];
    e.pair = contacts.pairs[m];
    e.reference = contacts.references[m];
    std::copy_n(contacts.anchors.begin() + e.manifold.first_point, e.manifold.count, e.anchors.begin());
    std::copy_n(contacts.impulses.begin() + e.manifold.first_point, e.manifold.count, e.impulses.begin());
    e.used = true;
    link(2 * at, e.pair.first);
    link(2 * at + 1, e.pair.second);
  }
  listed_ = listed_ && contacts.manifolds.empty();
}

void RestingContacts::link(Link link, std::int32_t body) {
  const auto b = static_cast<std::size_t>(body);
  if (b >= first_.size()) first_.resize(b + 1, kNone);
  Entry& e = entry_of(link);
  e.last[side(link)] = kNone;
  e.next[side(link)] = first_[b];
  if (first_[b] != kNone) entry_of(first_[b]).last[side(first_[b])] = link;
  first_[b] = link;
}

void RestingContacts::unlink(Link link, std::int32_t body) {
  const Entry& e = entry_of(link);
  const Link next = e.next[side(link)], last = e.last[side(link)];
  (last != kNone ? entry_of(last).next[side(last)] : first_[static_cast<std::size_t>(body)]) = next;
  if (next != kNone) entry_of(next).last[side(next)] = last;
}

void RestingContacts::drop(std::int32_t entry) {
  Entry& e = entries_[static_cast<std::size_t>(entry)];
  unlink(2 * entry, e.pair.first);
  unlink(2 * entry + 1, e.pair.second);
  e.used = false;
  free_.push_back(entry);
  listed_ = false;
}

void RestingContacts::list(std::int32_t body, std::vector<std::int32_t>& out) const {
  out.clear();
  if (static_cast<std::size_t>(body) >= first_.size()) return;
  for (Link l = first_[static_cast<std::size_t>(body)]; l != kNone; l = entry_of(l).next[side(l)]) out.push_back(l / 2);
  sort(out);
}

void RestingContacts::list_all(std::vector<std::int32_t>& out) const {
  out.clear();
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].used) out.push_back(static_cast<std::int32_t>(i));
  sort(out);
}

void RestingContacts::sort(std::vector<std::int32_t>& entries) const {
  std::sort(entries.begin(), entries.end(), [&](std::int32_t i, std::int32_t k) {
    const Entry &a = entries_[static_cast<std::size_t>(i)], &b = entries_[static_cast<std::size_t>(k)];
    return a.pair != b.pair ? a.pair < b.pair : a.part < b.part;
  });
}

void RestingContacts::append_to(const Entry& e, KeptContacts& contacts) const {
  contacts.manifolds.push_back(e.manifold);
  Manifold& manifold = contacts.manifolds.back();
  manifold.first_point = static_cast<std::int32_t>(contacts.anchors.size());
  for (int i = 0; i < manifold.count; ++i) manifold.points[static_cast<std::size_t>(i)].previous = -1;
  contacts.pairs.push_back(e.pair);
  contacts.references.push_back(e.reference);
  contacts.anchors.insert(contacts.anchors.end(), e.anchors.begin(), e.anchors.begin() + manifold.count);
  contacts.impulses.insert(contacts.impulses.end(), e.impulses.begin(), e.impulses.begin() + manifold.count);
}

void RestingContacts::move_to(std::int32_t body, KeptContacts& contacts) {
  std::vector<std::int32_t> entries;
  list(body, entries);
  for (const std::int32_t entry : entries) {
    append_to(entries_[static_cast<std::size_t>(entry)], contacts);
    drop(entry);
  }
}

void RestingContacts::forget(std::int32_t body) {
  std::vector<std::int32_t> entries;
  list(body, entries);
  for (const std::int32_t entry : entries) drop(entry);
}

void RestingContacts::clear() {
  entries_.clear();
  free_.clear();
  first_.clear();
  listed_ = false;
}

void RestingContacts::of(std::int32_t body, std::vector<const Manifold*>& out) const {
  std::vector<std::int32_t> entries;
  list(body, entries);
  out.clear();
  for (const std::int32_t entry : entries) out.push_back(&entries_[static_cast<std::size_t>(entry)].manifold);
}

std::span<const Manifold* const> RestingContacts::all() {
  if (listed_) return all_;
  std::vector<std::int32_t> entries;
  list_all(entries);
  all_.clear();
  for (const std::int32_t entry : entries) all_.push_back(&entries_[static_cast<std::size_t>(entry)].manifold);
  listed_ = true;
  return all_;
}

void RestingContacts::gather(KeptContacts& out) const {
  std::vector<std::int32_t> entries;
  list_all(entries);
  for (const std::int32_t entry : entries) append_to(entries_[static_cast<std::size_t>(entry)], out);
}

}  // namespace carom
