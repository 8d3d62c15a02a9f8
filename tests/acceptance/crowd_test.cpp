// Crowds of rods and boxes that move ten times their size in a step, in a closed box: none gets out, none gets through
// another.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "acceptance.h"
#include "study/pose_audit.h"
#include "support/random.h"

namespace carom::acceptance {
namespace {

constexpr Real kStep = 1.0 / 60;
constexpr Vec3 kRod{1, 0.2, 0.2};
constexpr Vec3 kBox{0.35, 0.35, 0.35};
constexpr int kCells[3] = {5, 15, 14};  // one body in each: 1050 for the whole crowd

struct Crowd {
  World world;
  std::vector<AuditBody> bodies;
  Real half = 0;  // m: of the room inside the walls
};

/// Rods and boxes at 20 % fill, in layers that leave none touching, all as fast as asked for in any direction.
Crowd crowd(int layers, Real gravity, Real restitution, Real sizes_a_step) {
  const Real count = kCells[0] * kCells[1] * kCells[2];
  const Real volume = 0.5 * (kRod.x * kRod.y * kRod.z + kBox.x * kBox.y * kBox.z);
  const Real edge = std::cbrt(count * volume / 0.2);
  const Vec3 room{edge, edge, edge * layers / kCells[2]};
  WorldDef def;
  def.gravity = {0, 0, -gravity};
  Crowd made{World(def), {}, 0.5 * edge};
  made.world.set_default_material({0.3, 0.3, restitution});
  const auto add = [&](const ShapePtr& shape, BodyType type, const Vec3& at, const Vec3& v, const Vec3& w) {
    BodyDef body;
    body.shape = shape;
    body.type = type;
    body.pose.position = at;
    body.velocity = v;
    body.angular_velocity = w;
    made.world.add_body(body);
    made.bodies.push_back({shape, type});
  };
  for (int axis = 0; axis < 3; ++axis)
    for (const Real side : {-0.5, 0.5}) {
      Vec3 size{room.x + 2, room.y + 2, room.z + 2}, at;
      size[axis] = 1;
      at[axis] = side * (room[axis] + 1);
      add(Shape::box(size), BodyType::Fixed, at, {}, {});
    }
  const ShapePtr shapes[] = {Shape::box(kRod), Shape::box(kBox)};
  test::Random random(5);
  const Real speed = sizes_a_step * kBox.x / kStep;
  for (int k = 0; k < kCells[0] * kCells[1] * layers; ++k) {
    const int cell[3] = {k % kCells[0], k / kCells[0] % kCells[1], k / (kCells[0] * kCells[1])};
    Vec3 at;
    for (int i = 0; i < 3; ++i) {
      const Real cells = i == 2 ? layers : kCells[i];
      at[i] = room[i] * ((cell[i] + 0.5) / cells - 0.5);
    }
    add(shapes[k % 2], BodyType::Dynamic, at, speed * random.unit(), random.vector(0.5 / kStep));
  }
  return made;
}

/// Long runs where the variable says so: all 1050 bodies, which takes minutes.
bool is_long() { return std::getenv("CAROM_LONG_TESTS") != nullptr; }

void expect_kept_apart(const std::string& name, Real gravity, Real restitution) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  Crowd made = crowd(is_long() ? kCells[2] : 3, gravity, restitution, 10);
  const int steps = 40;
  PoseAudit audit(made.bodies, {{{-made.half, -made.half, -made.half}, {made.half, made.half, made.half}}});
  ASSERT_LE(audit.judge(shape_poses(made.world)).worst_depth, 0);
  Real worst = 0, sum = 0, seconds = 0;
  std::size_t overlaps = 0;
  for (int step = 1; step <= steps; ++step) {
    const StepReport step_report = made.world.step(kStep);
    const PoseReport report = audit.judge(shape_poses(made.world));
    ASSERT_TRUE(step_report.finite && report.finite) << step;
    ASSERT_EQ(report.outside, 0u) << "body " << report.first_outside << " outside after step " << step;
    worst = std::max(worst, report.worst_depth);
    sum += report.depth_sum;
    overlaps += report.overlaps;
    seconds += step_report.seconds.total;
  }
  figure(name + ": worst overlap at the end of a step", 1e3 * worst, "mm");
  figure(name + ": mean overlap", overlaps > 0 ? 1e3 * sum / static_cast<Real>(overlaps) : 0, "mm");
  figure(name + ": speed left", std::sqrt(2 * made.world.kinetic_energy() / dynamic_mass(made.world)) * kStep / kBox.x,
         "sizes a step");
  figure(name + ": cost of a step, one thread", 1e3 * seconds / steps, "ms");
  // A rod is 200 mm thick: with half of that two of them have passed through each other's middle.
  EXPECT_LE(worst, 0.05);
}

TEST(FastCrowd, StaysInItsBoxAndApartWithoutGravity) { expect_kept_apart("elastic crowd", 0, 1); }
TEST(FastCrowd, StaysInItsBoxAndApartWithGravity) { expect_kept_apart("heavy crowd", 9.81, 0.5); }

}  // namespace
}  // namespace carom::acceptance
