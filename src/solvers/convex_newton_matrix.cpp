#include "solvers/convex_newton_matrix.h"

#include <algorithm>
#include <map>
#include <utility>

namespace carom {
namespace {

constexpr std::int32_t kEntries = 6;  // bounds in a block

/// The common bodies' part of R Rᵀ.
Real coupling(const BoundRow& x, const BoundRow& y) {
  const auto part = [](std::int32_t i, const Vec6& p, std::int32_t j, const Vec6& q) {
    Real sum = 0;
    if (i >= 0 && i == j)
      for (std::size_t k = 0; k < 6; ++k) sum += p[k] * q[k];
    return sum;
  };
  return (part(x.a, x.row_a, y.a, y.row_a) + part(x.b, x.row_b, y.b, y.row_b)) +
         (part(x.a, x.row_a, y.b, y.row_b) + part(x.b, x.row_b, y.a, y.row_a));
}

}  // namespace

void NewtonMatrix::analyse(const ConeSystem& system, std::span<const BoundRow> bounds) {
  system_ = &system;
  bounds_ = bounds;
  pairs_.clear();
  for (const ConeContact& c : system.contacts)
    if (c.a >= 0 && c.b >= 0) pairs_.push_back({std::max(c.a, c.b), std::min(c.a, c.b)});
  place_bounds();
  find_couplings();
  pattern_.analyse(nodes_, pairs_);
  pair_slots_.assign(system.contacts.size(), 0);
  for (std::size_t i = 0; i < system.contacts.size(); ++i) {
    const ConeContact& c = system.contacts[i];
    if (c.a >= 0 && c.b >= 0) pair_slots_[i] = pattern_.slot(std::max(c.a, c.b), std::min(c.a, c.b));
  }
}

void NewtonMatrix::place_bounds() {
  nodes_ = static_cast<std::int32_t>(system_->free_velocities.size());
  places_.clear();
  std::map<std::pair<std::int32_t, std::int32_t>, Place> open;  // per pair of bodies: the next free entry
  for (const BoundRow& bound : bounds_) {
    Place& next = open.try_emplace({bound.a, bound.b}, Place{-1, kEntries}).first->second;
    if (next.entry == kEntries) {
      next = {nodes_++, 0};
      for (const std::int32_t body : {bound.a, bound.b})
        if (body >= 0) pairs_.push_back({next.node, body});
    }
    places_.push_back(next);
    ++next.entry;
  }
}

void NewtonMatrix::find_couplings() {
  couplings_.clear();
  std::vector<std::vector<std::size_t>> of_body(system_->free_velocities.size());
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    const BoundRow& bound = bounds_[i];
    // A bound meets another at both bodies: listed once, at the first.
    for (const std::int32_t body : {bound.a, bound.b}) {
      if (body < 0) continue;
      for (const std::size_t k : of_body[static_cast<std::size_t>(body)]) {
        const bool at_first = body == bound.a || (bounds_[k].a != bound.a && bounds_[k].b != bound.a) || bound.a < 0;
        if (!at_first) continue;
        couplings_.push_back({i, k, coupling(bound, bounds_[k])});
        if (places_[i].node != places_[k].node)
          pairs_.push_back({std::max(places_[i].node, places_[k].node), std::min(places_[i].node, places_[k].node)});
      }
    }
    for (const std::int32_t body : {bound.a, bound.b})
      if (body >= 0) of_body[static_cast<std::size_t>(body)].push_back(i);
    couplings_.push_back({i, i, coupling(bound, bound)});
  }
}

void NewtonMatrix::reset() {
  matrix_.reset(pattern_.slot_count(), true);
  for (std::int32_t i = 0; i < nodes_; ++i) {
    Real* block = matrix_.lower(pattern_.slot(i, i));
    for (std::size_t k = 0; k < 6; ++k) block[7 * k] = 1;
  }
}

void NewtonMatrix::add_block(std::size_t slot, const Rows36& left, const Mat3& d, const Rows36& right) {
  Real* block = matrix_.lower(slot);
  for (std::size_t c = 0; c < 6; ++c) {
    const Vec3 column = d * Vec3{right[0][c], right[1][c], right[2][c]};
    for (std::size_t r = 0; r < 6; ++r)
      block[r + 6 * c] += left[0][r] * column.x + left[1][r] * column.y + left[2][r] * column.z;
  }
}

void NewtonMatrix::add_contact(std::size_t contact, const Mat3& d) {
  const ConeContact& c = system_->contacts[contact];
  if (c.a >= 0) add_block(static_cast<std::size_t>(c.a), c.rows_a, d, c.rows_a);
  if (c.b >= 0) add_block(static_cast<std::size_t>(c.b), c.rows_b, d, c.rows_b);
  if (c.a >= 0 && c.b >= 0) {
    const bool a_is_row = c.a > c.b;
    add_block(pair_slots_[contact], a_is_row ? c.rows_a : c.rows_b, d, a_is_row ? c.rows_b : c.rows_a);
  }
}

void NewtonMatrix::add_bounds(std::span<const char> free, Real diagonal) {
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    if (free[i] == 0) continue;
    const auto entry = static_cast<std::size_t>(places_[i].entry);
    const BoundRow& bound = bounds_[i];
    for (std::size_t k = 0; k < 6; ++k) {
      if (bound.a >= 0) matrix_.lower(pattern_.slot(places_[i].node, bound.a))[entry + 6 * k] += bound.row_a[k];
      if (bound.b >= 0) matrix_.lower(pattern_.slot(places_[i].node, bound.b))[entry + 6 * k] += bound.row_b[k];
    }
    matrix_.lower(static_cast<std::size_t>(places_[i].node))[7 * entry] += diagonal - 1;
  }
  for (const Coupling& c : couplings_) {
    if (free[c.first] == 0 || free[c.second] == 0) continue;
    Place row = places_[c.first], column = places_[c.second];
    if (row.node < column.node || (row.node == column.node && row.entry < column.entry)) std::swap(row, column);
    matrix_.lower(pattern_.slot(row.node, column.node))[row.entry + 6 * column.entry] += c.value;
  }
}

void NewtonMatrix::solve(std::span<Vec6> velocities, std::span<Real> multipliers) {
  right_.assign(6 * static_cast<std::size_t>(nodes_), 0);
  for (std::size_t i = 0; i < velocities.size(); ++i)
    for (std::size_t k = 0; k < 6; ++k) right_[6 * i + k] = velocities[i][k];
  const auto at = [this](std::size_t i) -> Real& {
    return right_[6 * static_cast<std::size_t>(places_[i].node) + static_cast<std::size_t>(places_[i].entry)];
  };
  for (std::size_t i = 0; i < multipliers.size(); ++i) at(i) = multipliers[i];
  factor_.solve(right_);
  for (std::size_t i = 0; i < velocities.size(); ++i)
    for (std::size_t k = 0; k < 6; ++k) velocities[i][k] = right_[6 * i + k];
  for (std::size_t i = 0; i < multipliers.size(); ++i) multipliers[i] = at(i);
}

}  // namespace carom
