// Eight contacts at a time against one at a time, and every width against every other.
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

constexpr const LaneKernels* kWidths[] = {&baseline::kLaneKernels, &avx2::kLaneKernels, &avx512::kLaneKernels};

/// The versions that this machine can run.
std::size_t usable_widths() { return static_cast<std::size_t>(widest_simd()) + 1; }

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

bool has_contact(const LaneBatch& batch, int lane) {
  return std::ranges::any_of(batch.axes, [&](const double(&axis)[kLaneCount]) { return axis[lane] != 0; });
}

TEST(Lanes, EveryContactHasAPlaceOfItsOwnBesideThoseOfItsPair) {
  Random random(1);
  for (int round = 0; round < 20; ++round) {
    const Case c(random, random.integer(1, 600));
    const LaneContacts contacts = c.lanes.contacts();
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
  std::vector<LaneLine> lines;
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
struct StepRun {
  std::vector<LaneLine> previous, current, next, v_free, v_previous, v_current, v_y, v_next, shift, unscaled, wrench;
  GradientStep step{};

  StepRun(const Case& c, const LaneKernels& kernels, LaneLaw law) {
    c.lanes.take_impulses(c.impulses, current);
    previous = current;
    for (LaneLine& line : previous)
      for (Real& value : line.value) value *= 0.5;
    next.resize(current.size());
    c.lanes.take_velocities(c.system.free_velocities, v_free);
    v_current = v_previous = v_free;
    for (LaneLine& line : v_previous)
      for (Real& value : line.value) value *= 0.75;
    v_y.resize(v_free.size());
    v_next.resize(v_free.size());
    c.lanes.take_scalars(std::vector<Real>(c.impulses.size(), kShift), shift);
    unscaled.resize(v_free.size());
    wrench.resize(v_free.size());
    step = {previous.front().value,
            current.front().value,
            next.front().value,
            v_free.front().value,
            v_previous.front().value,
            v_current.front().value,
            v_y.front().value,
            v_next.front().value,
            shift.front().value,
            unscaled.front().value,
            wrench.front().value,
            0.5,
            0.3,
            law,
            kCompliance,
            {},
            {},
            {},
            {}};
    kernels.gradient_step(c.lanes.contacts(), step);
  }
};

bool same(const std::vector<LaneLine>& a, const std::vector<LaneLine>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(LaneLine)) == 0;
}

TEST(Lanes, GradientStepIsThatOfOneContactAtATime) {
  Random random(3);
  for (const LaneLaw law : kLaws) {
    const Case c(random, 200);
    const StepRun run(c, lane_kernels(), law);
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
      EXPECT_LE(norm(next[i] - expected), 1e-12 * (norm(z) + norm(expected))) << i;
      moved += squared_norm(expected - y) / contact.rho;
    }
    Real sum = 0;
    for (const Real lane : run.step.moved) sum += lane;
    EXPECT_NEAR(sum, moved, 1e-10 * moved);
    std::vector<Vec6> expected_v, v(c.system.free_velocities.size());
    c.system.velocities_after(next, expected_v);
    c.lanes.give_velocities(run.v_next, v);
    for (std::size_t i = 0; i < v.size(); ++i)
      for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(v[i][k], expected_v[i][k], 1e-10 * (1 + std::abs(v[i][k])));
  }
}

TEST(Lanes, ResidualIsThatOfOneContactAtATime) {
  Random random(4);
  const Case c(random, 200);
  std::vector<LaneLine> impulses, velocities;
  c.lanes.take_impulses(c.impulses, impulses);
  c.lanes.take_velocities(c.system.free_velocities, velocities);
  std::vector<LaneLine> unscaled = velocities;  // of the right size; overwritten
  for (const bool coulomb : {false, true}) {
    ResidualCheck check{impulses.front().value,
                        velocities.front().value,
                        unscaled.front().value,
                        coulomb ? LaneLaw::Coulomb : LaneLaw::Cone,
                        kCompliance,
                        {},
                        {}};
    lane_kernels().residual(c.lanes.contacts(), check);
    Real largest = 0;
    for (std::size_t i = 0; i < c.impulses.size(); ++i) {
      const ConeContact& contact = c.system.contacts[i];
      const Vec3 u =
          ConeSystem::velocity(contact, c.system.free_velocities) + (kCompliance / contact.rho) * c.impulses[i];
      largest = std::max(
          largest, coulomb ? coulomb_residual(contact, c.impulses[i], u) : convex_residual(contact, c.impulses[i], u));
    }
    EXPECT_NEAR(std::sqrt(*std::ranges::max_element(check.largest)), largest, 1e-12 * largest);
  }
}

TEST(Lanes, EveryWidthGivesTheSameBits) {
  Random random(5);
  for (int round = 0; round < 10; ++round) {
    const Case c(random, random.integer(1, 300));
    for (const LaneLaw law : kLaws) {
      const StepRun narrow(c, *kWidths[0], law);
      for (std::size_t k = 1; k < usable_widths(); ++k) {
        const StepRun wide(c, *kWidths[k], law);
        EXPECT_TRUE(same(narrow.next, wide.next));
        EXPECT_TRUE(same(narrow.v_next, wide.v_next));
        EXPECT_TRUE(std::ranges::equal(narrow.step.moved, wide.step.moved));
        EXPECT_TRUE(std::ranges::equal(narrow.step.along, wide.step.along));
        EXPECT_TRUE(std::ranges::equal(narrow.step.largest, wide.step.largest));
      }
    }
  }
}

}  // namespace
}  // namespace carom
