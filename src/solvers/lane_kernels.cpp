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

/// Vectors of the machine, at most eight numbers long.
template <class Number>
struct Machine;
template <>
struct Machine<double> {
  static constexpr int kBytes = CAROM_VECTOR_BYTES;
  using Vector = double __attribute__((vector_size(kBytes), may_alias));
  using Mask = long long __attribute__((vector_size(kBytes)));
};
template <>
struct Machine<float> {
#if CAROM_VECTOR_BYTES > 32
  static constexpr int kBytes = 32;
#else
  static constexpr int kBytes = CAROM_VECTOR_BYTES;
#endif
  using Vector = float __attribute__((vector_size(kBytes), may_alias));
  using Mask = int __attribute__((vector_size(kBytes)));
};
template <class Number>
using Vector = typename Machine<Number>::Vector;
template <class Number>
constexpr int kWidth = Machine<Number>::kBytes / static_cast<int>(sizeof(Number));
template <class Number>
constexpr int kParts = kLaneCount / kWidth<Number>;

/// Eight lanes as vectors of the machine.
template <class Number>
struct Wide {
  Vector<Number> part[kParts<Number>];
};
template <class Number>
struct WideMask {
  typename Machine<Number>::Mask part[kParts<Number>];
};

#define CAROM_WIDE_OPERATOR(op)                                                  \
  template <class Number>                                                        \
  Wide<Number> operator op(Wide<Number> a, const Wide<Number>& b) {              \
    for (int i = 0; i < kParts<Number>; ++i) a.part[i] = a.part[i] op b.part[i]; \
    return a;                                                                    \
  }
CAROM_WIDE_OPERATOR(+)
CAROM_WIDE_OPERATOR(-)
CAROM_WIDE_OPERATOR(*)
CAROM_WIDE_OPERATOR(/)
#undef CAROM_WIDE_OPERATOR

template <class Number>
Wide<Number> spread(double value) {
  Wide<Number> w;
  for (Vector<Number>& part : w.part) part = static_cast<Number>(value) - Vector<Number>{};
  return w;
}

template <class Number>
Wide<Number> load(const Number* from) {
  Wide<Number> w;
  for (int i = 0; i < kParts<Number>; ++i)
    w.part[i] = *reinterpret_cast<const Vector<Number>*>(from + i * kWidth<Number>);
  return w;
}

template <class Number>
void store(Number* to, const Wide<Number>& w) {
  for (int i = 0; i < kParts<Number>; ++i) *reinterpret_cast<Vector<Number>*>(to + i * kWidth<Number>) = w.part[i];
}

template <class Number>
WideMask<Number> at_most(const Wide<Number>& a, const Wide<Number>& b) {
  WideMask<Number> m;
  for (int i = 0; i < kParts<Number>; ++i) m.part[i] = a.part[i] <= b.part[i];
  return m;
}

template <class Number>
WideMask<Number> operator&(WideMask<Number> a, const WideMask<Number>& b) {
  for (int i = 0; i < kParts<Number>; ++i) a.part[i] &= b.part[i];
  return a;
}

template <class Number>
Wide<Number> select(const WideMask<Number>& m, const Wide<Number>& yes, const Wide<Number>& no) {
  Wide<Number> w;
  for (int i = 0; i < kParts<Number>; ++i) w.part[i] = m.part[i] ? yes.part[i] : no.part[i];
  return w;
}

template <class Number>
Wide<Number> larger(const Wide<Number>& a, const Wide<Number>& b) {
  return select(at_most(a, b), b, a);
}

CAROM_INLINE Vector<double> root(Vector<double> part) {
#if CAROM_VECTOR_BYTES == 64 && defined(__AVX512F__)
  return _mm512_maskz_sqrt_pd(0xff, part);  // g++ 12 warns of the plain one (its bug 105593)
#elif CAROM_VECTOR_BYTES == 32 && defined(__AVX__)
  return _mm256_sqrt_pd(part);
#elif defined(__x86_64__)
  return _mm_sqrt_pd(part);
#else
  for (int k = 0; k < kWidth<double>; ++k) part[k] = __builtin_sqrt(part[k]);
  return part;
#endif
}

CAROM_INLINE Vector<float> root(Vector<float> part) {
#if CAROM_VECTOR_BYTES >= 32 && defined(__AVX__)
  return _mm256_sqrt_ps(part);
#elif defined(__x86_64__)
  return _mm_sqrt_ps(part);
#else
  for (int k = 0; k < kWidth<float>; ++k) part[k] = __builtin_sqrtf(part[k]);
  return part;
#endif
}

template <class Number>
Wide<Number> root(Wide<Number> w) {
  for (Vector<Number>& part : w.part) part = root(part);
  return w;
}

template <class Number>
Wide<Number> magnitude(const Wide<Number>& w) {
  return larger(w, spread<Number>(0) - w);
}

/// Step s of a transposition: in rows i and i + s, columns k + s of the first and k of the second change places.
#define CAROM_EXCHANGE(s, low, high)                               \
  for (int i = 0; i < kWidth<Number>; ++i)                         \
    if ((i & (s)) == 0) {                                          \
      const Vector<Number> a = r[i], b = r[i + (s)];               \
      r[i] = __builtin_shufflevector(a, b, CAROM_LIST low);        \
      r[i + (s)] = __builtin_shufflevector(a, b, CAROM_LIST high); \
    }
#define CAROM_LIST(...) __VA_ARGS__

/// Transposes kWidth × kWidth numbers.
template <class Number>
CAROM_INLINE void transpose(Vector<Number>* r) {
  if constexpr (kWidth<Number> == 8) {
    CAROM_EXCHANGE(1, (0, 8, 2, 10, 4, 12, 6, 14), (1, 9, 3, 11, 5, 13, 7, 15))
    CAROM_EXCHANGE(2, (0, 1, 8, 9, 4, 5, 12, 13), (2, 3, 10, 11, 6, 7, 14, 15))
    CAROM_EXCHANGE(4, (0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15))
  } else if constexpr (kWidth<Number> == 4) {
    CAROM_EXCHANGE(1, (0, 4, 2, 6), (1, 5, 3, 7))
    CAROM_EXCHANGE(2, (0, 1, 4, 5), (2, 3, 6, 7))
  } else {
    CAROM_EXCHANGE(1, (0, 2), (1, 3))
  }
}
#undef CAROM_EXCHANGE
#undef CAROM_LIST

/// Vectors of a body's row that hold something.
template <class Number>
constexpr int kColumnParts = (6 + kWidth<Number> - 1) / kWidth<Number>;

/// Velocities of eight bodies: v[k] is component k of all.
template <class Number>
CAROM_INLINE void load_bodies(const Number* velocities, const std::int32_t* bodies, Wide<Number>* v) {
  constexpr int width = kWidth<Number>;
  for (int p = 0; p < kParts<Number>; ++p)
    for (int q = 0; q < kColumnParts<Number>; ++q) {
      Vector<Number> block[width];
      for (int i = 0; i < width; ++i)
        block[i] = *reinterpret_cast<const Vector<Number>*>(velocities + 8L * bodies[p * width + i] + q * width);
      transpose<Number>(block);
      for (int i = 0; i < width && q * width + i < 6; ++i) v[q * width + i].part[p] = block[i];
    }
}

/// The way back, added up: lanes one after the other, so that bodies that are not there may be named twice.
template <class Number>
CAROM_INLINE void add_to_bodies(Number* velocities, const std::int32_t* bodies, const Wide<Number>* v) {
  constexpr int width = kWidth<Number>;
  for (int p = 0; p < kParts<Number>; ++p)
    for (int q = 0; q < kColumnParts<Number>; ++q) {
      Vector<Number> block[width];
      for (int i = 0; i < width; ++i) block[i] = q * width + i < 6 ? v[q * width + i].part[p] : Vector<Number>{};
      transpose<Number>(block);
      for (int i = 0; i < width; ++i)
        *reinterpret_cast<Vector<Number>*>(velocities + 8L * bodies[p * width + i] + q * width) += block[i];
    }
}

template <class Number>
struct Triple {
  Wide<Number> n, y, z;
};

template <class Number>
Triple<Number> load_triple(const Number* from) {
  return {load(from), load(from + kLaneCount), load(from + 2 * kLaneCount)};
}
template <class Number>
void store_triple(Number* to, const Triple<Number>& t) {
  store(to, t.n);
  store(to + kLaneCount, t.y);
  store(to + 2 * kLaneCount, t.z);
}
template <class Number>
Triple<Number> operator-(const Triple<Number>& a, const Triple<Number>& b) {
  return {a.n - b.n, a.y - b.y, a.z - b.z};
}
template <class Number>
Triple<Number> operator+(const Triple<Number>& a, const Triple<Number>& b) {
  return {a.n + b.n, a.y + b.y, a.z + b.z};
}
template <class Number>
Triple<Number> operator*(const Wide<Number>& s, const Triple<Number>& a) {
  return {s * a.n, s * a.y, s * a.z};
}
template <class Number>
Wide<Number> dot(const Triple<Number>& a, const Triple<Number>& b) {
  return (a.n * b.n + a.y * b.y) + a.z * b.z;
}
template <class Number>
CAROM_INLINE Triple<Number> cross(const Triple<Number>& a, const Triple<Number>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.n - a.n * b.z, a.n * b.y - a.y * b.n};
}
template <class Number>
Triple<Number> select(const WideMask<Number>& m, const Triple<Number>& yes, const Triple<Number>& no) {
  return {select(m, yes.n, no.n), select(m, yes.y, no.y), select(m, yes.z, no.z)};
}

/// Linear and angular velocities of the bodies of a group, or forces and moments on them.
template <class Number>
struct Motion {
  Triple<Number> linear, angular;
};
template <class Number>
struct Bodies {
  Motion<Number> a, b;
};

template <class Number>
CAROM_INLINE Motion<Number> load_motion(const Number* velocities, const std::int32_t* bodies) {
  Wide<Number> v[6];
  load_bodies(velocities, bodies, v);
  return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
}

template <class Number>
CAROM_INLINE void add_motion(Number* velocities, const std::int32_t* bodies, const Motion<Number>& m) {
  const Wide<Number> v[6] = {m.linear.n, m.linear.y, m.linear.z, m.angular.n, m.angular.y, m.angular.z};
  add_to_bodies(velocities, bodies, v);
}

template <class Number>
CAROM_INLINE Triple<Number> second_tangent(const LaneBatch<Number>& batch) {
  return cross(load_triple(batch.axes[0]), load_triple(batch.axes[3]));
}

template <class Number>
CAROM_INLINE Triple<Number> velocity_at(const LaneBatch<Number>& batch, const Triple<Number>& second,
                                        const Bodies<Number>& bodies) {
  const auto d = (bodies.b.linear + cross(bodies.b.angular, load_triple(batch.arm_b[0]))) -
                 (bodies.a.linear + cross(bodies.a.angular, load_triple(batch.arm_a[0])));
  return {load(batch.bias[0]) + dot(load_triple(batch.axes[0]), d),
          load(batch.bias[1]) + dot(load_triple(batch.axes[3]), d), load(batch.bias[2]) + dot(second, d)};
}

template <class Number>
CAROM_INLINE void add_impulse(const LaneBatch<Number>& batch, const Triple<Number>& second,
                              const Triple<Number>& impulse, Bodies<Number>& wrench) {
  const auto j = impulse.n * load_triple(batch.axes[0]) + impulse.y * load_triple(batch.axes[3]) + impulse.z * second;
  wrench.a.linear = wrench.a.linear - j;
  wrench.a.angular = wrench.a.angular - cross(load_triple(batch.arm_a[0]), j);
  wrench.b.linear = wrench.b.linear + j;
  wrench.b.angular = wrench.b.angular + cross(load_triple(batch.arm_b[0]), j);
}

/// S v̂ of one body.
template <class Number>
CAROM_INLINE void unscale(const LaneScale<Number>& s, const Number* scaled, Number* velocity) {
  for (int k = 0; k < 3; ++k) velocity[k] = s.linear * scaled[k];
  const Number x = scaled[3], y = scaled[4], z = scaled[5];
  velocity[3] = s.angular[0] * x;
  velocity[4] = s.angular[1] * x + s.angular[2] * y;
  velocity[5] = (s.angular[3] * x + s.angular[4] * y) + s.angular[5] * z;
}

/// to += Sᵀ wrench of one body.
template <class Number>
CAROM_INLINE void add_scaled(const LaneScale<Number>& s, const Number* wrench, Number* to) {
  for (int k = 0; k < 3; ++k) to[k] += s.linear * wrench[k];
  const Number x = wrench[3], y = wrench[4], z = wrench[5];
  to[3] += (s.angular[0] * x + s.angular[1] * y) + s.angular[3] * z;
  to[4] += s.angular[2] * y + s.angular[4] * z;
  to[5] += s.angular[5] * z;
}

/// The convex model on any set: steps go against the velocity itself.
struct Convex {
  template <class Number>
  static Triple<Number> field(const Triple<Number>& u, const Wide<Number>& /*mu*/) {
    return u;
  }
  template <class Number>
  static Triple<Number> lagged_field(const Triple<Number>& u, const Wide<Number>& /*mu*/, Number* /*shift*/) {
    return u;
  }
};

/// As project_on_cone of math/cone.h.
struct Cone : Convex {
  template <class Number>
  CAROM_INLINE static Triple<Number> project(const Triple<Number>& p, const Wide<Number>& mu) {
    const auto zero = spread<Number>(0), one = spread<Number>(1);
    const auto r = root(p.y * p.y + p.z * p.z);
    const auto inside = at_most(zero, p.n) & at_most(r, mu * p.n);
    const auto polar = at_most(mu * r, zero - p.n);
    const auto normal = (p.n + mu * r) / (one + mu * mu);
    const auto scale = mu * normal / select(at_most(r, zero), one, r);
    const Triple<Number> apex{zero, zero, zero}, side{normal, scale * p.y, scale * p.z};
    return select(inside, p, select(polar, apex, side));
  }
};

/// Coulomb's law: it has no potential, but its solutions are where steps along this field end.
struct Coulomb : Cone {
  template <class Number>
  static Wide<Number> shift_of(const Triple<Number>& u, const Wide<Number>& mu) {
    return mu * root(u.y * u.y + u.z * u.z);
  }
  template <class Number>
  static Triple<Number> field(const Triple<Number>& u, const Wide<Number>& mu) {
    return {u.n + shift_of(u, mu), u.y, u.z};
  }
  template <class Number>
  static Triple<Number> lagged_field(const Triple<Number>& u, const Wide<Number>& mu, Number* shift) {
    const auto before = load(shift);
    const auto now = before + spread<Number>(kShiftFollows) * (shift_of(u, mu) - before);
    store(shift, now);
    return {u.n + now, u.y, u.z};
  }
};

/// As project_on_pyramid of contact/pyramid.h: eight sides, the nearest face, its edges, the apex.
struct Pyramid : Convex {
  template <class Number>
  CAROM_INLINE static Triple<Number> project(const Triple<Number>& p, const Wide<Number>& mu) {
    const auto zero = spread<Number>(0), one = spread<Number>(1);
    const auto inner = spread<Number>(0.92387953251128675613), half_side = spread<Number>(0.38268343236508977173);
    const auto slope = spread<Number>(0.41421356237309504880), diagonal = spread<Number>(0.70710678118654752440);
    const auto ay = magnitude(p.y), az = magnitude(p.z);
    const auto near_y = at_most(az, slope * ay), near_z = at_most(ay, slope * az);
    const auto fy = select(near_y, one, select(near_z, zero, diagonal));
    const auto fz = select(near_y, zero, select(near_z, one, diagonal));
    const auto y_negative = at_most(p.y, zero), z_negative = at_most(p.z, zero);
    const auto face_y = select(y_negative, zero - fy, fy), face_z = select(z_negative, zero - fz, fz);
    const auto along = face_y * p.y + face_z * p.z, across = face_y * p.z - face_z * p.y;

    const auto k = mu * inner, half = mu * half_side;
    const auto inside = at_most(zero, p.n) & at_most(along, k * p.n);
    const auto on_face = (p.n + k * along) / (one + k * k);
    const auto off = magnitude(across);
    const auto face = at_most(zero, on_face) & at_most(off, half * on_face);
    const auto on_edge = larger((p.n + k * along + half * off) / (one + mu * mu), zero);
    const auto edge_across = half * on_edge;
    const auto normal = select(face, on_face, on_edge);
    const auto q = select(face, across, select(at_most(across, zero), zero - edge_across, edge_across));
    const auto pa = k * normal;
    const Triple<Number> outside{normal, pa * face_y - q * face_z, pa * face_z + q * face_y};
    return select(inside, p, outside);
  }
};

template <class Number>
void extrapolate_velocities(const LaneContacts<Number>& contacts, GradientStep<Number>& step) {
  const auto beta = spread<Number>(step.beta), zero = spread<Number>(0);
  for (long i = 0; i < contacts.bodies; ++i) {
    const auto current = load(step.velocity_current + 8 * i);
    store(step.velocity_y + 8 * i, current + beta * (current - load(step.velocity_previous + 8 * i)));
    unscale(contacts.scales[i], step.velocity_y + 8 * i, step.unscaled + 8 * i);
    store(step.wrench + 8 * i, zero);
  }
}

template <class Number>
void apply_wrenches(const LaneContacts<Number>& contacts, GradientStep<Number>& step) {
  // A vector read at once from where single numbers have just been written would wait for them.
  constexpr long kBlock = 16;
  auto sum = spread<Number>(0);
  for (long first = 0; first < contacts.bodies; first += kBlock) {
    const long last = first + kBlock < contacts.bodies ? first + kBlock : contacts.bodies;
    for (long i = first; i < last; ++i) {
      Number* next = step.velocity_next + 8 * i;
      store(next, load(step.velocity_free + 8 * i));
      add_scaled(contacts.scales[i], step.wrench + 8 * i, next);
    }
    for (long i = first; i < last; ++i) {
      const auto change = load(step.velocity_next + 8 * i) - load(step.velocity_y + 8 * i);
      sum = sum + change * change;
    }
  }
  store(step.travelled, sum);
}

/// What a step adds up over contacts.
template <class Number>
struct StepSums {
  Wide<Number> moved = spread<Number>(0), along = spread<Number>(0), largest = spread<Number>(0);
};

template <class Law, class Number>
CAROM_INLINE void step_batch(const LaneBatch<Number>& batch, const GradientStep<Number>& step, long i,
                             const Bodies<Number>& bodies, Bodies<Number>& wrench, StepSums<Number>& sums) {
  const long at = 3L * kLaneCount * i;
  const auto second = second_tangent(batch);
  const auto current = load_triple(step.current + at), previous = load_triple(step.previous + at);
  const auto y = current + spread<Number>(step.beta) * (current - previous);
  const auto mu = load(batch.mu), weight = load(batch.weight);
  const auto plain = velocity_at(batch, second, bodies) + (spread<Number>(step.compliance) * weight) * y;
  const auto u = Law::lagged_field(plain, mu, step.shift + static_cast<long>(kLaneCount) * i);
  const auto size = spread<Number>(step.inverse_l) * load(batch.rho);
  const auto next = Law::project(y - size * u, mu);
  store_triple(step.next + at, next);
  add_impulse(batch, second, next, wrench);
  const auto change = next - y;
  const auto weighted = weight * dot(change, change);
  sums.moved = sums.moved + weighted;
  sums.along = sums.along + dot(u, next - current);
  sums.largest = larger(sums.largest, weight * weighted);
}

template <class Law, class Number>
void gradient_step(const LaneContacts<Number>& contacts, GradientStep<Number>& step) {
  extrapolate_velocities(contacts, step);
  StepSums<Number> sums;
  const Triple<Number> none{spread<Number>(0), spread<Number>(0), spread<Number>(0)};
  for (long g = 0; g < contacts.group_count; ++g) {
    const LaneGroup& group = contacts.groups[g];
    const Bodies<Number> bodies{load_motion(step.unscaled, group.a), load_motion(step.unscaled, group.b)};
    Bodies<Number> wrench{{none, none}, {none, none}};
    for (long i = group.first; i < group.last; ++i) step_batch<Law>(contacts.batches[i], step, i, bodies, wrench, sums);
    add_motion(step.wrench, group.a, wrench.a);
    add_motion(step.wrench, group.b, wrench.b);
  }
  apply_wrenches(contacts, step);
  store(step.moved, sums.moved);
  store(step.along, sums.along);
  store(step.largest, sums.largest);
}

template <class Number>
void any_gradient_step(const LaneContacts<Number>& contacts, GradientStep<Number>& step) {
  switch (step.law) {
    case LaneLaw::Cone:
      return gradient_step<Cone>(contacts, step);
    case LaneLaw::Pyramid:
      return gradient_step<Pyramid>(contacts, step);
    case LaneLaw::Coulomb:
      return gradient_step<Coulomb>(contacts, step);
  }
}

template <class Law, class Number>
void residual(const LaneContacts<Number>& contacts, ResidualCheck<Number>& check) {
  const auto compliance = spread<Number>(check.compliance);
  auto largest = spread<Number>(0), sum = spread<Number>(0);
  for (long i = 0; i < contacts.bodies; ++i)
    unscale(contacts.scales[i], check.velocities + 8 * i, check.unscaled + 8 * i);
  for (long g = 0; g < contacts.group_count; ++g) {
    const LaneGroup& group = contacts.groups[g];
    const Bodies<Number> bodies{load_motion(check.unscaled, group.a), load_motion(check.unscaled, group.b)};
    for (long i = group.first; i < group.last; ++i) {
      const LaneBatch<Number>& batch = contacts.batches[i];
      const auto j = load_triple(check.impulses + 3L * kLaneCount * i);
      const auto mu = load(batch.mu), weight = load(batch.weight);
      const auto u = Law::field(velocity_at(batch, second_tangent(batch), bodies) + (compliance * weight) * j, mu);
      const auto error = j - Law::project(j - load(batch.rho) * u, mu);
      const auto size = weight * weight * dot(error, error);
      largest = larger(largest, size);
      sum = sum + size;
    }
  }
  store(check.largest, largest);
  store(check.sum, sum);
}

template <class Number>
void any_residual(const LaneContacts<Number>& contacts, ResidualCheck<Number>& check) {
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

const LaneKernels<double> kDoubleLanes{any_gradient_step<double>, any_residual<double>};
const LaneKernels<float> kFloatLanes{any_gradient_step<float>, any_residual<float>};

}  // namespace carom::CAROM_WIDE
