// Sweeps over batches of manifolds with Google Highway: one source, compiled for each vector width.
//
// A soft sweep after E. Catto, "Solver2D" (2024): λ⁺ = max(0, (λ − (u + b)/K) / (1 + leak)), a spring and damper with
// bias velocity b; the relaxing sweep that follows the move has neither, so that what pushes a penetration out adds no
// momentum. Gaps follow the bodies within the step by the step's own Jacobian, gap = gap₀ + J Δ.
//
// Every point has a friction cone of its own (E. Catto's engines share one per manifold). All points of a manifold
// slide with the three numbers of the tangential group, so a pass over them costs no further body traffic: a projected
// Gauss–Seidel pass in that group, with the step 1/λ_max of each point's 2×2 block.
#include "fast/kernels.h"

#include "fast/kernel_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/kernels.cpp"  // NOLINT
#include <hwy/foreach_target.h>                // NOLINT: before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace carom::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
using Mask = hn::Mask<D>;
constexpr std::size_t kLanes = hn::MaxLanes(D());
constexpr std::size_t kPoints = Record::kMaxPoints;

struct V3 {
  V x, y, z;
};

HWY_INLINE V zero() { return hn::Zero(D()); }
HWY_INLINE V set(float value) { return hn::Set(D(), value); }
HWY_INLINE V positive(V v) { return hn::Max(v, zero()); }
HWY_INLINE V3 operator+(const V3& a, const V3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
HWY_INLINE V3 operator-(const V3& a, const V3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
HWY_INLINE V3 operator*(V s, const V3& a) { return {s * a.x, s * a.y, s * a.z}; }
HWY_INLINE V dot(const V3& a, const V3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
HWY_INLINE V3 cross(const V3& a, const V3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
HWY_INLINE V3 negative(const V3& a) { return {zero() - a.x, zero() - a.y, zero() - a.z}; }

// ---- Records of bodies and manifolds in memory: chunks of four floats, one a lane ----

struct Chunk {
  V x, y, z, w;
  V3 vector() const { return {x, y, z}; }
};

#if HWY_TARGET == HWY_SCALAR

HWY_INLINE Chunk gather(const float* base, const std::int32_t* index, std::size_t stride) {
  const D d;
  const float* at = base + static_cast<std::size_t>(*index) * stride;
  return {hn::Load(d, at), hn::Load(d, at + 1), hn::Load(d, at + 2), hn::Load(d, at + 3)};
}

HWY_INLINE void scatter(const Chunk& c, float* base, const std::int32_t* index, std::size_t stride) {
  const D d;
  float* at = base + static_cast<std::size_t>(*index) * stride;
  hn::Store(c.x, d, at);
  hn::Store(c.y, d, at + 1);
  hn::Store(c.z, d, at + 2);
  hn::Store(c.w, d, at + 3);
}

#else

/// Blocks of four floats side by side, of the lanes first, first + 4, first + 8, …
template <class Tag>
HWY_INLINE hn::Vec<Tag> load_blocks(Tag d, const float* base, const std::int32_t* index, std::size_t stride) {
  if constexpr (hn::MaxLanes(Tag()) > 4) {
    const hn::Half<Tag> half;
    constexpr std::size_t kHalf = hn::MaxLanes(Tag()) / 2;
    return hn::Combine(d, load_blocks(half, base, index + kHalf, stride), load_blocks(half, base, index, stride));
  } else {
    return hn::Load(d, base + static_cast<std::size_t>(index[0]) * stride);
  }
}

template <class Tag>
HWY_INLINE void store_blocks(Tag d, hn::Vec<Tag> v, float* base, const std::int32_t* index, std::size_t stride) {
  if constexpr (hn::MaxLanes(Tag()) > 4) {
    const hn::Half<Tag> half;
    constexpr std::size_t kHalf = hn::MaxLanes(Tag()) / 2;
    store_blocks(half, hn::LowerHalf(half, v), base, index, stride);
    store_blocks(half, hn::UpperHalf(half, v), base, index + kHalf, stride);
  } else {
    hn::Store(v, d, base + static_cast<std::size_t>(index[0]) * stride);
  }
}

/// Four rows become four columns, in every block. Its own inverse.
HWY_INLINE void transpose(V& a, V& b, V& c, V& e) {
  const D d;
  const V ac_low = hn::InterleaveLower(d, a, c), be_low = hn::InterleaveLower(d, b, e);
  const V ac_high = hn::InterleaveUpper(d, a, c), be_high = hn::InterleaveUpper(d, b, e);
  a = hn::InterleaveLower(d, ac_low, be_low);
  b = hn::InterleaveUpper(d, ac_low, be_low);
  c = hn::InterleaveLower(d, ac_high, be_high);
  e = hn::InterleaveUpper(d, ac_high, be_high);
}

HWY_INLINE Chunk gather(const float* base, const std::int32_t* index, std::size_t stride) {
  const D d;
  Chunk c{load_blocks(d, base, index, stride), load_blocks(d, base, index + 1, stride),
          load_blocks(d, base, index + 2, stride), load_blocks(d, base, index + 3, stride)};
  transpose(c.x, c.y, c.z, c.w);
  return c;
}

HWY_INLINE void scatter(Chunk c, float* base, const std::int32_t* index, std::size_t stride) {
  const D d;
  transpose(c.x, c.y, c.z, c.w);
  store_blocks(d, c.x, base, index, stride);
  store_blocks(d, c.y, base, index + 1, stride);
  store_blocks(d, c.z, base, index + 2, stride);
  store_blocks(d, c.w, base, index + 3, stride);
}

#endif

constexpr std::size_t kMotionStride = sizeof(Motion) / sizeof(float);
constexpr std::size_t kFrameStride = sizeof(Frame) / sizeof(float);
constexpr std::size_t kRecordStride = sizeof(Record) / sizeof(float);
constexpr std::size_t kWhitening = 12;  // where it begins in a frame

HWY_INLINE const float* floats(const Motion* motions) { return reinterpret_cast<const float*>(motions); }
HWY_INLINE float* floats(Motion* motions) { return reinterpret_cast<float*>(motions); }

/// The motions of a batch's bodies.
struct Pair {
  Chunk base, probe;  // linear, inverse mass
  V3 base_turn, probe_turn;

  HWY_INLINE static Pair read(const Motion* motions, const std::int32_t* base, const std::int32_t* probe) {
    const float* from = floats(motions);
    return {gather(from, base, kMotionStride), gather(from, probe, kMotionStride),
            gather(from + 4, base, kMotionStride).vector(), gather(from + 4, probe, kMotionStride).vector()};
  }
  HWY_INLINE void write(Motion* motions, const std::int32_t* write_base, const std::int32_t* write_probe) const {
    float* to = floats(motions);
    scatter(base, to, write_base, kMotionStride);
    scatter({base_turn.x, base_turn.y, base_turn.z, zero()}, to + 4, write_base, kMotionStride);
    scatter(probe, to, write_probe, kMotionStride);
    scatter({probe_turn.x, probe_turn.y, probe_turn.z, zero()}, to + 4, write_probe, kMotionStride);
  }
  HWY_INLINE V3 relative() const { return probe.vector() - base.vector(); }
  HWY_INLINE void push(const V3& impulse) {
    base.x = base.x - base.w * impulse.x;
    base.y = base.y - base.w * impulse.y;
    base.z = base.z - base.w * impulse.z;
    probe.x = probe.x + probe.w * impulse.x;
    probe.y = probe.y + probe.w * impulse.y;
    probe.z = probe.z + probe.w * impulse.z;
  }
};

/// Rows of a batch.
class Rows {
 public:
  explicit HWY_INLINE Rows(const float* batch) : at_(batch) {}
  HWY_INLINE V get(std::size_t field) const { return hn::Load(D(), at_ + field * kLanes); }
  HWY_INLINE V3 get3(std::size_t field) const { return {get(field), get(field + 1), get(field + 2)}; }
  /// What turning adds to a component.
  HWY_INLINE V turning(std::size_t component, const Pair& motion) const {
    const std::size_t row = row_of(component);
    return dot(get3(row), motion.base_turn) + dot(get3(row + 3), motion.probe_turn);
  }
  /// The impulses of three components turn the bodies.
  HWY_INLINE void turn(std::size_t component, const V3& impulse, Pair& motion) const {
    turn_one(row_of(component), taken_by(motion.base, impulse), motion.base_turn);
    turn_one(row_of(component) + 3, taken_by(motion.probe, impulse), motion.probe_turn);
  }

 private:
  /// Rows of kinematic bodies read their turning, but they take no impulses.
  static HWY_INLINE V3 taken_by(const Chunk& body, const V3& impulse) {
    const Mask takes = hn::Gt(body.w, zero());
    return {hn::IfThenElseZero(takes, impulse.x), hn::IfThenElseZero(takes, impulse.y),
            hn::IfThenElseZero(takes, impulse.z)};
  }
  HWY_INLINE void turn_one(std::size_t row, const V3& impulse, V3& to) const {
    to = to + (impulse.x * get3(row) + impulse.y * get3(row + 6) + impulse.z * get3(row + 12));
  }

  const float* at_;
};

HWY_INLINE void put(float* batch, std::size_t field, V v) { hn::Store(v, D(), batch + field * kLanes); }
HWY_INLINE void put3(float* batch, std::size_t field, const V3& v) {
  put(batch, field, v.x);
  put(batch, field + 1, v.y);
  put(batch, field + 2, v.z);
}

// ---- Preparing ----

struct Matrix {
  V3 rows[3];
  HWY_INLINE V3 operator*(const V3& v) const { return {dot(rows[0], v), dot(rows[1], v), dot(rows[2], v)}; }
};

HWY_INLINE Matrix read_matrix(const float* frames, const std::int32_t* body, std::size_t offset) {
  Matrix m;
  for (std::size_t i = 0; i < 3; ++i) m.rows[i] = gather(frames + offset + 4 * i, body, kFrameStride).vector();
  return m;
}

/// How a group of three components answers impulses; `mass` is the linear part of the diagonal entries.
HWY_INLINE void put_matrix(float* batch, std::size_t field, const V3* base_rows, const V3* probe_rows, V base_takes,
                           V probe_takes, V mass0, V mass1) {
  std::size_t next = field;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = i; j < 3; ++j) {
      V entry = base_takes * dot(base_rows[i], base_rows[j]) + probe_takes * dot(probe_rows[i], probe_rows[j]);
      if (i == 0 && j == 0) entry = entry + mass0;
      if (i == 1 && j == 1) entry = entry + mass1;
      put(batch, next++, entry);
    }
  }
}

HWY_INLINE V inverse_or_zero(V v) { return hn::IfThenElseZero(hn::Gt(v, zero()), set(1) / v); }

/// Of each point: what it answers a normal impulse with, and the most with which it answers a tangential one.
HWY_INLINE void put_diagonals(float* batch) {
  const Rows rows(batch);
  V n[6], t[6];
  for (std::size_t i = 0; i < 6; ++i) {
    n[i] = rows.get(kNormalMatrix + i);
    t[i] = rows.get(kTangentMatrix + i);
  }
  const V two = set(2), half = set(0.5F);
  std::size_t next = kPointMatrix;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const V x = rows.get(kX + i), y = rows.get(kY + i);
    // What the group gains from a unit impulse at the point.
    const V3 gain{n[0] + y * n[1] - x * n[2], n[1] + y * n[3] - x * n[4], n[2] + y * n[4] - x * n[5]};
    for (std::size_t k = i; k < kPoints; ++k) {
      const V entry = gain.x + rows.get(kY + k) * gain.y - rows.get(kX + k) * gain.z;
      if (k == i) put(batch, kInverse + i, inverse_or_zero(entry));
      put(batch, next++, entry);
    }
    const V a = t[0] - two * (y * t[2]) + y * y * t[5];
    const V c = t[3] + two * (x * t[4]) + x * x * t[5];
    const V b = t[1] + x * t[2] - y * t[4] - x * y * t[5];
    const V root = hn::Sqrt((a - c) * (a - c) + set(4) * (b * b));
    put(batch, kStep + i, inverse_or_zero(half * (a + c + root)));
  }
}

/// Where a point of the patch slides faster than `still`, m/s.
HWY_INLINE Mask slides(const Rows& rows, const Pair& motion, float still) {
  const V3 n = rows.get3(kNormal), t1 = rows.get3(kTangent), apart = motion.relative();
  const V t[3] = {dot(t1, apart) + rows.turning(3, motion), dot(cross(n, t1), apart) + rows.turning(4, motion),
                  rows.turning(5, motion)};
  V fastest = zero();
  for (std::size_t i = 0; i < kPoints; ++i) {
    const V u1 = t[0] - rows.get(kY + i) * t[2], u2 = t[1] + rows.get(kX + i) * t[2];
    fastest = hn::Max(fastest, u1 * u1 + u2 * u2);
  }
  return hn::Gt(fastest, set(still * still));
}

void prepare(Batches& batches, const Record* records, const Frame* frames, const Motion* motions, float still,
             std::size_t begin, std::size_t end) {
  const float* record = reinterpret_cast<const float*>(records);
  const float* frame = reinterpret_cast<const float*>(frames);
  for (std::size_t k = begin; k < end; ++k) {
    float* batch = batches.batch(k);
    const std::size_t place = k * kLanes;
    const std::int32_t *index = &batches.records[place], *base = &batches.bases[place], *probe = &batches.probes[place];
    const Chunk normal = gather(record + kNormalChunk, index, kRecordStride);
    const Chunk tangent = gather(record + kTangentChunk, index, kRecordStride);
    const Chunk placed = gather(record + kOffsetChunk, index, kRecordStride);
    const V3 offset = placed.vector();
    put(batch, kRestitution, placed.w);
    const Chunk anchored = gather(record + kAnchorArmChunk, index, kRecordStride);
    const V3 anchor = anchored.vector();
    const Matrix base_rotation = read_matrix(frame, base, 0), probe_rotation = read_matrix(frame, probe, 0);
    const V3 n = base_rotation * normal.vector(), t1 = base_rotation * tangent.vector(), t2 = cross(n, t1);
    put3(batch, kNormal, n);
    put3(batch, kTangent, t1);

    V x[kPoints], y[kPoints], mean_x = zero(), mean_y = zero(), height = zero(), least = zero();
    for (std::size_t i = 0; i < kPoints; ++i) {
      const Chunk arm = gather(record + kArmChunk + 4 * i, index, kRecordStride);
      const V3 r = probe_rotation * arm.vector() - anchored.w * n;
      const V gap = dot(n, offset + r) - arm.w;
      put(batch, kGap + i, gap);
      x[i] = dot(t1, r);
      y[i] = dot(t2, r);
      mean_x = mean_x + x[i];
      mean_y = mean_y + y[i];
      const V middle = dot(n, r) - set(0.5F) * gap;
      const Mask deeper = hn::Lt(gap, least);
      height = i == 0 ? middle : hn::IfThenElse(deeper, middle, height);
      least = i == 0 ? gap : hn::IfThenElse(deeper, gap, least);
    }
    mean_x = set(0.25F) * mean_x;
    mean_y = set(0.25F) * mean_y;
    for (std::size_t i = 0; i < kPoints; ++i) {
      put(batch, kX + i, x[i] - mean_x);
      put(batch, kY + i, y[i] - mean_y);
    }
    const V3 probe_arm = mean_x * t1 + mean_y * t2 + height * n;
    const V3 base_arm = offset + anchor + probe_arm;
    put3(batch, kArm, probe_arm);

    const Matrix base_factor = read_matrix(frame, base, kWhitening);
    const Matrix probe_factor = read_matrix(frame, probe, kWhitening);
    const V3 base_axes[6] = {cross(base_arm, n), t1, t2, cross(base_arm, t1), cross(base_arm, t2), n};
    const V3 probe_axes[6] = {cross(probe_arm, n), t1, t2, cross(probe_arm, t1), cross(probe_arm, t2), n};
    V3 base_rows[6], probe_rows[6];
    for (std::size_t i = 0; i < 6; ++i) {
      base_rows[i] = negative(base_factor * base_axes[i]);
      probe_rows[i] = probe_factor * probe_axes[i];
      put3(batch, row_of(i), base_rows[i]);
      put3(batch, row_of(i) + 3, probe_rows[i]);
    }
    const V base_mass = gather(floats(motions), &batches.read_base[place], kMotionStride).w;
    const V probe_mass = gather(floats(motions), &batches.read_probe[place], kMotionStride).w;
    const V base_takes = hn::IfThenElseZero(hn::Gt(base_mass, zero()), set(1));
    const V probe_takes = hn::IfThenElseZero(hn::Gt(probe_mass, zero()), set(1));
    const V mass = base_mass + probe_mass;
    put_matrix(batch, kNormalMatrix, base_rows, probe_rows, base_takes, probe_takes, mass, zero());
    put_matrix(batch, kTangentMatrix, base_rows + 3, probe_rows + 3, base_takes, probe_takes, mass, mass);
    put_diagonals(batch);
    const Pair motion = Pair::read(motions, &batches.read_base[place], &batches.read_probe[place]);
    put(batch, kFriction, hn::IfThenElse(slides(Rows(batch), motion, still), normal.w, tangent.w));

    const std::size_t chunks[3] = {kNormalImpulseChunk, kTangentImpulseChunk, kAcrossImpulseChunk};
    const std::size_t fields[3] = {kNormalImpulse, kTangentImpulse, kAcrossImpulse};
    const std::size_t sums[3] = {kNormalSum, kTangentSum, kAcrossSum};
    for (std::size_t i = 0; i < 3; ++i) {
      const Chunk kept = gather(record + chunks[i], index, kRecordStride);
      put3(batch, fields[i], kept.vector());
      put(batch, fields[i] + 3, kept.w);
      for (std::size_t p = 0; p < kPoints; ++p) put(batch, sums[i] + p, zero());
    }
  }
}

// ---- Sweeping ----

/// The normal group of a patch's motion.
struct Normals {
  V3 velocity;  // N0, N1, N2

  HWY_INLINE V at(V x, V y) const { return velocity.x + (y * velocity.y - x * velocity.z); }
};

HWY_INLINE V3 normal_group(const Rows& rows, const V3& n, const Pair& motion) {
  return {dot(n, motion.relative()) + rows.turning(0, motion), rows.turning(1, motion), rows.turning(2, motion)};
}

/// The points of a patch in a sweep of λ = max(0, keep t), t = λ − (u + bias) / K.
///
/// A point's own change leaves its t as it is; the others' changes move it by their entry of the matrix over K. So
/// between two points lie a few operations and no more: what a sweep takes is the length of that chain.
struct Points {
  V wanted[kPoints];   // t
  V keep[kPoints];     // 1 / (1 + leak) where it is soft
  V inverse[kPoints];  // 1 / K
  V impulse[kPoints];  // λ

  HWY_INLINE void begin(const Rows& rows, std::size_t i, V velocity_and_bias, V keep_share) {
    impulse[i] = rows.get(kNormalImpulse + i);
    inverse[i] = rows.get(kInverse + i);
    keep[i] = keep_share;
    wanted[i] = impulse[i] - velocity_and_bias * inverse[i];
  }
  /// Point after point, so often.
  HWY_INLINE void press(const Rows& rows, int passes) {
    constexpr std::size_t kEntry[kPoints][kPoints] = {{0, 1, 2, 3}, {1, 4, 5, 6}, {2, 5, 7, 8}, {3, 6, 8, 9}};
    for (int pass = 0; pass < passes; ++pass) {
      for (std::size_t i = 0; i < kPoints; ++i) {
        const V next = positive(keep[i] * wanted[i]);
        const V change = next - impulse[i];
        impulse[i] = next;
        for (std::size_t k = 0; k < kPoints; ++k)
          if (k != i) wanted[k] = wanted[k] - (inverse[k] * rows.get(kPointMatrix + kEntry[i][k])) * change;
      }
    }
  }
  /// The change of the impulses, along the normal group's components.
  HWY_INLINE V3 given(const Rows& rows) const {
    V3 sum{zero(), zero(), zero()};
    for (std::size_t i = 0; i < kPoints; ++i) {
      const V change = impulse[i] - rows.get(kNormalImpulse + i);
      sum.x = sum.x + change;
      sum.y = sum.y + rows.get(kY + i) * change;
      sum.z = sum.z - rows.get(kX + i) * change;
    }
    return sum;
  }
  /// Where a point presses or is about to.
  HWY_INLINE Mask press_somewhere() const {
    V peak = hn::Max(hn::Max(impulse[0], impulse[1]), hn::Max(impulse[2], impulse[3]));
    for (std::size_t i = 0; i < kPoints; ++i) peak = hn::Max(peak, wanted[i]);
    return hn::Gt(peak, zero());
  }
};

/// Where a point has friction left over from before.
HWY_INLINE Mask rubs(const Rows& rows) {
  Mask some = hn::Ne(rows.get(kTangentImpulse), zero());
  for (std::size_t i = 0; i < kPoints; ++i) {
    some = hn::Or(some, hn::Ne(rows.get(kTangentImpulse + i), zero()));
    some = hn::Or(some, hn::Ne(rows.get(kAcrossImpulse + i), zero()));
  }
  return some;
}

void apply(const Batches& batches, Motion* motions, std::size_t begin, std::size_t end) {
  for (std::size_t k = begin; k < end; ++k) {
    const Rows rows(batches.batch(k));
    const std::size_t place = k * kLanes;
    Pair motion = Pair::read(motions, &batches.read_base[place], &batches.read_probe[place]);
    V3 normal{zero(), zero(), zero()}, tangential = normal;
    for (std::size_t i = 0; i < kPoints; ++i) {
      const V x = rows.get(kX + i), y = rows.get(kY + i), j = rows.get(kNormalImpulse + i);
      const V f1 = rows.get(kTangentImpulse + i), f2 = rows.get(kAcrossImpulse + i);
      normal = normal + V3{j, y * j, zero() - x * j};
      tangential = tangential + V3{f1, f2, x * f2 - y * f1};
    }
    const V3 n = rows.get3(kNormal), t1 = rows.get3(kTangent), t2 = cross(n, t1);
    motion.push(normal.x * n + tangential.x * t1 + tangential.y * t2);
    rows.turn(0, normal, motion);
    rows.turn(3, tangential, motion);
    motion.write(motions, &batches.write_base[place], &batches.write_probe[place]);
  }
}

void find_approaching(const Batches& batches, const Motion* motions, float least_rebound, float dt, std::uint8_t* flags,
                      std::size_t begin, std::size_t end) {
  const V slow = set(-least_rebound), time = set(dt);
  for (std::size_t k = begin; k < end; ++k) {
    const Rows rows(batches.batch(k));
    const std::size_t place = k * kLanes;
    const Pair motion = Pair::read(motions, &batches.read_base[place], &batches.read_probe[place]);
    const Normals group{normal_group(rows, rows.get3(kNormal), motion)};
    const V restitution = rows.get(kRestitution);
    V some = zero();
    for (std::size_t i = 0; i < kPoints; ++i) {
      const V u = group.at(rows.get(kX + i), rows.get(kY + i));
      const Mask meets = hn::And(hn::Lt(restitution * u, slow), hn::Lt(rows.get(kGap + i) + time * u, zero()));
      some = hn::IfThenElse(meets, restitution, some);
    }
    alignas(64) float lanes[kLanes];
    hn::Store(some, D(), lanes);
    for (std::size_t i = 0; i < kLanes; ++i) flags[place + i] = lanes[i] > 0 ? 1 : 0;
  }
}

/// Asks the memory for a batch that comes next.
HWY_INLINE void fetch(const float* batch, std::size_t field, std::size_t count) {
  for (std::size_t i = 0; i < count * kLanes * sizeof(float); i += 64)
    __builtin_prefetch(reinterpret_cast<const char*>(batch + field * kLanes) + i);
}

void push(Batches& batches, const SweepSettings& settings, Motion* motions, const Motion* shifts, std::size_t begin,
          std::size_t end) {
  const V per_h = set(1 / settings.h), rate = set(settings.share / settings.h), most = set(-settings.most_push);
  const V one = set(1), soft = set(1 / (1 + settings.leak));
  for (std::size_t k = begin; k < end; ++k) {
    float* batch = batches.batch(k);
    const Rows rows(batch);
    const float* next = batch + kFieldCount * kLanes;
    fetch(next, kNormal, 24);
    fetch(next, kX, 16);
    fetch(next, kNormalImpulse, 4);
    fetch(next, kPointMatrix, 10);
    const std::size_t place = k * kLanes;
    const std::int32_t *base = &batches.read_base[place], *probe = &batches.read_probe[place];
    const V3 n = rows.get3(kNormal);
    const Normals moved{normal_group(rows, n, Pair::read(shifts, base, probe))};
    Pair motion = Pair::read(motions, base, probe);
    const Normals group{normal_group(rows, n, motion)};
    Points points;
    for (std::size_t i = 0; i < kPoints; ++i) {
      const V x = rows.get(kX + i), y = rows.get(kY + i);
      const V gap = rows.get(kGap + i) + moved.at(x, y);
      put(batch, kOpening + i, gap);
      const Mask open = hn::Gt(gap, zero());
      const V bias = hn::IfThenElse(open, gap * per_h, hn::Max(gap * rate, most));
      points.begin(rows, i, group.at(x, y) + bias, hn::IfThenElse(open, one, soft));
    }
    const Mask awake = hn::Or(points.press_somewhere(), rubs(rows));
    put(batch, kAwake, hn::IfThenElseZero(awake, one));
    if (hn::AllFalse(D(), awake)) continue;
    points.press(rows, settings.normal_passes);
    const V3 given = points.given(rows);
    for (std::size_t i = 0; i < kPoints; ++i) put(batch, kNormalImpulse + i, points.impulse[i]);
    motion.push(given.x * n);
    rows.turn(0, given, motion);
    motion.write(motions, &batches.write_base[place], &batches.write_probe[place]);
  }
}

/// Friction at one point: a step against its sliding, then back into the cone. `velocity` and `given` are of the
/// tangential group.
HWY_INLINE void rub(const Rows& rows, std::size_t point, V friction, V normal_impulse, V& f1, V& f2, V3& velocity,
                    V3& given) {
  const V x = rows.get(kX + point), y = rows.get(kY + point), step = rows.get(kStep + point);
  const V next1 = f1 - step * (velocity.x - y * velocity.z);
  const V next2 = f2 - step * (velocity.y + x * velocity.z);
  const V length2 = next1 * next1 + next2 * next2;
  const V most = friction * normal_impulse;
  const Mask outside = hn::Gt(length2, most * most);
  V scale = set(1);
  if (!hn::AllFalse(D(), outside)) scale = hn::IfThenElse(outside, most / hn::Sqrt(length2), scale);
  const V change1 = scale * next1 - f1, change2 = scale * next2 - f2;
  f1 = f1 + change1;
  f2 = f2 + change2;
  const V twist = x * change2 - y * change1;
  given = given + V3{change1, change2, twist};
  const std::size_t m = kTangentMatrix;
  velocity.x = velocity.x + (rows.get(m) * change1 + rows.get(m + 1) * change2 + rows.get(m + 2) * twist);
  velocity.y = velocity.y + (rows.get(m + 1) * change1 + rows.get(m + 3) * change2 + rows.get(m + 4) * twist);
  velocity.z = velocity.z + (rows.get(m + 2) * change1 + rows.get(m + 4) * change2 + rows.get(m + 5) * twist);
}

void relax(Batches& batches, const SweepSettings& settings, Motion* motions, std::size_t begin, std::size_t end) {
  const V per_h = set(1 / settings.h);
  for (std::size_t k = begin; k < end; ++k) {
    float* batch = batches.batch(k);
    const Rows rows(batch);
    // Lanes that had nothing to do before the move have nothing to do now, whatever their neighbours in the batch do.
    const V awake = rows.get(kAwake);
    if (hn::AllTrue(D(), hn::Eq(awake, zero()))) continue;
    fetch(batch + kFieldCount * kLanes, kNormal, kFieldCount);
    const std::size_t place = k * kLanes;
    const std::int32_t *base = &batches.read_base[place], *probe = &batches.read_probe[place];
    const V3 n = rows.get3(kNormal);
    Pair motion = Pair::read(motions, base, probe);
    const Normals group{normal_group(rows, n, motion)};
    Points points;
    for (std::size_t i = 0; i < kPoints; ++i) {
      const V velocity = group.at(rows.get(kX + i), rows.get(kY + i));
      // The gap after the move, but for what this sweep has already changed: of no account against the gap itself.
      const V bias = positive(rows.get(kOpening + i) * per_h + velocity);
      points.begin(rows, i, velocity + bias, awake);
    }
    points.press(rows, 1);
    const V3 pressed = points.given(rows);
    motion.push(pressed.x * n);
    rows.turn(0, pressed, motion);

    const V3 t1 = rows.get3(kTangent), t2 = cross(n, t1), apart = motion.relative();
    V3 sliding{dot(t1, apart) + rows.turning(3, motion), dot(t2, apart) + rows.turning(4, motion),
               rows.turning(5, motion)};
    V3 given{zero(), zero(), zero()};
    const V friction = rows.get(kFriction);
    V f1[kPoints], f2[kPoints];
    for (std::size_t i = 0; i < kPoints; ++i) {
      f1[i] = rows.get(kTangentImpulse + i);
      f2[i] = rows.get(kAcrossImpulse + i);
    }
    for (int pass = 0; pass < settings.friction_passes; ++pass)
      for (std::size_t i = 0; i < kPoints; ++i) rub(rows, i, friction, points.impulse[i], f1[i], f2[i], sliding, given);
    motion.push(given.x * t1 + given.y * t2);
    rows.turn(3, given, motion);
    motion.write(motions, &batches.write_base[place], &batches.write_probe[place]);
    for (std::size_t i = 0; i < kPoints; ++i) {
      put(batch, kNormalImpulse + i, points.impulse[i]);
      put(batch, kTangentImpulse + i, f1[i]);
      put(batch, kAcrossImpulse + i, f2[i]);
      put(batch, kNormalSum + i, rows.get(kNormalSum + i) + points.impulse[i]);
      put(batch, kTangentSum + i, rows.get(kTangentSum + i) + f1[i]);
      put(batch, kAcrossSum + i, rows.get(kAcrossSum + i) + f2[i]);
    }
  }
}

Kernels table(const char* name);  // fast/kernel_choice.cpp calls it
Kernels table(const char* name) { return {kLanes, name, prepare, find_approaching, apply, push, relax}; }

}  // namespace carom::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
