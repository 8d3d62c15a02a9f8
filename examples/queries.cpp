// Asking a world what is where: a ray, a swept ball, what stands in a box, what is nearest to a point.
#include <carom/carom.h>

#include <cstdio>

int main() {
  carom::World world;
  constexpr std::uint64_t kScenery = 1, kCrates = 2;

  carom::BodyDef floor;
  floor.name = "floor";
  floor.type = carom::BodyType::Fixed;
  floor.shape = carom::Shape::plane({0, 0, 1}, 0);
  floor.category = kScenery;
  world.add_body(floor);

  carom::BodyDef crate;
  crate.shape = carom::Shape::box({1, 1, 1});
  crate.category = kCrates;
  for (int i = 0; i < 3; ++i) {
    crate.name = "crate " + std::to_string(i);
    crate.pose.position = {2.0 * i, 0, 0.5};
    world.add_body(crate);
  }

  // Straight down on the second crate; then past it, to the scenery alone.
  carom::Ray ray;
  ray.origin = {2.1, 0.2, 5};
  if (const auto hit = world.cast_ray(ray))
    std::printf("the ray hits %s after %.2f m\n", world.name(hit->body).c_str(), hit->distance);
  if (const auto hit = world.cast_ray(ray, {.mask = kScenery}))
    std::printf("without crates it hits the %s after %.2f m\n", world.name(hit->body).c_str(), hit->distance);

  // A ball rolls along the row.
  const auto touch = world.cast_shape(*carom::Shape::sphere(0.4), {{-3, 0, 0.41}, {}}, {10, 0, 0});
  if (touch) std::printf("the ball touches %s after %.2f m\n", world.name(touch->body).c_str(), 10 * touch->fraction);

  const auto inside = world.overlaps(*carom::Shape::box({3, 1, 1}), {{3, 0, 0.6}, {}}, {.mask = kCrates});
  std::printf("%zu crates stand in the box\n", inside.size());

  if (const auto nearest = world.closest_body(carom::Vec3{5.1, 0, 0.7}))
    std::printf("%s is nearest, %.2f m away\n", world.name(nearest->body).c_str(), nearest->distance);
  return touch && inside.size() == 2 ? 0 : 1;
}
