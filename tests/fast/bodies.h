// Bodies, patches and their numbers for the tests of the real-time step's parts, in double precision and written down
// once more, so that single precision has something to be compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "carom/contact/problem.h"
#include "fast/batches.h"
#include "fast/body_view.h"
#include "fast/records.h"
#include "geometry/bounds.h"
#include "support/random.h"

namespace carom::test {

using fast::BodyView;
using fast::Frame;
using fast::Motion;
using fast::Record;

inline std::array<float, 3> floats(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}
template <std::size_t N>
Vec3 vector(const std::array<float, N>& v) {
  static_assert(N >= 3);
  return {v[0], v[1], v[2]};
}

/// As the step sees a body whose centre of mass is the origin of its frame.
inline BodyView view_of(const ShapePtr& shape, const Pose& pose, bool dynamic = true, const Vec3& velocity = {}) {
  BodyView view;
  view.geometry = &shape->geometry();
  view.center = view.origin = pose.position;
  view.orientation = pose.orientation;
  view.rotation = to_matrix(pose.orientation);
  view.velocity = velocity;
  view.size = shape->smallest_size();
  view.radius = shape->is_bounded() ? bounding_radius(*view.geometry) : 0;
  view.dynamic = dynamic;
  view.flat = shape->polyhedron() != nullptr || !shape->is_bounded();
  view.ball = std::holds_alternative<Sphere>(*view.geometry);
  view.quick = view.ball || std::holds_alternative<Box>(*view.geometry) || !shape->is_bounded();
  return view;
}

/// Puts a view elsewhere; its travel grows by a bound on the way of any of its points.
inline void move(BodyView& view, const Pose& to) {
  const Real angle = 2 * norm((conjugate(view.orientation) * to.orientation).vector());
  view.travel += norm(to.position - view.center) + angle * view.radius;
  view.center = view.origin = to.position;
  view.orientation = to.orientation;
  view.rotation = to_matrix(to.orientation);
}

/// m: between the base's plane and a point of the probe, with both bodies where the views say.
inline Real gap_of(const Record& record, std::size_t point, const BodyView& base, const BodyView& probe) {
  const Vec3 normal = base.rotation * vector(record.normal_local);
  const Vec3 anchor =
      base.center + base.rotation * Vec3{record.anchor_local[0], record.anchor_local[1], record.anchor_local[2]};
  const Vec3 at = probe.center + probe.rotation * vector(record.arms[point]);
  return dot(normal, at - anchor) - Real{record.arms[point][3]} - Real{record.round};
}

/// Random bodies in motion and random patches between them. Bodies are dynamic but for every eighth, which is fixed or
/// kinematic in turn, and touch in up to four points each.
struct Crowd {
  std::vector<Record> records{1};  // the first is that of empty lanes
  AlignedVector<Frame> frames;
  AlignedVector<Motion> motions{1}, shifts{1};
  std::vector<std::int32_t> motion_of, active;
  std::vector<char> takes;
  std::size_t motion_count = 0;  // without what batches add
  // The same in double precision.
  std::vector<Vec3> centers;
  std::vector<Mat3> rotations, whitenings;

  Crowd(Random& random, int bodies, int patches) {
    for (auto& arm : records[0].arms) arm[3] = Record::kNowhere;
    for (int i = 0; i < bodies; ++i) add_body(random, i);
    motion_count = motions.size();
    while (static_cast<int>(records.size()) <= patches) {
      const int a = random.integer(0, bodies - 1), b = random.integer(0, bodies - 1);
      if (a == b || (takes[static_cast<std::size_t>(a)] == 0 && takes[static_cast<std::size_t>(b)] == 0)) continue;
      add_patch(random, a, b);
    }
  }

  void add_body(Random& random, int index) {
    const bool fixed = index % 16 == 7, kinematic = index % 16 == 15;
    const Pose pose = random.pose(1);
    centers.push_back(pose.position);
    rotations.push_back(to_matrix(pose.orientation));
    // Lower triangle: any such matrix is a Cholesky factor of an inverse inertia.
    Mat3 factor;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c <= r; ++c) factor(r, c) = r == c ? random.uniform(0.5, 3) : random.uniform(-0.5, 0.5);
    Mat3 whitening = transposed(rotations.back() * factor);
    if (fixed) whitening = {};
    if (kinematic) whitening = Mat3::identity();
    Frame& frame = frames.emplace_back();
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        const auto i = static_cast<std::size_t>(r), k = static_cast<std::size_t>(c);
        frame.rotation[i][k] = static_cast<float>(rotations.back()(r, c));
        frame.whitening[i][k] = static_cast<float>(whitening(r, c));
      }
    whitenings.push_back(whitening);
    takes.push_back(fixed || kinematic ? 0 : 1);
    motion_of.push_back(fixed ? 0 : static_cast<std::int32_t>(motions.size()));
    if (fixed) return;
    Motion motion;
    motion.linear = floats(random.vector(2));
    motion.turning = floats(random.vector(2));
    motion.inverse_mass = kinematic ? 0 : static_cast<float>(random.scale(0.1, 10));
    motions.push_back(motion);
    shifts.push_back({});
  }

  void add_patch(Random& random, int base, int probe) {
    const auto b = static_cast<std::size_t>(base), p = static_cast<std::size_t>(probe);
    Record r;
    r.base = base;
    r.probe = probe;
    const Vec3 normal = random.unit();
    r.normal_local = floats(normal);
    r.tangent_local = floats(default_tangent(normal));
    r.friction = static_cast<float>(random.uniform(0, 1));
    r.static_friction = r.friction * static_cast<float>(random.uniform(1, 1.5));
    r.restitution = random.coin() ? 0 : static_cast<float>(random.uniform(0, 1));
    r.count = static_cast<std::uint8_t>(random.integer(1, Record::kMaxPoints));
    const Vec3 anchor_local = random.vector(0.5);
    r.anchor_local = {anchor_local.x, anchor_local.y, anchor_local.z};
    const Vec3 arm = rotations[b] * anchor_local;
    r.anchor_arm = floats(arm);
    r.offset = floats(centers[p] - centers[b] - arm);
    const Vec3 world_normal = rotations[b] * normal;
    for (std::size_t i = 0; i < Record::kMaxPoints; ++i) {
      if (i >= r.count) {  // where the first one is, and never touching
        r.arms[i] = r.arms[0];
        r.arms[i][3] = Record::kNowhere;
        continue;
      }
      const Vec3 at = transposed_times(rotations[p], random.vector(0.5));
      const Real gap = random.uniform(-0.02, 0.05);
      const Real height = dot(world_normal, centers[p] - centers[b] - arm + rotations[p] * at);
      r.arms[i] = {static_cast<float>(at.x), static_cast<float>(at.y), static_cast<float>(at.z),
                   static_cast<float>(height - gap)};
      if (random.coin()) continue;
      r.normal_impulse[i] = static_cast<float>(random.uniform(0, 0.1));
      r.tangent_impulse[i] = static_cast<float>(random.uniform(-0.02, 0.02));
      r.across_impulse[i] = static_cast<float>(random.uniform(-0.02, 0.02));
    }
    active.push_back(static_cast<std::int32_t>(records.size()));
    records.push_back(r);
  }

  /// Spreads the patches over batches of that width and makes room for what these write.
  fast::Batches batches(std::size_t lanes) {
    fast::Batches made;
    made.lanes = lanes;
    fast::Coloring().run(active, records, motion_of, takes, motion_count, made);
    motions.resize(motion_count);
    motions.resize(made.motions);
    shifts.resize(made.motions);
    return made;
  }

  // Of a body with a motion, by slot; double precision.
  const Motion& motion(std::int32_t body) const {
    return motions[static_cast<std::size_t>(motion_of[static_cast<std::size_t>(body)])];
  }
  Vec3 velocity(std::int32_t body) const { return vector(motion(body).linear); }
  /// rad/s: ω = F ω̃, with the whitening Fᵀ.
  Vec3 spin(std::int32_t body) const {
    return transposed_times(whitenings[static_cast<std::size_t>(body)], vector(motion(body).turning));
  }
  Vec3 velocity_at(std::int32_t body, const Vec3& point) const {
    if (motion_of[static_cast<std::size_t>(body)] == 0) return {};
    return velocity(body) + cross(spin(body), point - centers[static_cast<std::size_t>(body)]);
  }
  Vec3 momentum() const {
    Vec3 sum;
    for (std::size_t i = 0; i < takes.size(); ++i)
      if (takes[i] != 0)
        sum += vector(motion(static_cast<std::int32_t>(i)).linear) /
               Real{motion(static_cast<std::int32_t>(i)).inverse_mass};
    return sum;
  }
  /// About the origin: I ω = F⁻ᵀ ω̃, since I⁻¹ = F Fᵀ.
  Vec3 angular_momentum() const {
    Vec3 sum;
    for (std::size_t i = 0; i < takes.size(); ++i) {
      if (takes[i] == 0) continue;
      const Motion& m = motion(static_cast<std::int32_t>(i));
      sum += cross(centers[i], vector(m.linear) / Real{m.inverse_mass}) + inverse(whitenings[i]) * vector(m.turning);
    }
    return sum;
  }
};

}  // namespace carom::test
