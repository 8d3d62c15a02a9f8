// The kernels: the same bits at every width, and at any width the mechanics that they stand for.
#include "fast/kernels.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "fast/bodies.h"

namespace carom {
namespace {

using fast::Batches;
using fast::Kernels;
using test::Crowd;
using test::Motion;
using test::Random;
using test::Record;

/// Those that were built and that this machine can run; the scalar twin first.
std::vector<const Kernels*> all_kernels() {
  std::vector<const Kernels*> list;
  for (const char* name : {"scalar", "sse", "avx2", "avx512"}) {
    const Kernels* found = &fast::kernels(simd_named(name, widest_simd()));
    if (std::find(list.begin(), list.end(), found) == list.end()) list.push_back(found);
  }
  return list;
}

/// As the suite sets them for twelve substeps at 60 Hz.
fast::SweepSettings settings() {
  fast::SweepSettings s;
  s.h = 1.0F / 720;
  s.share = 0.3F;
  s.leak = 0.15F;
  s.most_push = 4;
  return s;
}

template <class Sweep>
void for_each_color(const Batches& batches, Sweep&& sweep) {
  for (std::size_t c = 0; c + 1 < batches.colors.size(); ++c)
    sweep(static_cast<std::size_t>(batches.colors[c]), static_cast<std::size_t>(batches.colors[c + 1]));
}

/// Notes of a sweep for the next one, which it leaves alone where a whole batch has nothing to do.
bool is_note(std::size_t field) {
  return (field >= fast::kOpening && field < fast::kOpening + 4) || field == fast::kAwake;
}

/// All fields of all patches but these, then all motions, as they are after each stage.
class Journal {
 public:
  void note(const Batches& batches, const Crowd& crowd) {
    for (const std::int32_t r : crowd.active)
      for (std::size_t field = 0; field < fast::kFieldCount; ++field)
        if (!is_note(field))
          put(batches.at(static_cast<std::size_t>(crowd.records[static_cast<std::size_t>(r)].place), field));
    for (std::size_t k = 0; k < crowd.motion_count; ++k) {
      for (const float x : crowd.motions[k].linear) put(x);
      for (const float x : crowd.motions[k].turning) put(x);
    }
    ends.push_back(bits.size());
  }
  void put(float x) {
    std::uint32_t raw = 0;
    std::memcpy(&raw, &x, sizeof x);
    bits.push_back(raw);
  }
  std::vector<std::uint32_t> bits;
  std::vector<std::size_t> ends;  // of each stage
};

/// What the kernels make of the crowd in a few substeps.
Journal journal_of(const Kernels& kernels, Crowd crowd) {
  Journal journal;
  Batches batches = crowd.batches(kernels.lanes);
  kernels.prepare(batches, crowd.records.data(), crowd.frames.data(), crowd.motions.data(), 1e-4F, 0, batches.size());
  journal.note(batches, crowd);
  std::vector<std::uint8_t> flags(batches.records.size());
  kernels.find_approaching(batches, crowd.motions.data(), 0.16F, 1.0F / 60, flags.data(), 0, batches.size());
  for (const std::int32_t r : crowd.active)
    journal.put(flags[static_cast<std::size_t>(crowd.records[static_cast<std::size_t>(r)].place)]);
  for_each_color(batches, [&](std::size_t b, std::size_t e) { kernels.apply(batches, crowd.motions.data(), b, e); });
  journal.note(batches, crowd);
  for (int substep = 0; substep < 4; ++substep) {
    for_each_color(batches, [&](std::size_t b, std::size_t e) {
      kernels.push(batches, settings(), crowd.motions.data(), crowd.shifts.data(), b, e);
    });
    journal.note(batches, crowd);
    for (std::size_t k = 0; k < crowd.motion_count; ++k)
      for (std::size_t i = 0; i < 3; ++i) {
        crowd.shifts[k].linear[i] += settings().h * crowd.motions[k].linear[i];
        crowd.shifts[k].turning[i] += settings().h * crowd.motions[k].turning[i];
      }
    for_each_color(
        batches, [&](std::size_t b, std::size_t e) { kernels.relax(batches, settings(), crowd.motions.data(), b, e); });
    journal.note(batches, crowd);
  }
  return journal;
}

TEST(FastKernels, EveryWidthGivesTheBitsOfTheScalarTwin) {
  const std::vector<const Kernels*> list = all_kernels();
  const char* stages[] = {"prepare", "apply", "push", "relax", "push", "relax", "push", "relax", "push", "relax"};
  Random random(1);
  for (int i = 0; i < 50; ++i) {
    const Crowd crowd(random, random.integer(2, 80), random.integer(1, 200));
    const Journal expected = journal_of(*list.front(), crowd);
    for (const Kernels* kernels : list) {
      const Journal found = journal_of(*kernels, crowd);
      ASSERT_EQ(found.ends, expected.ends);
      for (std::size_t s = 0, from = 0; s < found.ends.size(); from = found.ends[s++])
        for (std::size_t k = from; k < found.ends[s]; ++k)
          ASSERT_EQ(found.bits[k], expected.bits[k]) << kernels->name << ", first in " << stages[s] << ", crowd " << i;
    }
  }
}

/// Kernels of this machine on a crowd, patches prepared.
struct Prepared {
  Crowd crowd;
  const Kernels& kernels = fast::kernels(widest_simd());
  Batches batches;

  explicit Prepared(Crowd of) : crowd(std::move(of)), batches(crowd.batches(kernels.lanes)) {
    kernels.prepare(batches, crowd.records.data(), crowd.frames.data(), crowd.motions.data(), 1e-4F, 0, batches.size());
  }
  float at(const Record& r, std::size_t field) const { return batches.at(static_cast<std::size_t>(r.place), field); }
  float& at(const Record& r, std::size_t field) { return batches.at(static_cast<std::size_t>(r.place), field); }
  Vec3 at3(const Record& r, std::size_t field) const { return {at(r, field), at(r, field + 1), at(r, field + 2)}; }
  /// Where the point is, half way between the surfaces, in double precision.
  Vec3 point(const Record& r, std::size_t i) const {
    const auto p = static_cast<std::size_t>(r.probe);
    return crowd.centers[p] + crowd.rotations[p] * test::vector(r.arms[i]);
  }
  /// A component of the patch's motion, from its row.
  Real component(const Record& r, std::size_t index) const {
    const Vec3 axis = index == 0 ? at3(r, fast::kNormal) : (index == 3 ? at3(r, fast::kTangent) : Vec3{});
    const Vec3 across = cross(at3(r, fast::kNormal), at3(r, fast::kTangent));
    const Motion none{};
    const auto motion = [&](std::int32_t body) -> const Motion& {
      return crowd.motion_of[static_cast<std::size_t>(body)] == 0 ? none : crowd.motion(body);
    };
    const Motion &base = motion(r.base), &probe = motion(r.probe);
    const std::size_t row = fast::row_of(index);
    return dot(index == 4 ? across : axis, test::vector(probe.linear) - test::vector(base.linear)) +
           dot(at3(r, row), test::vector(base.turning)) + dot(at3(r, row + 3), test::vector(probe.turning));
  }
  /// How a point moves along n, t1 and t2.
  Vec3 velocity_of(const Record& r, std::size_t i) const {
    const Real x = at(r, fast::kX + i), y = at(r, fast::kY + i);
    return {component(r, 0) + y * component(r, 1) - x * component(r, 2), component(r, 3) - y * component(r, 5),
            component(r, 4) + x * component(r, 5)};
  }
  template <class Visit>
  void for_each_point(Visit&& visit) const {
    for (const std::int32_t k : crowd.active) {
      const Record& r = crowd.records[static_cast<std::size_t>(k)];
      for (std::size_t i = 0; i < r.count; ++i) visit(r, i);
    }
  }
  void push(const fast::SweepSettings& s) {
    for_each_color(batches, [&](std::size_t b, std::size_t e) {
      kernels.push(batches, s, crowd.motions.data(), crowd.shifts.data(), b, e);
    });
  }
  void relax(const fast::SweepSettings& s) {
    for_each_color(batches,
                   [&](std::size_t b, std::size_t e) { kernels.relax(batches, s, crowd.motions.data(), b, e); });
  }
  void apply() {
    for_each_color(batches, [&](std::size_t b, std::size_t e) { kernels.apply(batches, crowd.motions.data(), b, e); });
  }
};

/// Sums of some twenty products of numbers of about one, in single precision (6e-8 each).
constexpr Real kRounding = 1e-5;

TEST(FastKernels, GapsAreThoseOfTheRecords) {
  Random random(2);
  Prepared p(Crowd(random, 40, 200));
  p.for_each_point([&](const Record& r, std::size_t i) {
    const auto base = static_cast<std::size_t>(r.base);
    const Vec3 normal = p.crowd.rotations[base] * test::vector(r.normal_local);
    const Vec3 anchor =
        p.crowd.centers[base] + p.crowd.rotations[base] * Vec3{r.anchor_local[0], r.anchor_local[1], r.anchor_local[2]};
    ASSERT_NEAR(p.at(r, fast::kGap + i), dot(normal, p.point(r, i) - anchor) - r.arms[i][3], kRounding);
  });
}

TEST(FastKernels, RowsReadTheVelocityOfEachPoint) {
  // Of the point on the probe's surface. Rows refer to the patch's own plane, half a gap away from it, which matters
  // for sliding alone: by ω times the heights.
  Random random(3);
  Prepared p(Crowd(random, 40, 200));
  p.for_each_point([&](const Record& r, std::size_t i) {
    const Vec3 n = p.at3(r, fast::kNormal), t1 = p.at3(r, fast::kTangent), t2 = cross(n, t1);
    const Vec3 at = p.point(r, i), found = p.velocity_of(r, i);
    const auto relative = [&](const Vec3& where) {
      return p.crowd.velocity_at(r.probe, where) - p.crowd.velocity_at(r.base, where);
    };
    ASSERT_NEAR(found.x, dot(n, relative(at)), kRounding);
    // The height of the patch's plane is the middle of its deepest point.
    Real least = 1e300, height = 0;
    for (std::size_t k = 0; k < r.count; ++k)
      if (const Real gap = p.at(r, fast::kGap + k); gap < least)
        least = gap, height = dot(n, p.point(r, k)) - 0.5 * gap;
    const Vec3 in_plane = at + (height - dot(n, at)) * n;
    ASSERT_NEAR(found.y, dot(t1, relative(in_plane)), kRounding);
    ASSERT_NEAR(found.z, dot(t2, relative(in_plane)), kRounding);
  });
}

TEST(FastKernels, ASinglePointThatPushesStops) {
  Random random(4);
  for (int i = 0; i < 200; ++i) {
    Crowd crowd(random, 2, 1);
    Record& r = crowd.records[1];
    r.count = 1;
    for (std::size_t k = 1; k < Record::kMaxPoints; ++k) r.arms[k] = r.arms[0], r.arms[k][3] = Record::kNowhere;
    r.forget_impulses();
    Prepared p(std::move(crowd));
    const Record& only = p.crowd.records[1];
    const auto approach = [&] { return p.velocity_of(only, 0).x; };
    const Real before = approach(), gap = p.at(only, fast::kGap);
    fast::SweepSettings hard = settings();
    hard.leak = hard.share = 0;
    p.push(hard);
    // It may close its gap within the substep and no more; what does not is left alone.
    const Real allowed = gap > 0 ? -gap / hard.h : 0;
    ASSERT_NEAR(approach(), std::max(before, allowed), kRounding * (1 + std::abs(before)));
    ASSERT_GE(p.at(only, fast::kNormalImpulse), 0);
    if (before > allowed) {
      ASSERT_EQ(p.at(only, fast::kNormalImpulse), 0);
    }
  }
}

TEST(FastKernels, ASingleStickingPointStopsInAllDirections) {
  // With friction that holds anything, many passes bring one point to rest.
  Random random(5);
  int sticking = 0;
  for (int i = 0; i < 200; ++i) {
    Crowd crowd(random, 2, 1);
    Record& r = crowd.records[1];
    r.count = 1;
    r.friction = r.static_friction = 1e6F;
    for (std::size_t k = 1; k < Record::kMaxPoints; ++k) r.arms[k] = r.arms[0], r.arms[k][3] = Record::kNowhere;
    r.arms[0][3] += 0.1F;  // so that there is no gap to be closed first
    r.forget_impulses();
    Prepared p(std::move(crowd));
    const Record& only = p.crowd.records[1];
    fast::SweepSettings s = settings();
    s.share = s.leak = 0;
    s.friction_passes = 50;
    for (int sweep = 0; sweep < 200; ++sweep) p.push(s), p.relax(s);
    // Where little presses, friction and pressing take turns for ever so long.
    const Real friction = std::hypot(p.at(only, fast::kTangentImpulse), p.at(only, fast::kAcrossImpulse));
    if (p.at(only, fast::kNormalImpulse) == 0 || friction > 3 * p.at(only, fast::kNormalImpulse)) continue;
    ++sticking;
    ASSERT_LE(norm(p.velocity_of(only, 0)), 1e-4) << i;
  }
  EXPECT_GT(sticking, 30);
}

TEST(FastKernels, ImpulsesConserveMomentum) {
  // Between dynamic bodies alone: every seventh and fifteenth of sixteen would not be.
  Random random(6);
  for (int i = 0; i < 50; ++i) {
    Prepared p(Crowd(random, 7, 30));
    const Vec3 linear = p.crowd.momentum(), angular = p.crowd.angular_momentum();
    p.apply();
    for (int substep = 0; substep < 4; ++substep) p.push(settings()), p.relax(settings());
    // Masses up to 10 kg at some metres a second, 30 patches of impulses of that size, each rounded to 6e-8.
    EXPECT_LE(norm(p.crowd.momentum() - linear), 1e-3) << i;
    EXPECT_LE(norm(p.crowd.angular_momentum() - angular), 1e-3) << i;
  }
}

TEST(FastKernels, ImpulsesStayInTheirCones) {
  Random random(7);
  int sliding = 0;
  for (int i = 0; i < 20; ++i) {
    Prepared p(Crowd(random, 40, 150));
    p.apply();
    for (int substep = 0; substep < 4; ++substep) p.push(settings()), p.relax(settings());
    p.for_each_point([&](const Record& r, std::size_t k) {
      const Real normal = p.at(r, fast::kNormalImpulse + k);
      const Real friction = std::hypot(p.at(r, fast::kTangentImpulse + k), p.at(r, fast::kAcrossImpulse + k));
      ASSERT_GE(normal, 0);
      ASSERT_LE(friction, r.static_friction * normal * (1 + 1e-6) + 1e-9) << i;
      sliding += normal > 0 && std::abs(friction - r.friction * normal) < 1e-5 * normal ? 1 : 0;
    });
  }
  EXPECT_GT(sliding, 100);
}

TEST(FastKernels, WhatOpensLosesItsFriction) {
  // Patches that part keep no tangential impulse for the next substep.
  Random random(8);
  Prepared p(Crowd(random, 40, 150));
  p.apply();
  for (std::size_t k = 1; k < p.crowd.motion_count; ++k) p.crowd.shifts[k].linear = {};
  // All gaps are wide open from now on.
  for (const std::int32_t k : p.crowd.active)
    for (std::size_t i = 0; i < Record::kMaxPoints; ++i)
      p.at(p.crowd.records[static_cast<std::size_t>(k)], fast::kGap + i) = 10;
  for (int substep = 0; substep < 2; ++substep) p.push(settings()), p.relax(settings());
  p.for_each_point([&](const Record& r, std::size_t i) {
    ASSERT_EQ(p.at(r, fast::kNormalImpulse + i), 0);
    ASSERT_EQ(p.at(r, fast::kTangentImpulse + i), 0);
    ASSERT_EQ(p.at(r, fast::kAcrossImpulse + i), 0);
  });
}

TEST(FastKernels, BodiesThatTakeNoImpulsesKeepTheirMotion) {
  Random random(9);
  Prepared p(Crowd(random, 64, 200));
  const AlignedVector<Motion> before = p.crowd.motions;
  p.apply();
  for (int substep = 0; substep < 4; ++substep) p.push(settings()), p.relax(settings());
  EXPECT_EQ(p.crowd.motions[0].linear, before[0].linear);
  EXPECT_EQ(p.crowd.motions[0].turning, before[0].turning);
  for (std::size_t i = 0; i < p.crowd.takes.size(); ++i) {
    if (p.crowd.takes[i] != 0) continue;
    const auto k = static_cast<std::size_t>(p.crowd.motion_of[i]);
    EXPECT_EQ(p.crowd.motions[k].linear, before[k].linear);
    EXPECT_EQ(p.crowd.motions[k].turning, before[k].turning);
  }
}

TEST(FastKernels, AStandingKinematicBodyCountsLikeAFixedOne) {
  // Friction sees what pressing has done to the other body and nothing else.
  Random random(10);
  for (int i = 0; i < 100; ++i) {
    const Crowd fixed(random, 2, 1);
    Crowd other = fixed;
    const auto stand = [](Crowd& crowd, bool kinematic) {
      crowd.takes[0] = 0;
      Motion& m = crowd.motions[static_cast<std::size_t>(crowd.motion_of[0])];
      m = {};
      test::Frame& frame = crowd.frames[0];
      frame.whitening = {};
      if (kinematic)
        for (std::size_t k = 0; k < 3; ++k) frame.whitening[k][k] = 1;
    };
    Crowd still = fixed;
    stand(still, false);
    stand(other, true);
    Prepared a(std::move(still)), b(std::move(other));
    for (Prepared* p : {&a, &b}) {
      p->apply();
      for (int substep = 0; substep < 4; ++substep) p->push(settings()), p->relax(settings());
    }
    EXPECT_EQ(a.crowd.motion(1).linear, b.crowd.motion(1).linear) << i;
    EXPECT_EQ(a.crowd.motion(1).turning, b.crowd.motion(1).turning) << i;
  }
}

}  // namespace
}  // namespace carom
