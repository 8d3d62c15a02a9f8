#include "solvers/pyramid_edges.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/pyramid.h"

namespace carom {
namespace {

/// A column is a combination of others if less than this share of its square is left without them.
constexpr Real kDependent = 1e-11;

Real dot6(const Vec6& a, const Vec6& b) {
  return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

}  // namespace

void PyramidEdges::start(const ConeSystem& system, std::span<const Vec3> impulses) {
  system_ = &system;
  steps_ = 0;
  residual_ = std::numeric_limits<Real>::infinity();
  const std::size_t most = 6 * system.free_velocities.size();
  factor_.start(most);
  products_.resize(most);
  change_.resize(most);
  edges_.clear();
  used_.assign(kEdges * system.contacts.size(), 0);
  scratch_.assign(system.free_velocities.size(), {});
  contact_velocities_.resize(system.contacts.size());
  for (std::size_t i = 0; i < impulses.size(); ++i) take_apart(i, impulses[i]);
  find_impulses();
}

Vec3 PyramidEdges::direction(const Edge& edge) const {
  const Real mu = system_->contacts[edge.contact].mu;
  return {1, mu * kPyramidEdges[edge.direction][0], mu * kPyramidEdges[edge.direction][1]};
}

PyramidEdges::Edge PyramidEdges::make_edge(std::size_t contact, std::size_t direction) const {
  Edge edge{contact, direction};
  const ConeContact& c = system_->contacts[contact];
  const Vec3 d = this->direction(edge);
  for (std::size_t k = 0; k < 6; ++k) {
    edge.on_a[k] = c.rows_a[0][k] * d.x + c.rows_a[1][k] * d.y + c.rows_a[2][k] * d.z;
    edge.on_b[k] = c.rows_b[0][k] * d.x + c.rows_b[1][k] * d.y + c.rows_b[2][k] * d.z;
  }
  edge.own = dot6(edge.on_a, edge.on_a) + dot6(edge.on_b, edge.on_b);
  return edge;
}

/// As the two edges on either side and, for what is left towards the axis, the first of them with its opposite.
void PyramidEdges::take_apart(std::size_t contact, const Vec3& impulse) {
  if (!(impulse.x > 0)) return;
  const auto give = [&](std::size_t direction, Real factor) {
    if (!(factor > 0)) return;
    Edge edge = make_edge(contact, direction);
    edge.factor = factor;
    give_up_share(edge);
  };
  const Real mu = system_->contacts[contact].mu;
  if (!(mu > 0)) return give(0, impulse.x);
  // The face h lies between edges h − 1 and h: the impulse is μ (x₁ d₋ + x₂ d₊) on them.
  std::size_t face = 0;
  Real most = -1;
  for (std::size_t h = 0; h < kEdges; ++h) {
    const Real along = kPyramidFaces[h][0] * impulse.y + kPyramidFaces[h][1] * impulse.z;
    if (along > most) {
      most = along;
      face = h;
    }
  }
  const Real across = kPyramidFaces[face][0] * impulse.z - kPyramidFaces[face][1] * impulse.y;
  const Real sum = most / (mu * kPyramidInner), difference = across / (mu * kPyramidHalfSide);
  const Real left = std::max(impulse.x - sum, 0.0);
  const std::size_t before = (face + kEdges - 1) % kEdges, opposite = (before + kEdges / 2) % kEdges;
  give(before, 0.5 * (sum - difference) + 0.5 * left);
  give(face, 0.5 * (sum + difference));
  give(opposite, 0.5 * left);
}

/// What is left of a column without those in use.
Real PyramidEdges::distance_square(const Edge& edge) {
  const ConeContact& c = system_->contacts[edge.contact];
  if (c.a >= 0) scratch_[static_cast<std::size_t>(c.a)] = edge.on_a;
  if (c.b >= 0) scratch_[static_cast<std::size_t>(c.b)] = edge.on_b;
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    const ConeContact& other = system_->contacts[edges_[i].contact];
    products_[i] = 0;
    if (other.a >= 0) products_[i] += dot6(edges_[i].on_a, scratch_[static_cast<std::size_t>(other.a)]);
    if (other.b >= 0) products_[i] += dot6(edges_[i].on_b, scratch_[static_cast<std::size_t>(other.b)]);
  }
  if (c.a >= 0) scratch_[static_cast<std::size_t>(c.a)] = {};
  if (c.b >= 0) scratch_[static_cast<std::size_t>(c.b)] = {};
  const Real left = factor_.distance_square(products_, edge.own);
  return factor_.full() || left <= kDependent * edge.own ? 0 : left;
}

void PyramidEdges::take(const Edge& edge, Real distance_square) {
  factor_.append(distance_square);
  edges_.push_back(edge);
  used_[kEdges * edge.contact + edge.direction] = 1;
}

void PyramidEdges::drop(std::size_t which) {
  used_[kEdges * edges_[which].contact + edges_[which].direction] = 0;
  factor_.remove(which);
  edges_.erase(edges_.begin() + static_cast<std::ptrdiff_t>(which));
}

/// Takes an edge with its factor into use. Where it depends on others they get its share, as far as that leaves none of
/// them below zero.
void PyramidEdges::give_up_share(Edge edge) {
  for (;;) {
    const Real distance = distance_square(edge);
    if (distance > 0) return take(edge, distance);
    factor_.combination(change_);
    Real share = edge.factor;
    std::size_t first = edges_.size();
    for (std::size_t i = 0; i < edges_.size(); ++i)
      if (edges_[i].factor + share * change_[i] < 0) {
        share = -edges_[i].factor / change_[i];
        first = i;
      }
    for (std::size_t i = 0; i < edges_.size(); ++i)
      edges_[i].factor = std::max(edges_[i].factor + share * change_[i], 0.0);
    if (first == edges_.size()) return;
    edge.factor -= share;
    drop(first);
  }
}

/// The impulses and what they make of velocities; u at every contact.
void PyramidEdges::find_impulses() {
  impulses_.assign(system_->contacts.size(), {});
  for (const Edge& edge : edges_) impulses_[edge.contact] += edge.factor * direction(edge);
  find_velocities();
}

void PyramidEdges::find_velocities() {
  velocities_.assign(system_->free_velocities.begin(), system_->free_velocities.end());
  for (const Edge& edge : edges_) {
    const ConeContact& c = system_->contacts[edge.contact];
    for (std::size_t k = 0; k < 6; ++k) {
      if (c.a >= 0) velocities_[static_cast<std::size_t>(c.a)][k] += edge.factor * edge.on_a[k];
      if (c.b >= 0) velocities_[static_cast<std::size_t>(c.b)][k] += edge.factor * edge.on_b[k];
    }
  }
  for (std::size_t i = 0; i < contact_velocities_.size(); ++i)
    contact_velocities_[i] = ConeSystem::velocity(system_->contacts[i], velocities_);
}

/// The edge that is not in use along which kinetic energy falls fastest for its size; returns dₖ·u, m/s.
Real PyramidEdges::find_steepest(std::size_t& contact, std::size_t& direction) const {
  Real steepest = 0, slope = 0;
  for (std::size_t i = 0; i < contact_velocities_.size(); ++i) {
    const ConeContact& c = system_->contacts[i];
    const Vec3& u = contact_velocities_[i];
    for (std::size_t k = 0; k < edges_of(i); ++k) {
      const Real w = u.x + c.mu * (kPyramidEdges[k][0] * u.y + kPyramidEdges[k][1] * u.z);
      if (!(w < 0) || !(w * w * c.rho > steepest) || used_[kEdges * i + k] != 0) continue;
      steepest = w * w * c.rho;
      slope = w;
      contact = i;
      direction = k;
    }
  }
  return slope;
}

/// To the optimum of the edges in use, from where their factors are; those that come to zero go.
void PyramidEdges::settle() {
  slopes_.resize(edges_.size());
  for (std::size_t i = 0; i < edges_.size(); ++i)
    slopes_[i] = dot(direction(edges_[i]), contact_velocities_[edges_[i].contact]);
  while (!edges_.empty()) {
    for (std::size_t i = 0; i < edges_.size(); ++i) change_[i] = -slopes_[i];
    factor_.solve(change_);
    Real length = 1;
    std::size_t first = edges_.size();
    for (std::size_t i = 0; i < edges_.size(); ++i)
      if (edges_[i].factor + length * change_[i] < 0) {
        length = -edges_[i].factor / change_[i];
        first = i;
      }
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      edges_[i].factor = std::max(edges_[i].factor + length * change_[i], 0.0);
      slopes_[i] *= 1 - length;
    }
    if (first == edges_.size()) break;
    drop(first);
    slopes_.erase(slopes_.begin() + static_cast<std::ptrdiff_t>(first));
  }
  find_velocities();
}

bool PyramidEdges::bring_in(Edge edge) {
  const Real distance = distance_square(edge);
  if (distance > 0) {
    take(edge, distance);
    return true;
  }
  // Along the combination that leaves velocities as they are.
  factor_.combination(change_);
  Real length = std::numeric_limits<Real>::infinity();
  std::size_t first = edges_.size();
  for (std::size_t i = 0; i < edges_.size(); ++i)
    if (change_[i] > 0 && edges_[i].factor < length * change_[i]) {
      length = edges_[i].factor / change_[i];
      first = i;
    }
  if (first == edges_.size()) return false;
  for (std::size_t i = 0; i < edges_.size(); ++i)
    edges_[i].factor = std::max(edges_[i].factor - length * change_[i], 0.0);
  edge.factor = length;
  drop(first);
  const Real left = distance_square(edge);
  if (!(left > 0)) return false;
  take(edge, left);
  return true;
}

bool PyramidEdges::run(int steps, Real allowed) {
  settle();
  for (const int last = steps_ + steps;; ++steps_) {
    std::size_t contact = 0, direction = 0;
    const Real slope = find_steepest(contact, direction);
    if (slope >= -allowed || steps_ >= last) measure();
    if (residual_ <= allowed || steps_ >= last || slope == 0) break;
    if (!bring_in(make_edge(contact, direction))) break;
    settle();
  }
  measure();
  return residual_ <= allowed;
}

void PyramidEdges::measure() {
  find_impulses();
  residual_ = 0;
  for (std::size_t i = 0; i < impulses_.size(); ++i) {
    const ConeContact& c = system_->contacts[i];
    const Vec3& j = impulses_[i];
    const Real error = norm(j - project_on_pyramid(j - c.rho * contact_velocities_[i], c.mu)) / c.rho;
    if (!(error <= residual_) && !std::isnan(residual_)) residual_ = error;
  }
}

}  // namespace carom
