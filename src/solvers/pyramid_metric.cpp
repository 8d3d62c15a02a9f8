#include "solvers/pyramid_metric.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "contact/pyramid.h"

namespace carom {
namespace {

/// A face of the pyramid of slope 1.
Vec3 row(std::size_t face) { return {1, -kPyramidFaces[face][0], -kPyramidFaces[face][1]}; }

}  // namespace

std::vector<PyramidMetric::Basis> PyramidMetric::make_bases() {
  std::vector<Basis> bases(kBases);
  for (std::size_t f = 0; f < kFaces; ++f)
    for (std::size_t g = f + 1; g < kFaces; ++g)
      for (std::size_t h = g + 1; h < kFaces; ++h) {
        Basis& basis = bases[(f * kFaces + g) * kFaces + h];
        const Vec3 a = row(f), b = row(g), c = row(h);
        const Real volume = dot(a, cross(b, c));
        basis.edges = {cross(b, c) / volume, cross(c, a) / volume, cross(a, b) / volume};
        for (std::size_t k = 0; k < kFaces; ++k)
          basis.coordinates[k] = {dot(basis.edges[0], row(k)), dot(basis.edges[1], row(k)),
                                  dot(basis.edges[2], row(k))};
        // Exactly, since the rest is multiplied by weights of any size.
        basis.coordinates[f] = {1, 0, 0};
        basis.coordinates[g] = {0, 1, 0};
        basis.coordinates[h] = {0, 0, 1};
      }
  return bases;
}

/// Of the three faces with the largest weights.
const PyramidMetric::Basis& PyramidMetric::basis_of(const Faces& weights) {
  static const std::vector<Basis> bases = make_bases();
  std::array<std::size_t, 3> best{0, 1, 2};
  const auto lighter = [&](std::size_t f, std::size_t g) { return weights[f] < weights[g]; };
  for (std::size_t h = 3; h < kFaces; ++h) {
    const auto least = std::ranges::min_element(best, lighter);
    if (lighter(*least, h)) *least = h;
  }
  std::ranges::sort(best);
  return bases[(best[0] * kFaces + best[1]) * kFaces + best[2]];
}

void PyramidMetric::set(const Faces& weights, Real slope, Real compliance) {
  basis_ = &basis_of(weights);
  slope_ = slope;
  Real xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
  const auto add = [&](Real factor, const Vec3& v) {
    xx += factor * v.x * v.x;
    yy += factor * v.y * v.y;
    zz += factor * v.z * v.z;
    xy += factor * v.x * v.y;
    xz += factor * v.x * v.z;
    yz += factor * v.y * v.z;
  };
  for (std::size_t h = 0; h < kFaces; ++h) add(weights[h], basis_->coordinates[h]);
  // |j|² in terms of the distances.
  const auto& [e, f, g] = basis_->edges;
  add(compliance / (slope * slope), {e.x, f.x, g.x});
  add(compliance, {e.y, f.y, g.y});
  add(compliance, {e.z, f.z, g.z});
  l11_ = 1 / std::sqrt(xx);
  l21_ = xy * l11_;
  l31_ = xz * l11_;
  l22_ = 1 / std::sqrt(yy - l21_ * l21_);
  l32_ = (yz - l31_ * l21_) * l22_;
  l33_ = 1 / std::sqrt(zz - l31_ * l31_ - l32_ * l32_);
}

Vec3 PyramidMetric::solve(const Faces& factors, const Vec3& v) const {
  const Vec3 stretched{v.x / slope_, v.y, v.z};
  Vec3 right{-dot(basis_->edges[0], stretched), -dot(basis_->edges[1], stretched), -dot(basis_->edges[2], stretched)};
  for (std::size_t h = 0; h < kFaces; ++h) right += factors[h] * basis_->coordinates[h];
  const Real x = right.x * l11_, y = (right.y - l21_ * x) * l22_, z = (right.z - l31_ * x - l32_ * y) * l33_;
  Vec3 found;
  found.z = z * l33_;
  found.y = (y - l32_ * found.z) * l22_;
  found.x = (x - l21_ * found.y - l31_ * found.z) * l11_;
  return found;
}

Vec3 PyramidMetric::impulse(const Vec3& distances) const {
  const Vec3 v = distances.x * basis_->edges[0] + distances.y * basis_->edges[1] + distances.z * basis_->edges[2];
  return {v.x / slope_, v.y, v.z};
}

PyramidMetric::Faces PyramidMetric::slacks(const Vec3& distances) const {
  Faces slacks;
  for (std::size_t h = 0; h < kFaces; ++h) slacks[h] = dot(basis_->coordinates[h], distances);
  return slacks;
}

/// E L⁻ᵀ L⁻¹ Eᵀ, E the edges: the columns of E L⁻ᵀ times themselves.
Mat3 PyramidMetric::inverse() const {
  const Vec3 first = l11_ * impulse({1, 0, 0});
  const Vec3 second = l22_ * (impulse({0, 1, 0}) - l21_ * first);
  const Vec3 third = l33_ * (impulse({0, 0, 1}) - l31_ * first - l32_ * second);
  Mat3 inverse;
  for (const Vec3& v : {first, second, third}) {
    inverse(0, 0) += v.x * v.x;
    inverse(1, 1) += v.y * v.y;
    inverse(2, 2) += v.z * v.z;
    inverse(0, 1) += v.x * v.y;
    inverse(0, 2) += v.x * v.z;
    inverse(1, 2) += v.y * v.z;
  }
  inverse(1, 0) = inverse(0, 1);
  inverse(2, 0) = inverse(0, 2);
  inverse(2, 1) = inverse(1, 2);
  return inverse;
}

}  // namespace carom
