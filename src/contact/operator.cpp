#include "carom/contact/operator.h"

#include "carom/base/error.h"
#include "contact/rows.h"

namespace carom {
namespace {

Real row_velocity(const RowBlock::HalfRow& row, const Vec3& v, const Vec3& w) {
  return dot(row.linear, v) + dot(row.angular, w);
}

/// One body's part of the Delassus entry between two rows.
Real coupling(const RowBlock::HalfRow& i, const RowBlock::HalfRow& k, const Mobility& body) {
  return body.inverse_mass * dot(i.linear, k.linear) + dot(i.angular, body.inverse_inertia * k.angular);
}

}  // namespace

BodyOperator::BodyOperator(const ContactProblem& problem) : problem_(problem) {
  std::size_t row = 3 * problem.contacts.size();
  first_row_.reserve(problem.row_blocks.size() + 1);
  for (const RowBlock& block : problem.row_blocks) {
    first_row_.push_back(row);
    row += static_cast<std::size_t>(block.rows);
  }
  first_row_.push_back(row);
}

std::size_t BodyOperator::block_count() const { return problem_.block_count(); }
std::size_t BodyOperator::row_count() const { return first_row_.back(); }

BlockView BodyOperator::block(std::size_t index) const {
  const std::size_t contacts = problem_.contacts.size();
  if (index < contacts) return {3, 3 * index, ImpulseSet::Cone};
  const std::size_t k = index - contacts;
  return {problem_.row_blocks[k].rows, first_row_[k], ImpulseSet::Interval};
}

void BodyOperator::apply(std::span<const Real> impulse, std::span<Real> velocity) const {
  std::vector<Vec3> v(problem_.bodies.size()), w(problem_.bodies.size());
  add_impulses(impulse, v, w);
  row_velocities(v, w, velocity);
}

void BodyOperator::diagonal_block(std::size_t index, std::span<Real> matrix) const {
  if (index < problem_.contacts.size()) {
    const ContactPoint& c = problem_.contacts[index];
    const Mat3 w = carom::diagonal_block(c, mobility(problem_.bodies[static_cast<std::size_t>(c.a)]),
                                         mobility(problem_.bodies[static_cast<std::size_t>(c.b)]));
    for (std::size_t i = 0; i < 9; ++i) matrix[i] = w(static_cast<int>(i / 3), static_cast<int>(i % 3));
    return;
  }
  const RowBlock& block = problem_.row_blocks[index - problem_.contacts.size()];
  const Mobility a = mobility(problem_.bodies[static_cast<std::size_t>(block.a)]);
  const Mobility b = mobility(problem_.bodies[static_cast<std::size_t>(block.b)]);
  const auto rows = static_cast<std::size_t>(block.rows);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < rows; ++k) {
      matrix[i * rows + k] =
          coupling(block.jacobian_a[i], block.jacobian_a[k], a) + coupling(block.jacobian_b[i], block.jacobian_b[k], b);
    }
  }
}

void BodyOperator::free_velocity(std::span<Real> velocity) const {
  std::vector<Vec3> v, w;
  v.reserve(problem_.bodies.size());
  w.reserve(problem_.bodies.size());
  for (const ProblemBody& body : problem_.bodies) {
    v.push_back(body.velocity);
    w.push_back(body.angular_velocity);
  }
  row_velocities(v, w, velocity);
  for (std::size_t i = 0; i < problem_.contacts.size(); ++i) {
    const Vec3 target = target_of(problem_.contacts[i]);
    for (int k = 0; k < 3; ++k) velocity[3 * i + static_cast<std::size_t>(k)] -= target[k];
  }
  for (std::size_t i = 0; i < problem_.row_blocks.size(); ++i) {
    const RowBlock& block = problem_.row_blocks[i];
    for (std::size_t k = 0; k < static_cast<std::size_t>(block.rows); ++k)
      velocity[first_row_[i] + k] -= block.target[k];
  }
}

void BodyOperator::add_impulses(std::span<const Real> impulse, std::span<Vec3> velocities,
                                std::span<Vec3> angular_velocities) const {
  const auto add = [&](std::int32_t index, const Vec3& linear, const Vec3& angular) {
    const auto i = static_cast<std::size_t>(index);
    const ProblemBody& body = problem_.bodies[i];
    if (!takes_impulse(body.role)) return;
    velocities[i] += body.inverse_mass * linear;
    angular_velocities[i] += body.inverse_inertia * angular;
  };
  for (std::size_t i = 0; i < problem_.contacts.size(); ++i) {
    const ContactPoint& c = problem_.contacts[i];
    const Vec3 j = from_frame(c, {impulse[3 * i], impulse[3 * i + 1], impulse[3 * i + 2]});
    add(c.a, -j, -cross(c.ra, j));
    add(c.b, j, cross(c.rb, j));
  }
  for (std::size_t i = 0; i < problem_.row_blocks.size(); ++i) {
    const RowBlock& block = problem_.row_blocks[i];
    for (std::size_t k = 0; k < static_cast<std::size_t>(block.rows); ++k) {
      const Real j = impulse[first_row_[i] + k];
      add(block.a, j * block.jacobian_a[k].linear, j * block.jacobian_a[k].angular);
      add(block.b, j * block.jacobian_b[k].linear, j * block.jacobian_b[k].angular);
    }
  }
}

void BodyOperator::row_velocities(std::span<const Vec3> velocities, std::span<const Vec3> angular_velocities,
                                  std::span<Real> out) const {
  for (std::size_t i = 0; i < problem_.contacts.size(); ++i) {
    const ContactPoint& c = problem_.contacts[i];
    const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
    const Vec3 u =
        to_frame(c, relative_velocity(c, velocities[a], angular_velocities[a], velocities[b], angular_velocities[b]));
    for (int k = 0; k < 3; ++k) out[3 * i + static_cast<std::size_t>(k)] = u[k];
  }
  for (std::size_t i = 0; i < problem_.row_blocks.size(); ++i) {
    const RowBlock& block = problem_.row_blocks[i];
    const auto a = static_cast<std::size_t>(block.a), b = static_cast<std::size_t>(block.b);
    for (std::size_t k = 0; k < static_cast<std::size_t>(block.rows); ++k) {
      out[first_row_[i] + k] = row_velocity(block.jacobian_a[k], velocities[a], angular_velocities[a]) +
                               row_velocity(block.jacobian_b[k], velocities[b], angular_velocities[b]);
    }
  }
}

}  // namespace carom
