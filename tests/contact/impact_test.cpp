// Impact laws at one contact: closed forms, an independent integration, and what must hold of any impact.
#include "carom/contact/impact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "support/impacts.h"
#include "support/random.h"

namespace carom {
namespace {

using test::random_impact;

/// ½ p·(u before + u after): the change of kinetic energy, whatever the path.
Real energy_change(const PointImpact& impact, const ImpactOutcome& outcome) {
  return 0.5 * dot(outcome.impulse, impact.velocity + outcome.velocity);
}

Real energy_scale(const PointImpact& impact) { return squared_norm(impact.velocity) * 3 / impact.inverse_mass.trace(); }

TEST(Impact, AFrictionlessBallBouncesByEveryLawAlike) {
  PointImpact impact;
  impact.inverse_mass = Mat3::diagonal({3.5, 3.5, 1});
  impact.velocity = {1, -2, -4};
  impact.normal = {0, 0, 1};
  impact.restitution = 0.25;
  for (const ImpactLaw law :
       {ImpactLaw::Newton, ImpactLaw::NewtonEq5, ImpactLaw::NewtonEq6, ImpactLaw::Poisson, ImpactLaw::Stronge}) {
    const ImpactOutcome outcome = resolve_impact(law, impact);
    EXPECT_NEAR(norm(outcome.impulse - Vec3{0, 0, 5}), 0, 1e-14) << impact_law_name(law);
    EXPECT_NEAR(norm(outcome.velocity - Vec3{1, -2, 1}), 0, 1e-14) << impact_law_name(law);
    EXPECT_NEAR(outcome.compression_impulse, 4, 1e-14) << impact_law_name(law);
  }
}

TEST(Impact, ASpinningBallSlidesOrSticksByClosedForm) {
  // A solid sphere of mass 1: p_t = min(μ p_n, 2/7 s) against the slip s; K is diagonal, so all laws agree.
  test::Random random(1);
  for (int i = 0; i < 200; ++i) {
    PointImpact impact;
    impact.inverse_mass = Mat3::diagonal({3.5, 3.5, 1});
    impact.velocity = random.vector(2);
    impact.velocity.z = -random.uniform(0.1, 3);
    impact.normal = {0, 0, 1};
    impact.mu = impact.mu_static = random.uniform(0, 1);
    impact.restitution = random.uniform(0, 1);
    const Real pn = -(1 + impact.restitution) * impact.velocity.z;
    const Vec3 slip{impact.velocity.x, impact.velocity.y, 0};
    const Real pt = std::min(impact.mu * pn, norm(slip) * 2 / 7);
    const Vec3 expected = Vec3{0, 0, pn} - pt * normalized(slip);
    for (const ImpactLaw law : {ImpactLaw::Newton, ImpactLaw::Poisson, ImpactLaw::Stronge})
      EXPECT_NEAR(norm(resolve_impact(law, impact).impulse - expected), 0, 1e-12 * pn) << impact_law_name(law);
  }
}

/// Poisson's impulse by plain fourth-order steps of the original equation, with nothing shared with the engine but the
/// formula. Good only where the contact keeps sliding; NaN elsewhere.
Vec3 march(const PointImpact& impact, int steps_to_compression) {
  const Vec3 n = impact.normal;
  const auto direction = [&](const Vec3& u) {
    const Vec3 t = u - dot(u, n) * n;
    return n - (impact.mu / norm(t)) * t;
  };
  const Real scale = -dot(impact.velocity, n) / dot(n, impact.inverse_mass * direction(impact.velocity));
  Vec3 u = impact.velocity, p;
  Real pn = 0, target = 1e300;
  Real h = std::abs(scale) / steps_to_compression;
  const Real least_slip = 0.02 * norm(impact.velocity);
  for (int i = 0; i < 400 * steps_to_compression; ++i) {
    if (norm(u - dot(u, n) * n) < least_slip) return {NAN, NAN, NAN};
    if (pn + h >= target) h = target - pn;
    const Vec3 d1 = direction(u), d2 = direction(u + 0.5 * h * (impact.inverse_mass * d1)),
               d3 = direction(u + 0.5 * h * (impact.inverse_mass * d2)),
               d4 = direction(u + h * (impact.inverse_mass * d3));
    const Vec3 d = (1.0 / 6) * (d1 + 2 * d2 + 2 * d3 + d4);
    const Vec3 next = u + h * (impact.inverse_mass * d);
    if (target == 1e300 && dot(next, n) >= 0) {
      // The end of compression inside the step, by the chord: of second order in h, hence the fine steps.
      const Real before = dot(u, n), after = dot(next, n);
      target = (1 + impact.restitution) * (pn + h * before / (before - after));
    }
    p += h * d;
    u = next;
    pn += h;
    if (pn >= target) return p;
  }
  return {NAN, NAN, NAN};
}

TEST(Impact, PoissonAgreesWithAPlainIntegration) {
  test::Random random(2);
  int compared = 0;
  for (int i = 0; i < 300; ++i) {
    const PointImpact impact = random_impact(random);
    if (impact.mu == 0 || norm(impact.velocity - dot(impact.velocity, impact.normal) * impact.normal) < 1e-6) continue;
    const Vec3 expected = march(impact, 4000);
    if (!std::isfinite(expected.x)) continue;
    // What the march itself is good for.
    if (norm(march(impact, 2000) - expected) > 1e-7 * norm(expected)) continue;
    ++compared;
    const ImpactOutcome outcome = resolve_impact(ImpactLaw::Poisson, impact);
    EXPECT_LT(norm(outcome.impulse - expected), 1e-6 * norm(expected)) << i;
  }
  EXPECT_GT(compared, 60);
}

TEST(Impact, PoissonAndStrongeNeverAddEnergyButNewtonDoes) {
  test::Random random(3);
  int newton_adds = 0, positive_normal_work = 0;
  for (int i = 0; i < 10'000; ++i) {
    const PointImpact impact = random_impact(random);
    // K is stretched up to a thousandfold here, and so is rounding.
    const Real rounding = 1e-10 * energy_scale(impact);
    for (const ImpactLaw law : {ImpactLaw::Poisson, ImpactLaw::Stronge}) {
      const ImpactOutcome outcome = resolve_impact(law, impact);
      EXPECT_LE(energy_change(impact, outcome), rounding) << impact_law_name(law) << " " << i;
      EXPECT_NEAR(outcome.work.total(), energy_change(impact, outcome), rounding);
      EXPECT_LE(outcome.work.tangential_compression, rounding);
      EXPECT_LE(outcome.work.tangential_restitution, rounding);
      if (law == ImpactLaw::Poisson && outcome.work.normal_compression + outcome.work.normal_restitution > rounding)
        ++positive_normal_work;
    }
    const ImpactOutcome newton = resolve_impact(ImpactLaw::Newton, impact);
    if (energy_change(impact, newton) > rounding) ++newton_adds;
  }
  std::printf("[ FIGURE   ] of 10000 impacts Newton's law adds energy in %d; Poisson's normal work is positive in %d\n",
              newton_adds, positive_normal_work);
  EXPECT_GT(newton_adds, 0);
}

TEST(Impact, EveryImpulseObeysItsLaw) {
  test::Random random(4);
  for (int i = 0; i < 10'000; ++i) {
    const PointImpact impact = random_impact(random);
    const Vec3 n = impact.normal;
    const Real e = impact.restitution, un = dot(impact.velocity, n);
    const Real rounding = 1e-10 * norm(impact.velocity);
    for (const ImpactLaw law : impact_laws()) {
      const ImpactOutcome outcome = resolve_impact(law, impact);
      if (!outcome.applies) continue;
      const Vec3 u = impact.velocity + impact.inverse_mass * outcome.impulse;
      EXPECT_LT(norm(u - outcome.velocity), rounding) << impact_law_name(law);
      if (law == ImpactLaw::NewtonEq6 || (law == ImpactLaw::Newton && outcome.modes[0] != ImpactMode::Jamb)) {
        EXPECT_NEAR(dot(outcome.velocity, n), -e * un, rounding) << impact_law_name(law);
      }
      if (law == ImpactLaw::Poisson) {
        EXPECT_NEAR(dot(outcome.impulse, n), (1 + e) * outcome.compression_impulse, 1e-10 * norm(outcome.impulse));
      }
      if (law == ImpactLaw::Stronge) {
        EXPECT_NEAR(outcome.work.normal_restitution, -e * e * outcome.work.normal_compression,
                    1e-11 * energy_scale(impact));
      }
      if (law == ImpactLaw::Reverse) {
        EXPECT_LT(norm(outcome.velocity + impact.velocity), rounding);
      }
      if (law == ImpactLaw::Poisson || law == ImpactLaw::Stronge || law == ImpactLaw::Newton) {
        EXPECT_TRUE(outcome.in_cone) << impact_law_name(law) << " " << i;
        EXPECT_GE(dot(outcome.velocity, n), -rounding) << impact_law_name(law) << " " << i;
      }
    }
  }
}

TEST(Impact, DoesNotDependOnUnitsOrAxes) {
  test::Random random(5);
  for (int i = 0; i < 500; ++i) {
    const PointImpact impact = random_impact(random);
    const Mat3 turn = to_matrix(random.rotation());
    const Real mass = random.scale(1e-6, 1e6), speed = random.scale(1e-6, 1e6);
    PointImpact other = impact;
    other.inverse_mass = (1 / mass) * (turn * impact.inverse_mass * transposed(turn));
    other.velocity = speed * (turn * impact.velocity);
    other.normal = turn * impact.normal;
    for (const ImpactLaw law : {ImpactLaw::Newton, ImpactLaw::Poisson, ImpactLaw::Stronge}) {
      const Vec3 expected = mass * speed * (turn * resolve_impact(law, impact).impulse);
      EXPECT_LT(norm(resolve_impact(law, other).impulse - expected), 1e-9 * norm(expected)) << impact_law_name(law);
    }
  }
}

TEST(Impact, TakenUpOnTheWayItEndsTheSame) {
  // Compression forgets how it began, so every moment of it is the start of the same impact. Steps of series, the
  // closed end of a slip and straight lines meet in this way wherever samples lie.
  test::Random random(7);
  int compared = 0;
  for (int i = 0; i < 500; ++i) {
    PointImpact impact = random_impact(random);
    impact.restitution = 0;
    std::vector<ImpactSample> trace;
    const Vec3 expected = resolve_impact(ImpactLaw::Poisson, impact, &trace).impulse;
    for (const ImpactSample& sample : trace) {
      PointImpact later = impact;
      later.velocity = sample.velocity;
      if (dot(later.velocity, impact.normal) > -1e-3 * norm(impact.velocity)) continue;
      // Where slip has all but stopped, rounding may turn it into another direction, and that is another impact.
      if (norm(later.velocity - dot(later.velocity, impact.normal) * impact.normal) < 1e-6 * norm(impact.velocity))
        continue;
      ++compared;
      const Vec3 rest = resolve_impact(ImpactLaw::Poisson, later).impulse;
      EXPECT_LT(norm(sample.impulse + rest - expected), 1e-9 * norm(expected)) << i;
    }
  }
  EXPECT_GT(compared, 5000);
}

TEST(Impact, SlipFromRestAndReverseSlipAreNamed) {
  // A thin rod at 45 degrees (Mirtich and Canny, Fig. 6), as K of its lower end.
  PointImpact rod;
  rod.inverse_mass = {{{2.5, 0, -1.5}, {0, 4, 0}, {-1.5, 0, 2.5}}};
  rod.normal = {0, 0, 1};
  rod.restitution = 0.5;
  rod.velocity = {0, 0, -1};
  const auto first_mode = [&](Real mu) {
    rod.mu = rod.mu_static = mu;
    return resolve_impact(ImpactLaw::Poisson, rod).modes[0];
  };
  EXPECT_EQ(first_mode(0.59), ImpactMode::StartSlip);  // 1.5/2.5 is what holds it
  EXPECT_EQ(first_mode(0.61), ImpactMode::Stick);
  rod.mu_static = 0.61;
  rod.mu = 0.1;
  EXPECT_EQ(resolve_impact(ImpactLaw::Poisson, rod).modes[0], ImpactMode::Stick) << "the static coefficient holds it";

  rod.mu = rod.mu_static = 0.3;
  rod.velocity = {0.2, 0, -1};
  const ImpactOutcome outcome = resolve_impact(ImpactLaw::Poisson, rod);
  ASSERT_EQ(outcome.mode_count, 3);
  EXPECT_EQ(outcome.modes[0], ImpactMode::Slide);
  EXPECT_EQ(outcome.modes[1], ImpactMode::Resume);
  EXPECT_EQ(outcome.modes[2], ImpactMode::ReverseSlip);
}

TEST(Impact, WhatDoesNotApproachIsLeftAlone) {
  PointImpact impact;
  impact.inverse_mass = Mat3::identity();
  impact.normal = {0, 0, 1};
  impact.mu = impact.mu_static = 0.5;
  impact.restitution = 1;
  for (const Real un : {0.0, 0.5}) {
    impact.velocity = {1, 0, un};
    for (const ImpactLaw law : impact_laws()) EXPECT_EQ(resolve_impact(law, impact).impulse, Vec3{});
  }
}

TEST(Impact, TheTraceLeadsFromTheStartToTheEnd) {
  test::Random random(6);
  for (int i = 0; i < 200; ++i) {
    const PointImpact impact = random_impact(random);
    for (const ImpactLaw law : impact_laws()) {
      std::vector<ImpactSample> trace;
      const ImpactOutcome outcome = resolve_impact(law, impact, &trace);
      if (!outcome.applies) continue;
      ASSERT_GE(trace.size(), 2U);
      const Real rounding = 1e-9 * norm(impact.velocity);
      EXPECT_LT(norm(trace.front().velocity - impact.velocity), rounding);
      EXPECT_LT(norm(trace.back().velocity - outcome.velocity), rounding);
      EXPECT_LT(norm(trace.back().impulse - outcome.impulse), 1e-9 * norm(outcome.impulse));
      for (std::size_t k = 1; k < trace.size(); ++k) {
        if (outcome.in_cone) {
          EXPECT_GE(trace[k].normal_impulse, trace[k - 1].normal_impulse);
        }
        EXPECT_LT(norm(impact.velocity + impact.inverse_mass * trace[k].impulse - trace[k].velocity), rounding);
      }
    }
  }
}

}  // namespace
}  // namespace carom
