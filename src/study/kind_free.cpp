// Bodies that nothing touches.
#include <cmath>

#include "study/kind_scene.h"

namespace carom {
namespace {

void measure_freefall(const KindInput& input, Measurements& out) {
  KindScene scene;
  scene.gravity = need(input.setup, "g").number();
  scene.duration = need(input.setup, "duration").positive();
  scene.bodies = {{"ball", sphere_shape(0.1)}};
  scene.bodies[0].velocity = need(input.setup, "v0").vec3();
  SceneRun run(input, scene, out);
  if (!run.ok() || !run.run_to(scene.duration)) return;
  const Vec3 x = run.state(0).position;
  out.add("x", std::vector<Real>{x.x, x.y, x.z});
}

Vec3 in_body_axes(const Quat& q, const Vec3& v) { return rotate(conjugate(q), v); }

void measure_free_body(const KindInput& input, Measurements& out) {
  const Vec3 inertia = need(input.setup, "I").positive3(), w0 = need(input.setup, "w0_body").vec3();
  const std::vector<JsonView> q0 = need(input.setup, "q0_wxyz").items();
  if (input.setup.ok() && q0.size() != 4) need(input.setup, "q0_wxyz").expected("a list of four numbers");
  if (!input.setup.ok()) return;
  KindScene scene;
  scene.duration = need(input.setup, "duration").positive();
  scene.bodies = {{"body", sphere_shape(0.1)}};
  KindBody& body = scene.bodies[0];
  body.mass = need(input.setup, "m").positive();
  body.inertia = Mat3::diagonal(inertia);
  body.orientation = normalized(Quat{q0[0].number(), q0[1].number(), q0[2].number(), q0[3].number()});
  body.angular_velocity = rotate(body.orientation, w0);
  SceneRun run(input, scene, out);
  if (!run.ok() || !run.run_to(scene.duration)) return;
  const BodyState end = run.state(0);
  const Quat& q = end.orientation;
  const Vec3 w = in_body_axes(q, end.angular_velocity);
  const Vec3 momentum{inertia.x * w.x, inertia.y * w.y, inertia.z * w.z};
  out.add("w_body_T", std::vector<Real>{w.x, w.y, w.z});
  out.add("q_T_wxyz", std::vector<Real>{q.w, q.x, q.y, q.z});
  out.add("energy", 0.5 * dot(w, momentum));
  out.add("L_norm", norm(momentum));
}

}  // namespace

std::vector<KindInfo> free_kinds() {
  return {{"freefall", true, measure_freefall}, {"free_body", true, measure_free_body}};
}

}  // namespace carom
