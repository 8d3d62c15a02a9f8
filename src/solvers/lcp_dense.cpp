#include "solvers/lcp_dense.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "solvers/lcp_contact.h"

namespace carom {
namespace {

/// Rows a times rows b, transposed.
Mat3 product(const Rows36& a, const Rows36& b) {
  Mat3 w;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 6; ++k) w(static_cast<int>(i), static_cast<int>(j)) += a[i][k] * b[j][k];
  return w;
}

/// Unknowns of a contact: normal, eight edges, slip; without friction the normal alone.
std::size_t unknowns(const ConeContact& c) { return c.mu > 0 ? 10 : 1; }

constexpr int kSweeps = 2;  // between Newton's steps

Vec3 edge(std::size_t k) { return {0, kPyramidEdges[k][0], kPyramidEdges[k][1]}; }

}  // namespace

void DensePyramids::build(const ConeSystem& system) {
  system_ = &system;
  n_ = system.contacts.size();
  w_.assign(n_ * n_, {});
  free_.resize(n_);
  for (std::size_t i = 0; i < n_; ++i) {
    const ConeContact& a = system.contacts[i];
    free_[i] = ConeSystem::velocity(a, system.free_velocities);
    for (std::size_t k = 0; k < n_; ++k) {
      const ConeContact& b = system.contacts[k];
      Mat3& w = w_[i * n_ + k];
      if (a.a >= 0 && a.a == b.a) w = w + product(a.rows_a, b.rows_a);
      if (a.a >= 0 && a.a == b.b) w = w + product(a.rows_a, b.rows_b);
      if (a.b >= 0 && a.b == b.a) w = w + product(a.rows_b, b.rows_a);
      if (a.b >= 0 && a.b == b.b) w = w + product(a.rows_b, b.rows_b);
    }
  }
}

Vec3 DensePyramids::velocity(std::size_t contact, std::span<const Vec3> impulses) const {
  Vec3 u = free_[contact];
  for (std::size_t k = 0; k < n_; ++k) u += w_[contact * n_ + k] * impulses[k];
  return u;
}

Lemke::End DensePyramids::pivot(Real perturbation, std::vector<Vec3>& impulses, int& pivots) {
  first_.resize(n_ + 1);
  first_[0] = 0;
  Real fastest = 0;  // m/s √kg: velocities are scaled to 1
  for (std::size_t i = 0; i < n_; ++i) {
    const ConeContact& c = system_->contacts[i];
    first_[i + 1] = first_[i] + unknowns(c);
    fastest = std::max(fastest, std::sqrt(c.rho) * norm(free_[i]));
  }
  const std::size_t size = first_[n_];
  lemke_.prepare(size);
  const std::span<Real> m = lemke_.matrix(), q = lemke_.constant();
  // A contact's impulses are in units of √ρ, its velocities in units of 1/√ρ: W has a diagonal of about 1 then.
  for (std::size_t i = 0; i < n_; ++i) {
    const ConeContact& a = system_->contacts[i];
    const std::size_t row = first_[i], rows = unknowns(a) == 1 ? 1 : 9;
    const auto row_axis = [](std::size_t k) { return k == 0 ? Vec3{1, 0, 0} : edge(k - 1); };
    for (std::size_t k = 0; k < n_; ++k) {
      const ConeContact& b = system_->contacts[k];
      const Mat3 w = std::sqrt(a.rho * b.rho) * w_[i * n_ + k];
      const std::size_t column = first_[k], columns = unknowns(b) == 1 ? 1 : 9;
      for (std::size_t s = 0; s < columns; ++s) {
        const Vec3 u = w * row_axis(s);
        for (std::size_t r = 0; r < rows; ++r) m[(row + r) * size + column + s] = dot(row_axis(r), u);
      }
    }
    for (std::size_t r = 0; r < rows && fastest > 0; ++r)
      q[row + r] = std::sqrt(a.rho) * dot(row_axis(r), free_[i]) / fastest;
    if (rows == 1) continue;
    for (std::size_t r = 1; r < rows; ++r) {
      m[(row + r) * size + row + 9] = 1;
      m[(row + 9) * size + row + r] = -1;
    }
    m[(row + 9) * size + row] = a.mu;
  }
  const Lemke::End end = lemke_.solve(static_cast<int>(3 * size + 100), perturbation);
  pivots += lemke_.pivots();
  impulses.assign(n_, {});
  for (std::size_t i = 0; i < n_; ++i) {
    const ConeContact& c = system_->contacts[i];
    const Real unit = fastest * std::sqrt(c.rho);
    const std::span<const Real> z = lemke_.z().subspan(first_[i]);
    impulses[i].x = unit * z[0];
    for (std::size_t k = 0; c.mu > 0 && k < 8; ++k) impulses[i] += unit * z[k + 1] * edge(k);
    impulses[i] = project_on_pyramid(impulses[i], c.mu);  // where rounding left it outside
  }
  return end;
}

DensePyramids::Face DensePyramids::face_of(const ConeContact& c, const Vec3& j, const Vec3& u) {
  const Vec3 normal{1, 0, 0}, tangent{0, 1, 0}, second{0, 0, 1};
  const Vec3 z = j - c.rho * Vec3{u.x + c.mu * pyramid_slip(u), u.y, u.z};
  if (c.mu == 0) return z.x > 0 ? Face{1, {normal}, {normal}} : Face{};
  const PyramidSector s = pyramid_sector(z.y, z.z);
  const Real slope = c.mu * kPyramidInner, half_side = c.mu * kPyramidHalfSide;
  if (z.x >= 0 && s.p <= slope * z.x) return {3, {normal, tangent, second}, {normal, tangent, second}};
  const Vec3 out{0, s.face[0], s.face[1]}, along{0, -s.face[1], s.face[0]};
  const Real on_side = (z.x + slope * s.p) / (1 + slope * slope);
  if (on_side > 0 && std::abs(s.q) <= half_side * on_side) return {2, {normal + slope * out, along}, {normal, along}};
  if (z.x + slope * s.p + half_side * std::abs(s.q) > 0)
    return {1, {normal + slope * out + std::copysign(half_side, s.q) * along}, {normal}};
  return {};
}

/// Moves the impulses of `trial_` to meet the equations of its faces. Redundant contacts make them singular but
/// consistent: a touch of regularisation, and its effect removed by going round.
bool DensePyramids::solve_faces() {
  constexpr Real kCompliance = 1e-9;  // of the diagonal
  constexpr int kRounds = 12;
  first_.resize(n_ + 1);
  first_[0] = 0;
  for (std::size_t i = 0; i < n_; ++i) first_[i + 1] = first_[i] + static_cast<std::size_t>(faces_[i].count);
  const auto size = static_cast<Eigen::Index>(first_[n_]);
  if (size == 0) {
    std::fill(trial_.begin(), trial_.end(), Vec3{});
    return true;
  }
  // Scaled as in `pivot`.
  const auto root = [&](std::size_t i) { return std::sqrt(system_->contacts[i].rho); };
  matrix_.resize(size, size);
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t k = 0; k < n_; ++k)
      for (int s = 0; s < faces_[k].count; ++s) {
        const Vec3 u = root(i) * root(k) * (w_[i * n_ + k] * faces_[k].impulse[s]);
        for (int r = 0; r < faces_[i].count; ++r)
          matrix_(static_cast<Eigen::Index>(first_[i]) + r, static_cast<Eigen::Index>(first_[k]) + s) =
              dot(faces_[i].velocity[r], u);
      }
  for (Eigen::Index k = 0; k < size; ++k) matrix_(k, k) += kCompliance * std::max(1.0, std::abs(matrix_(k, k)));
  factors_.compute(matrix_);
  right_.resize(size);
  // From where it is: what the equations leave open stays, and with it what holds impulses inside their pyramids.
  unknown_.resize(size);
  for (std::size_t i = 0; i < n_; ++i)
    for (int s = 0; s < faces_[i].count; ++s)
      unknown_(static_cast<Eigen::Index>(first_[i]) + s) = dot(faces_[i].velocity[s], trial_[i]) / root(i);
  const auto take_impulses = [&] {
    for (std::size_t i = 0; i < n_; ++i) {
      trial_[i] = {};
      for (int s = 0; s < faces_[i].count; ++s)
        trial_[i] += root(i) * unknown_(static_cast<Eigen::Index>(first_[i]) + s) * faces_[i].impulse[s];
    }
  };
  take_impulses();
  Real before = std::numeric_limits<Real>::infinity();
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < n_; ++i) {
      if (faces_[i].count == 0) continue;
      const Vec3 u = root(i) * velocity(i, trial_);
      for (int r = 0; r < faces_[i].count; ++r)
        right_(static_cast<Eigen::Index>(first_[i]) + r) = -dot(faces_[i].velocity[r], u);
    }
    const Real left = right_.cwiseAbs().maxCoeff();
    if (!(left < 0.5 * before)) break;
    before = left;
    unknown_ += factors_.solve(right_);
    take_impulses();
  }
  return unknown_.allFinite();
}

Real DensePyramids::refine(std::vector<Vec3>& impulses, int most_steps, Real goal) {
  faces_.resize(n_);
  trial_ = impulses;
  Real best = std::numeric_limits<Real>::infinity();
  const auto judge = [&] {
    system_->velocities_after(trial_, velocities_);
    const Real residual = pyramid_residual(*system_, trial_, velocities_);
    if (!(residual < best)) return;
    best = residual;
    impulses = trial_;
  };
  judge();
  for (int step = 0; step < most_steps && !(best <= goal); ++step) {
    // A sweep or two sort out contacts that are between two faces.
    for (int sweep = 0; sweep < kSweeps; ++sweep) sweep_pyramids(*system_, trial_, velocities_);
    for (std::size_t i = 0; i < n_; ++i) {
      const ConeContact& c = system_->contacts[i];
      faces_[i] = face_of(c, trial_[i], ConeSystem::velocity(c, velocities_));
    }
    if (!solve_faces()) break;
    for (std::size_t i = 0; i < n_; ++i) trial_[i] = project_on_pyramid(trial_[i], system_->contacts[i].mu);
    judge();
  }
  return best;
}

}  // namespace carom
