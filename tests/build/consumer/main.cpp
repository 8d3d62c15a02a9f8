// A ball falls for half a second with nothing below it: z = g t²/2 exactly, because free flight takes the whole
// parabola.
#include <carom/carom.h>

#include <cmath>
#include <cstdio>

int main() {
  carom::World world;
  carom::BodyDef def;
  def.shape = carom::Shape::sphere(0.5);
  const carom::BodyHandle ball = world.add_body(def);
  for (int step = 0; step < 30; ++step) world.step(1.0 / 60);

  const double fallen = -world.state(ball).position.z, expected = 0.5 * 9.81 * 0.5 * 0.5;
  const bool has_scenes = !carom::built_in_scenes().empty();
  std::printf("fell %.12f m, expected %.12f m; built-in scenes: %s\n", fallen, expected, has_scenes ? "yes" : "no");
  return std::abs(fallen - expected) < 1e-9 && has_scenes ? 0 : 1;
}
