#include "subjects.h"

#include <cmath>

#include "carom/base/error.h"
#include "carom/dynamics/world.h"
#include "carom/io/problem_file.h"
#include "carom/io/scene.h"

namespace carom::bench {
namespace {

Scene built_in(const std::string& name) {
  for (const BuiltInScene& scene : built_in_scenes()) {
    if (scene.name != name) continue;
    Result<Scene> parsed = parse_scene(scene.json, name, ".", "exact");  // a suite that makes contact problems
    if (!parsed) fail(parsed.message());
    return parsed.value();
  }
  fail(name + ": no built-in scene of that name ('carom list' shows them)");
}

Subject of_scene(const std::string& name, const std::string& scene_name, double time) {
  const Scene scene = built_in(scene_name);
  World world = make_world(scene, scene_options(scene), 1);
  const auto steps = std::llround(time / scene.dt);
  if (steps < 1) fail(name + ": expected a time after the first step");
  Subject subject;
  subject.name = name;
  for (long long i = 0; i <= steps; ++i) {
    if (i >= steps - 1)
      world.set_problem_observer([&, i](Stage stage, const ContactProblem& problem) {
        if (stage != Stage::Contacts) return;
        if (i == steps)
          subject.problem = problem;
        else
          subject.previous = problem;
      });
    world.step(scene.dt);
  }
  return subject;
}

Real kinetic_energy(const ProblemBody& body, const Vec3& velocity) {
  const Vec3& w = body.angular_velocity;
  return 0.5 * (squared_norm(velocity) / body.inverse_mass + dot(w, inverse(body.inverse_inertia) * w));
}

ContactProblem with_frozen_bodies(ContactProblem problem) {
  const Vec3 down = problem.down == Vec3{} ? Vec3{0, 0, -1} : problem.down;
  const Vec3 fall = (problem.gravity * problem.dt) * down;
  for (ProblemBody& body : problem.bodies) {
    if (body.role != BodyRole::Dynamic) continue;
    const Vec3 before = body.velocity - fall;
    if (kinetic_energy(body, before) >= 0.5 * squared_norm(fall) / body.inverse_mass) continue;
    body.role = BodyRole::Frozen;
    body.velocity = body.angular_velocity = {};
  }
  return problem;
}

}  // namespace

Subject find_subject(const std::string& name) {
  if (const std::size_t at = name.find('@'); at != std::string::npos) {
    try {
      return of_scene(name, name.substr(0, at), std::stod(name.substr(at + 1)));
    } catch (const std::logic_error&) {
      fail(name + ": expected SCENE@SECONDS, as in cubeglass@2");
    }
  }
  const Result<ContactProblem> loaded = load_problem(name);
  if (!loaded) fail(loaded.message());
  const std::size_t slash = name.find_last_of('/');
  return {slash == std::string::npos ? name : name.substr(slash + 1), loaded.value(), {}};
}

Subject with_frozen_bodies(const Subject& subject) {
  Subject frozen{subject.name + ", frozen", with_frozen_bodies(subject.problem), {}};
  if (subject.previous) frozen.previous = with_frozen_bodies(*subject.previous);
  return frozen;
}

}  // namespace carom::bench
