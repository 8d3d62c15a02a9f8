// Problems given as a matrix: made from bodies, applied, judged. The natural map is that of measures.cpp; here it is
// taken over flat vectors, since there are no bodies to recompute velocities from.
#include "carom/contact/matrix_problem.h"

#include <algorithm>
#include <cmath>

#include "carom/base/error.h"
#include "contact/rows.h"
#include "math/cone.h"

namespace carom {
namespace {

Vec3 at(std::span<const Real> flat, std::size_t contact) {
  return {flat[3 * contact], flat[3 * contact + 1], flat[3 * contact + 2]};
}

/// Rows of a contact over the velocity of one of its bodies: the sign, and the lever arm.
struct Side {
  std::int32_t body = 0;
  Real sign = 0;
  Vec3 arm;
};
Side side_a(const ContactPoint& c) { return {c.a, -1, c.ra}; }
Side side_b(const ContactPoint& c) { return {c.b, 1, c.rb}; }

/// J_i M⁻¹ J_kᵀ over one body that both contacts share.
void add_coupling(const ContactPoint& ci, const Side& si, const ContactPoint& ck, const Side& sk, const Mobility& body,
                  Mat3& block) {
  const Vec3 axes_i[3] = {ci.normal, ci.tangent, ci.second_tangent()};
  const Vec3 axes_k[3] = {ck.normal, ck.tangent, ck.second_tangent()};
  const Real sign = si.sign * sk.sign;
  for (int m = 0; m < 3; ++m) {
    const Vec3 turned = body.inverse_inertia * cross(sk.arm, axes_k[m]);
    const Vec3 v = body.inverse_mass * axes_k[m] + cross(turned, si.arm);
    for (int l = 0; l < 3; ++l) block(l, m) += sign * dot(axes_i[l], v);
  }
}

Mat3 coupling(const ContactProblem& problem, const ContactPoint& ci, const ContactPoint& ck) {
  Mat3 block;
  for (const Side& si : {side_a(ci), side_b(ci)})
    for (const Side& sk : {side_a(ck), side_b(ck)})
      if (si.body == sk.body)
        add_coupling(ci, si, ck, sk, mobility(problem.bodies[static_cast<std::size_t>(si.body)]), block);
  return block;
}

/// Contacts of each body that takes impulses, ascending.
std::vector<std::vector<std::int32_t>> contacts_of_bodies(const ContactProblem& problem) {
  std::vector<std::vector<std::int32_t>> contacts(problem.bodies.size());
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    for (const std::int32_t body : {problem.contacts[i].a, problem.contacts[i].b})
      if (takes_impulse(problem.bodies[static_cast<std::size_t>(body)].role))
        contacts[static_cast<std::size_t>(body)].push_back(static_cast<std::int32_t>(i));
  return contacts;
}

std::string check_row(const MatrixProblem& problem, std::size_t row) {
  const std::string place = "W, block row " + std::to_string(row) + ": ";
  const std::size_t begin = problem.row_start[row], end = problem.row_start[row + 1];
  if (begin > end || end > problem.columns.size()) return place + "its blocks are not where the row says";
  bool diagonal = false;
  for (std::size_t e = begin; e < end; ++e) {
    const std::int32_t column = problem.columns[e];
    if (column < 0 || static_cast<std::size_t>(column) >= problem.contact_count())
      return place + "found a column that does not exist";
    if (e > begin && column <= problem.columns[e - 1]) return place + "columns do not ascend";
    diagonal = diagonal || static_cast<std::size_t>(column) == row;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k)
        if (!std::isfinite(problem.blocks[e](i, k))) return place + "found a number that is not finite";
  }
  return diagonal ? std::string() : place + "the diagonal block is missing";
}

/// W − Wᵀ against the diagonal. Time stepping that treats gyroscopic forces implicitly leaves a per mille of it.
std::string check_symmetry(const MatrixProblem& problem) {
  constexpr Real kNearly = 0.05;
  for (std::size_t row = 0; row < problem.contact_count(); ++row) {
    const Real own = diagonal_block(problem, row).trace();
    if (own < 0) return "W, block row " + std::to_string(row) + ": found a negative trace, expected none";
    for (std::size_t e = problem.row_start[row]; e < problem.row_start[row + 1]; ++e) {
      const auto column = static_cast<std::size_t>(problem.columns[e]);
      const auto first = problem.columns.begin() + static_cast<std::ptrdiff_t>(problem.row_start[column]);
      const auto last = problem.columns.begin() + static_cast<std::ptrdiff_t>(problem.row_start[column + 1]);
      const auto found = std::lower_bound(first, last, static_cast<std::int32_t>(row));
      const bool has = found != last && *found == static_cast<std::int32_t>(row);
      const Mat3 mirror = has ? problem.blocks[static_cast<std::size_t>(found - problem.columns.begin())] : Mat3{};
      const Real scale = std::sqrt(own * diagonal_block(problem, column).trace());
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
          if (std::abs(problem.blocks[e](i, k) - mirror(k, i)) > kNearly * scale)
            return "W is far from symmetric: block (" + std::to_string(row) + ", " + std::to_string(column) +
                   ") and its mirror image differ";
    }
  }
  return {};
}

}  // namespace

std::string check(const MatrixProblem& problem) {
  const std::size_t n = problem.contact_count();
  if (problem.q.size() != 3 * n) return "q: expected three numbers a contact";
  if (problem.row_start.size() != n + 1 || problem.row_start.front() != 0 ||
      problem.row_start.back() != problem.columns.size() || problem.blocks.size() != problem.columns.size())
    return "W: the number of block rows or of blocks does not fit the number of contacts";
  for (std::size_t i = 0; i < n; ++i)
    if (!(problem.mu[i] >= 0) || !std::isfinite(problem.mu[i]))
      return "mu[" + std::to_string(i) + "]: expected a number that is not negative";
  for (std::size_t i = 0; i < 3 * n; ++i)
    if (!std::isfinite(problem.q[i])) return "q[" + std::to_string(i) + "]: found a number that is not finite";
  for (std::size_t row = 0; row < n; ++row)
    if (std::string wrong = check_row(problem, row); !wrong.empty()) return wrong;
  return check_symmetry(problem);
}

MatrixProblem matrix_problem(const ContactProblem& problem) {
  require(problem.row_blocks.empty(), "matrix_problem: the problem has row blocks");
  const auto contacts_of = contacts_of_bodies(problem);
  MatrixProblem matrix;
  matrix.row_start.push_back(0);
  std::vector<std::int32_t> neighbours;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactPoint& c = problem.contacts[i];
    const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
    neighbours.assign(contacts_of[a].begin(), contacts_of[a].end());
    neighbours.insert(neighbours.end(), contacts_of[b].begin(), contacts_of[b].end());
    neighbours.push_back(static_cast<std::int32_t>(i));  // also where no body moves
    std::ranges::sort(neighbours);
    neighbours.erase(std::ranges::unique(neighbours).begin(), neighbours.end());
    for (const std::int32_t k : neighbours) {
      matrix.columns.push_back(k);
      matrix.blocks.push_back(coupling(problem, c, problem.contacts[static_cast<std::size_t>(k)]));
    }
    matrix.row_start.push_back(matrix.columns.size());
    const ProblemBody &body_a = problem.bodies[a], &body_b = problem.bodies[b];
    const Vec3 free =
        relative_velocity(c, body_a.velocity, body_a.angular_velocity, body_b.velocity, body_b.angular_velocity);
    const Vec3 q = to_frame(c, free) - target_of(c);
    matrix.q.insert(matrix.q.end(), {q.x, q.y, q.z});
    matrix.mu.push_back(c.mu);
  }
  return matrix;
}

const Mat3& diagonal_block(const MatrixProblem& problem, std::size_t contact) {
  const auto first = problem.columns.begin() + static_cast<std::ptrdiff_t>(problem.row_start[contact]);
  const auto last = problem.columns.begin() + static_cast<std::ptrdiff_t>(problem.row_start[contact + 1]);
  const auto found = std::lower_bound(first, last, static_cast<std::int32_t>(contact));
  require(found != last && *found == static_cast<std::int32_t>(contact), "diagonal_block: W has none");
  return problem.blocks[static_cast<std::size_t>(found - problem.columns.begin())];
}

void velocities_of(const MatrixProblem& problem, std::span<const Real> impulse, std::span<Real> velocity) {
  require(impulse.size() == problem.q.size() && velocity.size() == problem.q.size(),
          "velocities_of: expected three numbers a contact");
  for (std::size_t i = 0; i < problem.contact_count(); ++i) {
    Vec3 u = at(problem.q, i);
    for (std::size_t e = problem.row_start[i]; e < problem.row_start[i + 1]; ++e)
      u += problem.blocks[e] * at(impulse, static_cast<std::size_t>(problem.columns[e]));
    velocity[3 * i] = u.x;
    velocity[3 * i + 1] = u.y;
    velocity[3 * i + 2] = u.z;
  }
}

MatrixErrors measure(const MatrixProblem& problem, std::span<const Real> impulse) {
  std::vector<Real> velocity(problem.q.size());
  velocities_of(problem, impulse, velocity);
  MatrixErrors errors;
  Real sum = 0, map = 0, q2 = 0, j2 = 0, u2 = 0;
  for (std::size_t i = 0; i < problem.contact_count(); ++i) {
    const Vec3 j = at(impulse, i), u = at(velocity, i);
    const Real mu = problem.mu[i], trace = diagonal_block(problem, i).trace();
    const Vec3 shifted{u.x + mu * std::sqrt(u.y * u.y + u.z * u.z), u.y, u.z};
    map += squared_norm(j - project_on_cone(j - shifted, mu));
    q2 += squared_norm(at(problem.q, i));
    j2 += squared_norm(j);
    u2 += squared_norm(u);
    if (trace <= 0) continue;  // no impulse can act here
    const Real rho = 3 / trace, residual = norm(j - project_on_cone(j - rho * shifted, mu)) / rho;
    // A residual that is not a number is taken and kept.
    if (!(residual <= errors.largest) && !std::isnan(errors.largest)) errors.largest = residual;
    sum += residual * residual;
  }
  const Real scale = std::sqrt(std::max({q2, j2, u2}));
  errors.fclib = scale > 0 ? std::sqrt(map) / scale : std::sqrt(map);
  if (problem.contact_count() > 0) errors.rms = std::sqrt(sum / static_cast<Real>(problem.contact_count()));
  return errors;
}

}  // namespace carom
