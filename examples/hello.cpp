// A ball and a cube fall on a plane: where they end, and how exact that is.
#include <carom/carom.h>

#include <algorithm>
#include <cstdio>

int main() {
  carom::World world;
  world.set_default_material({.friction = 0.5, .static_friction = 0.5, .restitution = 0.3});

  carom::BodyDef floor;
  floor.type = carom::BodyType::Fixed;
  floor.shape = carom::Shape::plane({0, 0, 1}, 0);
  world.add_body(floor);

  carom::BodyDef ball;
  ball.shape = carom::Shape::sphere(0.5);
  ball.pose.position = {0, 0, 2};
  const carom::BodyHandle ball_handle = world.add_body(ball);

  carom::BodyDef cube;
  cube.shape = carom::Shape::box({1, 1, 1});
  cube.pose.position = {3, 0, 1.5};
  const carom::BodyHandle cube_handle = world.add_body(cube);

  double penetration = 0, residual = 0;
  for (int step = 1; step <= 120; ++step) {
    const carom::StepReport report = world.step(1.0 / 60);
    penetration = std::max(penetration, report.max_penetration);
    residual = std::max(residual, report.residual_coulomb);
    if (step % 20 == 0)
      std::printf("%.2f s: ball at %.4f m, cube at %.4f m\n", world.time(), world.state(ball_handle).position.z,
                  world.state(cube_handle).position.z);
  }
  std::printf("worst penetration %.1e m, worst distance from Coulomb's law %.1e\n", penetration, residual);
}
