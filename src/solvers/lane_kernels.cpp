// Compiled once for each width (cmake/CaromWide.cmake): nothing here may be inline in the linker's sense, so all is in
// an unnamed namespace and no header with inline functions of our own comes in.
#include "solvers/lane_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/// Vectors that go through memory on their way into a function cost more than what it does with them, and the compiler
/// does not see that.
#define CAROM_INLINE [[gnu::always_inline]] inline

namespace carom::CAROM_WIDE {
namespace {

using Vector = double __attribute__((vector_size(CAROM_VECTOR_BYTES), may_alias));
using Mask = long long __attribute__((vector_size(CAROM_VECTOR_BYTES)));
constexpr int kWidth = CAROM_VECTOR_BYTES / sizeof(double);
constexpr int kParts = kLaneCount / kWidth;

/// Eight lanes as vectors of the machine.
struct Wide {
  Vector part[kParts];
};
struct WideMask {
  Mask part[kParts];
};

#define CAROM_WIDE_OPERATOR(op)                                          \
  Wide operator op(Wide a, const Wide& b) {                              \
    for (int i = 0; i < kParts; ++i) a.part[i] = a.part[i] op b.part[i]; \
    return a;                                                            \
  }
CAROM_WIDE_OPERATOR(+)
CAROM_WIDE_OPERATOR(-)
CAROM_WIDE_OPERATOR(*)
CAROM_WIDE_OPERATOR(/)
#undef CAROM_WIDE_OPERATOR

Wide spread(double value) {
  Wide w;
  for (Vector& part : w.part) part = value - Vector{};
  return w;
}

Wide load(const double* from) {
  Wide w;
  for (int i = 0; i < kParts; ++i) w.part[i] = *reinterpret_cast<const Vector*>(from + i * kWidth);
  return w;
}

void store(double* to, const Wide& w) {
  for (int i = 0; i < kParts; ++i) *reinterpret_cast<Vector*>(to + i * kWidth) = w.part[i];
}

WideMask at_most(const Wide& a, const Wide& b) {
  WideMask m;
  for (int i = 0; i < kParts; ++i) m.part[i] = a.part[i] <= b.part[i];
  return m;
}

WideMask operator&(WideMask a, const WideMask& b) {
  for (int i = 0; i < kParts; ++i) a.part[i] &= b.part[i];
  return a;
}

Wide select(const WideMask& m, const Wide& yes, const Wide& no) {
  Wide w;
  for (int i = 0; i < kParts; ++i) w.part[i] = m.part[i] ? yes.part[i] : no.part[i];
  return w;
}

Wide larger(const Wide& a, const Wide& b) { return select(at_most(a, b), b, a); }

Wide root(Wide w) {
  for (Vector& part : w.part) {
#if CAROM_VECTOR_BYTES == 64 && defined(__AVX512F__)
    part = _mm512_maskz_sqrt_pd(0xff, part);  // g++ 12 warns of the plain one (its bug 105593)
#elif CAROM_VECTOR_BYTES == 32 && defined(__AVX__)
    part = _mm256_sqrt_pd(part);
#elif defined(__x86_64__)
    part = _mm_sqrt_pd(part);
#else
    for (int k = 0; k < kWidth; ++k) part[k] = __builtin_sqrt(part[k]);
#endif
  }
  return w;
}

Wide magnitude(const Wide& w) { return larger(w, spread(0) - w); }

/// Step s of a transposition: in rows i and i + s, columns k + s of the first and k of the second change places.
#define CAROM_EXCHANGE(s, low, high)                               \
  for (int i = 0; i < kWidth; ++i)                                 \
    if ((i & (s)) == 0) {                                          \
      const Vector a = r[i], b = r[i + (s)];                       \
      r[i] = __builtin_shufflevector(a, b, CAROM_LIST low);        \
      r[i + (s)] = __builtin_shufflevector(a, b, CAROM_LIST high); \
    }
#define CAROM_LIST(...) __VA_ARGS__

/// Transposes kWidth × kWidth numbers.
CAROM_INLINE void transpose(Vector* r) {
#if CAROM_VECTOR_BYTES == 64
  CAROM_EXCHANGE(1, (0, 8, 2, 10, 4, 12, 6, 14), (1, 9, 3, 11, 5, 13, 7, 15))
  CAROM_EXCHANGE(2, (0, 1, 8, 9, 4, 5, 12, 13), (2, 3, 10, 11, 6, 7, 14, 15))
  CAROM_EXCHANGE(4, (0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15))
#elif CAROM_VECTOR_BYTES == 32
  CAROM_EXCHANGE(1, (0, 4, 2, 6), (1, 5, 3, 7))
  CAROM_EXCHANGE(2, (0, 1, 4, 5), (2, 3, 6, 7))
#else
  CAROM_EXCHANGE(1, (0, 2), (1, 3))
#endif
}
#undef CAROM_EXCHANGE
#undef CAROM_LIST

constexpr int kColumnParts = (6 + kWidth - 1) / kWidth;  // vectors of a body's row that hold something

/// Velocities of eight bodies: v[k] is component k of all.
CAROM_INLINE void load_bodies(const double* velocities, const std::int32_t* bodies, Wide* v) {
  for (int p = 0; p < kParts; ++p)
    for (int q = 0; q < kColumnParts; ++q) {
      Vector block[kWidth];
      for (int i = 0; i < kWidth; ++i)
        block[i] = *reinterpret_cast<const Vector*>(velocities + 8L * bodies[p * kWidth + i] + q * kWidth);
      transpose(block);
      for (int i = 0; i < kWidth && q * kWidth + i < 6; ++i) v[q * kWidth + i].part[p] = block[i];
    }
}

/// The way back, added up: lanes one after the other, so that bodies that are not there may be named twice.
CAROM_INLINE void add_to_bodies(double* velocities, const std::int32_t* bodies, const Wide* v) {
  for (int p = 0; p < kParts; ++p)
    for (int q = 0; q < kColumnParts; ++q) {
      Vector block[kWidth];
      for (int i = 0; i < kWidth; ++i) block[i] = q * kWidth + i < 6 ? v[q * kWidth + i].part[p] : Vector{};
      transpose(block);
      for (int i = 0; i < kWidth; ++i)
        *reinterpret_cast<Vector*>(velocities + 8L * bodies[p * kWidth + i] + q * kWidth) += block[i];
    }
}

struct Triple {
  Wide n, y, z;
};

Triple load_triple(const double* from) { return {load(from), load(from + kLaneCount), load(from + 2 * kLaneCount)}; }
void store_triple(double* to, const Triple& t) {
  store(to, t.n);
  store(to + kLaneCount, t.y);
  store(to + 2 * kLaneCount, t.z);
}
Triple operator-(const Triple& a, const Triple& b) { return {a.n - b.n, a.y - b.y, a.z - b.z}; }
Triple operator+(const Triple& a, const Triple& b) { return {a.n + b.n, a.y + b.y, a.z + b.z}; }
Triple operator*(const Wide& s, const Triple& a) { return {s * a.n, s * a.y, s * a.z}; }
Wide dot(const Triple& a, const Triple& b) { return (a.n * b.n + a.y * b.y) + a.z * b.z; }
Triple select(const WideMask& m, const Triple& yes, const Triple& no) {
  return {select(m, yes.n, no.n), select(m, yes.y, no.y), select(m, yes.z, no.z)};
}

/// Linear and angular velocities of the bodies of a group, or forces and moments on them.
struct Motion {
  Triple linear, angular;
};
struct Bodies {
  Motion a, b;
};

CAROM_INLINE Motion load_motion(const double* velocities, const std::int32_t* bodies) {
  Wide v[6];
  load_bodies(velocities, bodies, v);
  return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
}

CAROM_INLINE void add_motion(double* velocities, const std::int32_t* bodies, const Motion& m) {
  const Wide v[6] = {m.linear.n, m.linear.y, m.linear.z, m.angular.n, m.angular.y, m.angular.z};
  add_to_bodies(velocities, bodies, v);
}

CAROM_INLINE Triple cross(const Triple& a, const Triple& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.n - a.n * b.z, a.n * b.y - a.y * b.n};
}

Triple load_arm(const double (*arm)[kLaneCount]) { return load_triple(arm[0]); }

CAROM_INLINE Triple velocity_at(const LaneBatch& batch, const Bodies& bodies) {
  const Triple d = (bodies.b.linear + cross(bodies.b.angular, load_arm(batch.arm_b))) -
                   (bodies.a.linear + cross(bodies.a.angular, load_arm(batch.arm_a)));
  return {load(batch.bias[0]) + dot(load_triple(batch.axes[0]), d),
          load(batch.bias[1]) + dot(load_triple(batch.axes[3]), d),
          load(batch.bias[2]) + dot(load_triple(batch.axes[6]), d)};
}

CAROM_INLINE void add_impulse(const LaneBatch& batch, const Triple& impulse, Bodies& wrench) {
  const Triple j = impulse.n * load_triple(batch.axes[0]) + impulse.y * load_triple(batch.axes[3]) +
                   impulse.z * load_triple(batch.axes[6]);
  wrench.a.linear = wrench.a.linear - j;
  wrench.a.angular = wrench.a.angular - cross(load_arm(batch.arm_a), j);
  wrench.b.linear = wrench.b.linear + j;
  wrench.b.angular = wrench.b.angular + cross(load_arm(batch.arm_b), j);
}

/// S v̂ of one body.
CAROM_INLINE void unscale(const LaneScale& s, const double* scaled, double* velocity) {
  for (int k = 0; k < 3; ++k) velocity[k] = s.linear * scaled[k];
  const double x = scaled[3], y = scaled[4], z = scaled[5];
  velocity[3] = s.angular[0] * x;
  velocity[4] = s.angular[1] * x + s.angular[2] * y;
  velocity[5] = (s.angular[3] * x + s.angular[4] * y) + s.angular[5] * z;
}

/// to += Sᵀ wrench of one body.
CAROM_INLINE void add_scaled(const LaneScale& s, const double* wrench, double* to) {
  for (int k = 0; k < 3; ++k) to[k] += s.linear * wrench[k];
  const double x = wrench[3], y = wrench[4], z = wrench[5];
  to[3] += (s.angular[0] * x + s.angular[1] * y) + s.angular[3] * z;
  to[4] += s.angular[2] * y + s.angular[4] * z;
  to[5] += s.angular[5] * z;
}

/// As project_on_cone of math/cone.h.
struct Cone {
  static Triple field(const Triple& u, const Wide& /*mu*/) { return u; }
  static Triple lagged_field(const Triple& u, const Wide& /*mu*/, double* /*shift*/) { return u; }
  CAROM_INLINE static Triple project(const Triple& p, const Wide& mu) {
    const Wide zero = spread(0), one = spread(1);
    const Wide r = root(p.y * p.y + p.z * p.z);
    const WideMask inside = at_most(zero, p.n) & at_most(r, mu * p.n);
    const WideMask polar = at_most(mu * r, zero - p.n);
    const Wide normal = (p.n + mu * r) / (one + mu * mu);
    const Wide scale = mu * normal / select(at_most(r, zero), one, r);
    const Triple side{normal, scale * p.y, scale * p.z};
    return select(inside, p, select(polar, Triple{zero, zero, zero}, side));
  }
};

/// Coulomb's law: it has no potential, but its solutions are where steps along this field end.
struct Coulomb : Cone {
  static Wide shift_of(const Triple& u, const Wide& mu) { return mu * root(u.y * u.y + u.z * u.z); }
  static Triple field(const Triple& u, const Wide& mu) { return {u.n + shift_of(u, mu), u.y, u.z}; }
  static Triple lagged_field(const Triple& u, const Wide& mu, double* shift) {
    const Wide before = load(shift);
    const Wide now = before + spread(kShiftFollows) * (shift_of(u, mu) - before);
    store(shift, now);
    return {u.n + now, u.y, u.z};
  }
};

/// As project_on_pyramid of contact/pyramid.h: eight sides, the nearest face, its edges, the apex.
struct Pyramid {
  static Triple field(const Triple& u, const Wide& /*mu*/) { return u; }
  static Triple lagged_field(const Triple& u, const Wide& /*mu*/, double* /*shift*/) { return u; }
  CAROM_INLINE static Triple project(const Triple& p, const Wide& mu) {
    const Wide zero = spread(0), one = spread(1);
    const Wide inner = spread(0.92387953251128675613), half_side = spread(0.38268343236508977173);
    const Wide slope = spread(0.41421356237309504880), diagonal = spread(0.70710678118654752440);
    const Wide ay = magnitude(p.y), az = magnitude(p.z);
    const WideMask near_y = at_most(az, slope * ay), near_z = at_most(ay, slope * az);
    const Wide fy = select(near_y, one, select(near_z, zero, diagonal));
    const Wide fz = select(near_y, zero, select(near_z, one, diagonal));
    const WideMask y_negative = at_most(p.y, zero), z_negative = at_most(p.z, zero);
    const Wide face_y = select(y_negative, zero - fy, fy), face_z = select(z_negative, zero - fz, fz);
    const Wide along = face_y * p.y + face_z * p.z, across = face_y * p.z - face_z * p.y;

    const Wide k = mu * inner, half = mu * half_side;
    const WideMask inside = at_most(zero, p.n) & at_most(along, k * p.n);
    const Wide on_face = (p.n + k * along) / (one + k * k);
    const Wide off = magnitude(across);
    const WideMask face = at_most(zero, on_face) & at_most(off, half * on_face);
    const Wide on_edge = larger((p.n + k * along + half * off) / (one + mu * mu), zero);
    const Wide edge_across = half * on_edge;
    const Wide normal = select(face, on_face, on_edge);
    const Wide q = select(face, across, select(at_most(across, zero), zero - edge_across, edge_across));
    const Wide pa = k * normal;
    const Triple outside{normal, pa * face_y - q * face_z, pa * face_z + q * face_y};
    return select(inside, p, outside);
  }
};

void extrapolate_velocities(const LaneContacts& contacts, GradientStep& step) {
  const Wide beta = spread(step.beta), zero = spread(0);
  for (long i = 0; i < contacts.bodies; ++i) {
    const Wide current = load(step.velocity_current + 8 * i);
    store(step.velocity_y + 8 * i, current + beta * (current - load(step.velocity_previous + 8 * i)));
    unscale(contacts.scales[i], step.velocity_y + 8 * i, step.unscaled + 8 * i);
    store(step.wrench + 8 * i, zero);
  }
}

void apply_wrenches(const LaneContacts& contacts, GradientStep& step) {
  Wide sum = spread(0);
  for (long i = 0; i < contacts.bodies; ++i) {
    double* next = step.velocity_next + 8 * i;
    store(next, load(step.velocity_free + 8 * i));
    add_scaled(contacts.scales[i], step.wrench + 8 * i, next);
    const Wide change = load(next) - load(step.velocity_y + 8 * i);
    sum = sum + change * change;
  }
  store(step.travelled, sum);
}

/// What a step adds up over contacts.
struct StepSums {
  Wide moved = spread(0), along = spread(0), largest = spread(0);
};

template <class Law>
CAROM_INLINE void step_batch(const LaneBatch& batch, const GradientStep& step, long i, const Bodies& bodies,
                             Bodies& wrench, StepSums& sums) {
  const long at = 3L * kLaneCount * i;
  const Triple current = load_triple(step.current + at), previous = load_triple(step.previous + at);
  const Triple y = current + spread(step.beta) * (current - previous);
  const Wide mu = load(batch.mu), weight = load(batch.weight);
  const Triple plain = velocity_at(batch, bodies) + (spread(step.compliance) * weight) * y;
  const Triple u = Law::lagged_field(plain, mu, step.shift + static_cast<long>(kLaneCount) * i);
  const Wide size = spread(step.inverse_l) * load(batch.rho);
  const Triple next = Law::project(y - size * u, mu);
  store_triple(step.next + at, next);
  add_impulse(batch, next, wrench);
  const Triple change = next - y;
  const Wide weighted = weight * dot(change, change);
  sums.moved = sums.moved + weighted;
  sums.along = sums.along + dot(u, next - current);
  sums.largest = larger(sums.largest, weight * weighted);
}

template <class Law>
void gradient_step(const LaneContacts& contacts, GradientStep& step) {
  extrapolate_velocities(contacts, step);
  StepSums sums;
  const Triple none{spread(0), spread(0), spread(0)};
  for (long g = 0; g < contacts.group_count; ++g) {
    const LaneGroup& group = contacts.groups[g];
    const Bodies bodies{load_motion(step.unscaled, group.a), load_motion(step.unscaled, group.b)};
    Bodies wrench{{none, none}, {none, none}};
    for (long i = group.first; i < group.last; ++i) step_batch<Law>(contacts.batches[i], step, i, bodies, wrench, sums);
    add_motion(step.wrench, group.a, wrench.a);
    add_motion(step.wrench, group.b, wrench.b);
  }
  apply_wrenches(contacts, step);
  store(step.moved, sums.moved);
  store(step.along, sums.along);
  store(step.largest, sums.largest);
}

void any_gradient_step(const LaneContacts& contacts, GradientStep& step) {
  switch (step.law) {
    case LaneLaw::Cone:
      return gradient_step<Cone>(contacts, step);
    case LaneLaw::Pyramid:
      return gradient_step<Pyramid>(contacts, step);
    case LaneLaw::Coulomb:
      return gradient_step<Coulomb>(contacts, step);
  }
}

template <class Law>
void residual(const LaneContacts& contacts, ResidualCheck& check) {
  const Wide compliance = spread(check.compliance);
  Wide largest = spread(0), sum = spread(0);
  for (long i = 0; i < contacts.bodies; ++i)
    unscale(contacts.scales[i], check.velocities + 8 * i, check.unscaled + 8 * i);
  for (long g = 0; g < contacts.group_count; ++g) {
    const LaneGroup& group = contacts.groups[g];
    const Bodies bodies{load_motion(check.unscaled, group.a), load_motion(check.unscaled, group.b)};
    for (long i = group.first; i < group.last; ++i) {
      const LaneBatch& batch = contacts.batches[i];
      const Triple j = load_triple(check.impulses + 3L * kLaneCount * i);
      const Wide mu = load(batch.mu), weight = load(batch.weight);
      const Triple u = Law::field(velocity_at(batch, bodies) + (compliance * weight) * j, mu);
      const Triple error = j - Law::project(j - load(batch.rho) * u, mu);
      const Wide size = weight * weight * dot(error, error);
      largest = larger(largest, size);
      sum = sum + size;
    }
  }
  store(check.largest, largest);
  store(check.sum, sum);
}

void any_residual(const LaneContacts& contacts, ResidualCheck& check) {
  switch (check.law) {
    case LaneLaw::Cone:
      return residual<Cone>(contacts, check);
    case LaneLaw::Pyramid:
      return residual<Pyramid>(contacts, check);
    case LaneLaw::Coulomb:
      return residual<Coulomb>(contacts, check);
  }
}

}  // namespace

const LaneKernels kLaneKernels{any_gradient_step, any_residual};

}  // namespace carom::CAROM_WIDE
