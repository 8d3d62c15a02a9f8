// Eight contacts at a time against one at a time, in both precisions, and every width against every other.
#include "solvers/lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/simd.h"
#include "contact/pyramid.h"
#include "math/cone.h"
#include "solvers/solving.h"

namespace carom {
namespace {

using test::Random;

template <class Number>
struct Precision;
template <>
struct Precision<double> {
  static constexpr const LaneKernels<double>* kWidths[] = {&baseline::kDoubleLanes, &avx2::kDoubleLanes,
                                                           &avx512::kDoubleLanes};
  static constexpr Real kRounding = 1e-12;
};
template <>
struct Precision<float> {
  static constexpr const LaneKernels<float>* kWidths[] = {&baseline::kFloatLanes, &avx2::kFloatLanes,
                                                          &avx512::kFloatLanes};
  static constexpr Real kRounding = 1e-5;
};

template <class Number>
class LanesIn : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(LanesIn, Precisions);

/// The versions that this machine can run.
std::size_t usable_widths() { return choose<std::size_t>(widest_simd(), 1, 2, 3); }

struct Case {
  ContactProblem problem;
  ConeSystem system;
  Lanes lanes;
  std::vector<Vec3> impulses;

  Case(Random& random, int contacts) : problem(test::random_problem(random, contacts, 1000)) {
    for (ContactPoint& c : problem.contacts) c.mu_static = c.mu = 2 * c.mu;
    system.build(problem);
    lanes.build(system);
    for (const ConeContact& c : system.contacts) impulses.push_back(c.rho * random.vector(1));
  }
};

bool has_contact(const LaneBatch<double>& batch, int lane) {
  return std::ranges::any_of(batch.axes, [&](const double(&axis)[kLaneCount]) { return axis[lane] != 0; });
}

TEST(Lanes, EveryContactHasAPlaceOfItsOwnBesideThoseOfItsPair) {
  Random random(1);
  for (int round = 0; round < 20; ++round) {
    const Case c(random, random.integer(1, 600));
    const auto contacts = c.lanes.contacts<double>();
    long batch = 0, filled = 0;
    for (long g = 0; g < contacts.group_count; ++g) {
      const LaneGroup& group = contacts.groups[g];
      ASSERT_EQ(group.first, batch);
      ASSERT_GT(group.last, group.first);
      batch = group.last;
      for (int lane = 0; lane < kLaneCount; ++lane) {
        const auto matches = [&](const ConeContact& contact) {
          const auto nobody = static_cast<std::int32_t>(c.system.free_velocities.size());
          return (contact.a < 0 ? nobody : contact.a) == group.a[lane] &&
                 (contact.b < 0 ? nobody : contact.b) == group.b[lane];
        };
        long of_pair = 0;
        for (long i = group.first; i < group.last; ++i) of_pair += has_contact(contacts.batches[i], lane) ? 1 : 0;
        EXPECT_EQ(of_pair, std::ranges::count_if(c.system.contacts, matches));
        filled += of_pair;
      }
    }
    EXPECT_EQ(static_cast<std::size_t>(filled), c.system.contacts.size());
  }
}

TEST(Lanes, GiveBackWhatTheyTake) {
  Random random(2);
  const Case c(random, 100);
  LaneLines<Real> lines;
  std::vector<Vec3> impulses(c.impulses.size());
  c.lanes.take_impulses(c.impulses, lines);
  c.lanes.give_impulses(lines, impulses);
  EXPECT_EQ(impulses, c.impulses);
  std::vector<Vec6> velocities(c.system.free_velocities.size());
  c.lanes.take_velocities(c.system.free_velocities, lines);
  c.lanes.give_velocities(lines, velocities);
  EXPECT_EQ(velocities, c.system.free_velocities);
}

constexpr Real kCompliance = 0.01, kShift = 0.1;
constexpr LaneLaw kLaws[] = {LaneLaw::Cone, LaneLaw::Pyramid, LaneLaw::Coulomb};

/// A gradient step with all that goes into it and comes out.
template <class Number>
struct StepRun {
  LaneLines<Number> previous, current, next, v_free, v_previous, v_current, v_y, v_next, shift, unscaled, wrench;
  GradientStep<Number> step{};

  StepRun(const Case& c, const LaneKernels<Number>& kernels, LaneLaw law) {
    LaneLines<Real> lines;
    c.lanes.take_impulses(c.impulses, lines);
    convert(lines, current);
    previous = current;
    for (auto& line : previous)
      for (Number& value : line.value) value *= Number{0.5};
    next = current;  // of the right size; overwritten, as the others below
    c.lanes.take_velocities(c.system.free_velocities, lines);
    convert(lines, v_free);
    v_current = v_previous = v_free;
    for (auto& line : v_previous)
      for (Number& value : line.value) value *= Number{0.75};
    v_y = v_next = v_free;
    c.lanes.take_scalars(std::vector<Real>(c.impulses.size(), kShift), lines);
    convert(lines, shift);
    unscaled = wrench = v_free;
    step.previous = previous.front().value;
    step.current = current.front().value;
    step.next = next.front().value;
    step.velocity_free = v_free.front().value;
    step.velocity_previous = v_previous.front().value;
    step.velocity_current = v_current.front().value;
    step.velocity_y = v_y.front().value;
    step.velocity_next = v_next.front().value;
    step.shift = shift.front().value;
    step.unscaled = unscaled.front().value;
    step.wrench = wrench.front().value;
    step.beta = Number{0.5};
    step.inverse_l = static_cast<Number>(0.3);
    step.law = law;
    step.compliance = static_cast<Number>(kCompliance);
    kernels.gradient_step(c.lanes.contacts<Number>(), step);
  }
};

template <class Number>
bool same(const LaneLines<Number>& a, const LaneLines<Number>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
}

TYPED_TEST(LanesIn, GradientStepIsThatOfOneContactAtATime) {
  constexpr Real kRounding = Precision<TypeParam>::kRounding;
  Random random(3);
  for (const LaneLaw law : kLaws) {
    const Case c(random, 200);
    const StepRun<TypeParam> run(c, lane_kernels<TypeParam>(), law);
    std::vector<Vec6> v_y = c.system.free_velocities;
    for (Vec6& v : v_y)
      for (Real& x : v) x += 0.5 * 0.25 * x;  // v + β (v − ¾ v)
    std::vector<Vec3> next(c.impulses.size());
    c.lanes.give_impulses(run.next, next);
    Real moved = 0;
    for (std::size_t i = 0; i < next.size(); ++i) {
      const ConeContact& contact = c.system.contacts[i];
      const Vec3 y = c.impulses[i] + 0.5 * (0.5 * c.impulses[i]);
      Vec3 u = ConeSystem::velocity(contact, v_y) + (kCompliance / contact.rho) * y;
      if (law == LaneLaw::Coulomb) u.x += kShift + kShiftFollows * (contact.mu * std::hypot(u.y, u.z) - kShift);
      const Vec3 z = y - 0.3 * contact.rho * u;
      const Vec3 expected =
          law == LaneLaw::Pyramid ? project_on_pyramid(z, contact.mu) : project_on_cone(z, contact.mu);
      // The same sums in another order.
      EXPECT_LE(norm(next[i] - expected), kRounding * (norm(z) + norm(expected) + norm(contact.rho * u))) << i;
      moved += squared_norm(expected - y) / contact.rho;
    }
    Real sum = 0;
    for (const Real lane : run.step.moved) sum += lane;
    EXPECT_NEAR(sum, moved, 100 * kRounding * moved);
    std::vector<Vec6> expected_v, v(c.system.free_velocities.size());
    c.system.velocities_after(next, expected_v);
    LaneLines<Real> v_next;
    convert(run.v_next, v_next);
    c.lanes.give_velocities(v_next, v);
    for (std::size_t i = 0; i < v.size(); ++i)
      for (std::size_t k = 0; k < 6; ++k)
        EXPECT_NEAR(v[i][k], expected_v[i][k], 100 * kRounding * (1 + std::abs(v[i][k])));
  }
}

TYPED_TEST(LanesIn, ResidualIsThatOfOneContactAtATime) {
  Random random(4);
  const Case c(random, 200);
  LaneLines<Real> lines;
  LaneLines<TypeParam> impulses, velocities;
  c.lanes.take_impulses(c.impulses, lines);
  convert(lines, impulses);
  c.lanes.take_velocities(c.system.free_velocities, lines);
  convert(lines, velocities);
  LaneLines<TypeParam> unscaled = velocities;  // of the right size; overwritten
  for (const bool coulomb : {false, true}) {
    ResidualCheck<TypeParam> check{impulses.front().value,
                                   velocities.front().value,
                                   unscaled.front().value,
                                   coulomb ? LaneLaw::Coulomb : LaneLaw::Cone,
                                   static_cast<TypeParam>(kCompliance),
                                   {},
                                   {}};
    lane_kernels<TypeParam>().residual(c.lanes.contacts<TypeParam>(), check);
    Real largest = 0;
    for (std::size_t i = 0; i < c.impulses.size(); ++i) {
      const ConeContact& contact = c.system.contacts[i];
      const Vec3 u =
          ConeSystem::velocity(contact, c.system.free_velocities) + (kCompliance / contact.rho) * c.impulses[i];
      largest = std::max(
          largest, coulomb ? coulomb_residual(contact, c.impulses[i], u) : convex_residual(contact, c.impulses[i], u));
    }
    EXPECT_NEAR(std::sqrt(*std::ranges::max_element(check.largest)), largest,
                Precision<TypeParam>::kRounding * largest);
  }
}

TYPED_TEST(LanesIn, EveryWidthGivesTheSameBits) {
  Random random(5);
  for (int round = 0; round < 10; ++round) {
    const Case c(random, random.integer(1, 300));
    for (const LaneLaw law : kLaws) {
      const StepRun<TypeParam> narrow(c, *Precision<TypeParam>::kWidths[0], law);
      for (std::size_t k = 1; k < usable_widths(); ++k) {
        const StepRun<TypeParam> wide(c, *Precision<TypeParam>::kWidths[k], law);
        EXPECT_TRUE(same(narrow.next, wide.next));
        EXPECT_TRUE(same(narrow.v_next, wide.v_next));
        EXPECT_TRUE(std::ranges::equal(narrow.step.travelled, wide.step.travelled));
        EXPECT_TRUE(std::ranges::equal(narrow.step.moved, wide.step.moved));
        EXPECT_TRUE(std::ranges::equal(narrow.step.along, wide.step.along));
        EXPECT_TRUE(std::ranges::equal(narrow.step.largest, wide.step.largest));
      }
    }
  }
}

}  // namespace
}  // namespace carom
