// The 3×3 system R + Σ wₕ aₕaₕᵀ of a friction pyramid's eight faces aₕ = (k, −cos 45h°, −sin 45h°), with weights of
// very different size, solved so that what happens at the face of the largest weight is as exact as the rest.
//
// Near the end of an interior-point path a sliding contact has one weight of 1e8 and more where the others are tiny:
// the inverse is large along that face and tiny across it, and in the axes of the contact the tiny part is the
// difference of large numbers. So the unknowns are the distances from the three faces with the largest weights, x =
// (a_f·j). There the matrix is diag(w_f) + Σ wₕ cₕcₕᵀ over the other five with cₕ of ordinary size, scaled as its
// diagonal is, and Cholesky's method keeps every part of its inverse to relative accuracy (J. Demmel, "On floating
// point errors in Cholesky", 1989).
#pragma once

#include <array>
#include <vector>

#include "carom/math/types.h"

namespace carom {

class PyramidMetric {
 public:
  static constexpr std::size_t kFaces = 8;
  using Faces = std::array<Real, kFaces>;

  /// `slope` is k > 0, `compliance` is R ≥ 0; weights are positive.
  void set(const Faces& weights, Real slope, Real compliance);

  /// The inverse in the contact's axes, symmetric.
  Mat3 inverse() const;

  /// j with (R + Σ w a aᵀ) j = Σ factorₕ aₕ − v, as its distances from the three faces.
  Vec3 solve(const Faces& factors, const Vec3& v) const;
  /// j itself, from the distances.
  Vec3 impulse(const Vec3& distances) const;
  /// aₕ·j, from the distances.
  Faces slacks(const Vec3& distances) const;

 private:
  /// Three faces, and what follows from their choice alone for slope 1.
  struct Basis {
    std::array<Vec3, kFaces> coordinates;  // cₕ: of every face in terms of the three
    std::array<Vec3, 3> edges;             // columns of the inverse of the three rows
  };
  static constexpr std::size_t kBases = kFaces * kFaces * kFaces;
  static std::vector<Basis> make_bases();
  static const Basis& basis_of(const Faces& weights);

  const Basis* basis_ = nullptr;
  Real slope_ = 1;
  Real l11_ = 1, l21_ = 0, l22_ = 1, l31_ = 0, l32_ = 0, l33_ = 1;  // Cholesky's factor; its diagonal inverted
};

}  // namespace carom
