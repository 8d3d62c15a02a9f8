#include "solvers/cone_matrix.h"

#include <algorithm>

namespace carom {
namespace {

void add_product(const Rows36& left, const Rows36& right, Mat3& block) {
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t k = 0; k < 6; ++k) block(static_cast<int>(r), static_cast<int>(c)) += left[r][k] * right[c][k];
}

/// Contacts of each moving body, ascending.
std::vector<std::vector<std::int32_t>> contacts_of_bodies(const ConeSystem& system) {
  std::vector<std::vector<std::int32_t>> contacts(system.free_velocities.size());
  for (std::size_t i = 0; i < system.contacts.size(); ++i)
    for (const std::int32_t body : {system.contacts[i].a, system.contacts[i].b})
      if (body >= 0) contacts[static_cast<std::size_t>(body)].push_back(static_cast<std::int32_t>(i));
  return contacts;
}

}  // namespace

MatrixProblem cone_matrix(const ConeSystem& system, Real compliance) {
  const auto contacts = contacts_of_bodies(system);
  MatrixProblem matrix;
  matrix.row_start.push_back(0);
  for (std::size_t i = 0; i < system.contacts.size(); ++i) {
    const ConeContact& c = system.contacts[i];
    const std::size_t begin = matrix.columns.size();
    for (const std::int32_t body : {c.a, c.b})
      if (body >= 0)
        matrix.columns.insert(matrix.columns.end(), contacts[static_cast<std::size_t>(body)].begin(),
                              contacts[static_cast<std::size_t>(body)].end());
    const auto row = matrix.columns.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(row, matrix.columns.end());
    matrix.columns.erase(std::unique(row, matrix.columns.end()), matrix.columns.end());
    for (std::size_t k = begin; k < matrix.columns.size(); ++k) {
      const ConeContact& other = system.contacts[static_cast<std::size_t>(matrix.columns[k])];
      Mat3& block = matrix.blocks.emplace_back();
      if (c.a >= 0 && c.a == other.a) add_product(c.rows_a, other.rows_a, block);
      if (c.a >= 0 && c.a == other.b) add_product(c.rows_a, other.rows_b, block);
      if (c.b >= 0 && c.b == other.a) add_product(c.rows_b, other.rows_a, block);
      if (c.b >= 0 && c.b == other.b) add_product(c.rows_b, other.rows_b, block);
      if (&other == &c)
        for (int d = 0; d < 3; ++d) block(d, d) += compliance / c.rho;
    }
    matrix.row_start.push_back(matrix.columns.size());
    const Vec3 q = ConeSystem::velocity(c, system.free_velocities);
    matrix.q.insert(matrix.q.end(), {q.x, q.y, q.z});
    matrix.mu.push_back(c.mu);
  }
  return matrix;
}

}  // namespace carom
