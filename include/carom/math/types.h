// Plain value types of the public interface: no Eigen here, whose alignment depends on a user's compiler flags.
#pragma once

#include <cmath>

namespace carom {

using Real = double;

struct Vec3 {
  Real x = 0, y = 0, z = 0;

  constexpr Real& operator[](int i) { return i == 0 ? x : (i == 1 ? y : z); }
  constexpr Real operator[](int i) const { return i == 0 ? x : (i == 1 ? y : z); }
  constexpr Vec3& operator+=(const Vec3& o) {
    x += o.x, y += o.y, z += o.z;
    return *this;
  }
  constexpr Vec3& operator-=(const Vec3& o) {
    x -= o.x, y -= o.y, z -= o.z;
    return *this;
  }
  constexpr Vec3& operator*=(Real s) {
    x *= s, y *= s, z *= s;
    return *this;
  }
  constexpr bool operator==(const Vec3&) const = default;
};

constexpr Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
constexpr Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
constexpr Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
constexpr Vec3 operator*(Real s, const Vec3& a) { return {s * a.x, s * a.y, s * a.z}; }
constexpr Vec3 operator*(const Vec3& a, Real s) { return s * a; }
constexpr Vec3 operator/(const Vec3& a, Real s) { return (1 / s) * a; }
constexpr Real dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
constexpr Real squared_norm(const Vec3& a) { return dot(a, a); }
inline Real norm(const Vec3& a) { return std::sqrt(dot(a, a)); }
/// The unit vector along a; zero stays zero.
inline Vec3 normalized(const Vec3& a) {
  const Real length = norm(a);
  return length > 0 ? a / length : a;
}

/// Row-major 3×3 matrix.
struct Mat3 {
  Real m[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};

  static constexpr Mat3 diagonal(const Vec3& d) { return {{{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}}; }
  static constexpr Mat3 identity() { return diagonal({1, 1, 1}); }
  /// The matrix whose columns are a, b and c.
  static constexpr Mat3 columns(const Vec3& a, const Vec3& b, const Vec3& c) {
    return {{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
  }

  constexpr Real operator()(int i, int j) const { return m[i][j]; }
  constexpr Real& operator()(int i, int j) { return m[i][j]; }
  constexpr Vec3 row(int i) const { return {m[i][0], m[i][1], m[i][2]}; }
  constexpr Vec3 column(int j) const { return {m[0][j], m[1][j], m[2][j]}; }
  constexpr Real trace() const { return m[0][0] + m[1][1] + m[2][2]; }
  constexpr bool operator==(const Mat3&) const = default;
};

constexpr Vec3 operator*(const Mat3& a, const Vec3& v) {
  return {dot(a.row(0), v), dot(a.row(1), v), dot(a.row(2), v)};
}
constexpr Mat3 operator*(const Mat3& a, const Mat3& b) {
  Mat3 c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
  return c;
}
constexpr Mat3 operator+(const Mat3& a, const Mat3& b) {
  Mat3 c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) c.m[i][j] = a.m[i][j] + b.m[i][j];
  return c;
}
constexpr Mat3 operator*(Real s, const Mat3& a) {
  Mat3 c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) c.m[i][j] = s * a.m[i][j];
  return c;
}
constexpr Mat3 transposed(const Mat3& a) {
  return {{{a.m[0][0], a.m[1][0], a.m[2][0]}, {a.m[0][1], a.m[1][1], a.m[2][1]}, {a.m[0][2], a.m[1][2], a.m[2][2]}}};
}
/// Aᵀ v without forming the transpose.
constexpr Vec3 transposed_times(const Mat3& a, const Vec3& v) {
  return v.x * a.row(0) + v.y * a.row(1) + v.z * a.row(2);
}
/// Requires a regular matrix.
constexpr Mat3 inverse(const Mat3& a) {
  const Vec3 r0 = a.row(0), r1 = a.row(1), r2 = a.row(2);
  const Vec3 c0 = cross(r1, r2), c1 = cross(r2, r0), c2 = cross(r0, r1);
  return (1 / dot(r0, c0)) * Mat3::columns(c0, c1, c2);
}

/// Unit quaternion, w first as in the files.
struct Quat {
  Real w = 1, x = 0, y = 0, z = 0;
  constexpr Vec3 vector() const { return {x, y, z}; }
  constexpr bool operator==(const Quat&) const = default;
};

constexpr Quat operator*(const Quat& a, const Quat& b) {
  const Vec3 v = a.w * b.vector() + b.w * a.vector() + cross(a.vector(), b.vector());
  return {a.w * b.w - dot(a.vector(), b.vector()), v.x, v.y, v.z};
}
constexpr Quat conjugate(const Quat& q) { return {q.w, -q.x, -q.y, -q.z}; }
inline Quat normalized(const Quat& q) {
  const Real s = 1 / std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}
constexpr Vec3 rotate(const Quat& q, const Vec3& v) {
  const Vec3 t = 2 * cross(q.vector(), v);
  return v + q.w * t + cross(q.vector(), t);
}
constexpr Mat3 to_matrix(const Quat& q) {
  const Real xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  const Real wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return {{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
           {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
           {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
}

/// A rigid motion: x ↦ rotate(orientation, x) + position.
struct Pose {
  Vec3 position;
  Quat orientation;
  constexpr bool operator==(const Pose&) const = default;
};

constexpr Vec3 transform(const Pose& p, const Vec3& x) { return p.position + rotate(p.orientation, x); }

}  // namespace carom
