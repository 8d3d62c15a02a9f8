// Forces of one's own: a small planet that draws everything to its centre. A satellite goes round it, and a probe that
// is dropped comes to rest on it.
#include <carom/carom.h>

#include <cmath>
#include <cstdio>

int main() {
  constexpr double kPull = 250;  // m³/s²: the planet's mass times the constant of gravitation

  carom::WorldDef def;
  def.gravity = {};
  def.options = carom::Options(carom::find_suite(def.suite)->options);
  // Half of each step's velocity from the forces at its end: orbits neither grow nor shrink.
  if (const std::string wrong = def.options.set("integrator", std::string("verlet")); !wrong.empty()) return 1;
  carom::World world(def);

  carom::BodyDef planet;
  planet.type = carom::BodyType::Fixed;
  planet.shape = carom::Shape::sphere(5);
  world.add_body(planet);

  carom::BodyDef ball;
  ball.shape = carom::Shape::sphere(0.2);
  ball.pose.position = {10, 0, 0};
  ball.velocity = {0, std::sqrt(kPull / 10), 0};
  const carom::BodyHandle satellite = world.add_body(ball);

  ball.pose.position = {0, 0, 7};
  ball.velocity = {};
  const carom::BodyHandle probe = world.add_body(ball);

  world.set_force_field([&](const carom::FieldPoint& point) {
    const carom::Vec3& x = point.state.position;
    const double distance = carom::norm(x);
    return carom::AppliedForce{-kPull * point.mass / (distance * distance * distance) * x, {}};
  });

  double nearest = 10, farthest = 10;
  for (int i = 0; i < 40 * 60; ++i) {
    if (!world.step(1.0 / 60).finite) return 1;
    const double distance = carom::norm(world.state(satellite).position);
    nearest = std::fmin(nearest, distance);
    farthest = std::fmax(farthest, distance);
  }
  const double height = carom::norm(world.state(probe).position) - 5.2;
  std::printf("after 40 s the satellite has kept between %.4f m and %.4f m from the centre\n", nearest, farthest);
  std::printf("the probe rests %.1e m above the ground\n", height);
  return farthest - nearest < 0.01 && std::fabs(height) < 1e-3 ? 0 : 1;
}
