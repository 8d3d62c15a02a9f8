// What solvers and measures need to know of a problem: W = J M⁻¹ Jᵀ applied, its diagonal blocks, and the free
// velocity. A problem given as a matrix (FCLib's local form) can stand behind the same interface.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "carom/contact/problem.h"

namespace carom {

/// The Delassus operator of a problem, over flat vectors of block rows (contacts: normal, tangent, second tangent).
class DelassusOperator {
 public:
  virtual ~DelassusOperator() = default;

  virtual std::size_t block_count() const = 0;
  virtual std::size_t row_count() const = 0;
  virtual BlockView block(std::size_t index) const = 0;
  /// u = W j. Sizes are `row_count()`.
  virtual void apply(std::span<const Real> impulse, std::span<Real> velocity) const = 0;
  /// The block's own part of W, row-major, rows × rows.
  virtual void diagonal_block(std::size_t index, std::span<Real> matrix) const = 0;
  /// b = J v − target: the velocity that the rows have without any impulse.
  virtual void free_velocity(std::span<Real> velocity) const = 0;
};

/// The operator of a problem with bodies. Keeps a reference: the problem must outlive it.
class BodyOperator final : public DelassusOperator {
 public:
  explicit BodyOperator(const ContactProblem& problem);

  std::size_t block_count() const override;
  std::size_t row_count() const override;
  BlockView block(std::size_t index) const override;
  void apply(std::span<const Real> impulse, std::span<Real> velocity) const override;
  void diagonal_block(std::size_t index, std::span<Real> matrix) const override;
  void free_velocity(std::span<Real> velocity) const override;

  /// Adds M⁻¹ Jᵀ j to the bodies' velocities.
  void add_impulses(std::span<const Real> impulse, std::span<Vec3> velocities,
                    std::span<Vec3> angular_velocities) const;
  /// J v without targets.
  void row_velocities(std::span<const Vec3> velocities, std::span<const Vec3> angular_velocities,
                      std::span<Real> out) const;

 private:
  const ContactProblem& problem_;
  std::vector<std::size_t> first_row_;
};

}  // namespace carom
