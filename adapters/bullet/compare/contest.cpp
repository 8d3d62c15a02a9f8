#include "compare/contest.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "compare/bullet_scene.h"
#include "study/pose_audit.h"

namespace carom {
namespace {

/// Of this thread: other programs do not count.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

Outcome run(const Scene& scene, const Contestant& contestant) {
  std::unique_ptr<btConstraintSolver> own = std::make_unique<btSequentialImpulseConstraintSolver>();
  BulletSolver caroms(contestant.settings);
  const bool is_carom = contestant.iterations == 0;
  BulletScene bullet(is_carom ? static_cast<btConstraintSolver&>(caroms) : *own);
  if (!is_carom) bullet.world().getSolverInfo().m_numIterations = contestant.iterations;
  if (const std::string missing = bullet.load(scene); !missing.empty()) fail(scene.name + ": " + missing);

  Outcome outcome;
  PoseAudit audit(audit_bodies(scene));
  outcome.states.push_back(bullet.poses());
  const int steps = static_cast<int>(std::lround(scene.duration / scene.dt));
  const int last_second = steps - static_cast<int>(std::lround(1 / scene.dt));
  if (is_carom) outcome.residual = 0;
  for (int step = 0; step < steps; ++step) {
    const double start = cpu_seconds();
    bullet.step(scene.dt);
    const double spent = cpu_seconds() - start;
    outcome.seconds += spent;
    if (step >= last_second) outcome.rest_seconds += spent;
    outcome.states.push_back(bullet.poses());
    const Real depth = audit.judge(outcome.states.back()).worst_depth;
    outcome.worst_penetration = std::max(outcome.worst_penetration, depth);
    if (step >= last_second) outcome.rest_penetration = std::max(outcome.rest_penetration, depth);
    if (!is_carom) continue;
    outcome.residual = std::max(*outcome.residual, caroms.report().residual_coulomb);
    if (caroms.report().passed_on > 0) outcome.note = caroms.report().passed_on_why;
  }
  return outcome;
}

Real largest_way(const Scene& scene, const std::vector<Pose>& from, const std::vector<Pose>& to) {
  Real way = 0;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    if (scene.bodies[i].def.type == BodyType::Dynamic) way = std::max(way, norm(to[i].position - from[i].position));
  return way;
}

std::vector<Real> last_speeds(const Scene& scene, const Outcome& outcome) {
  const std::vector<Pose>&last = outcome.states.back(), &before = outcome.states[outcome.states.size() - 2];
  std::vector<Real> speeds;
  speeds.reserve(last.size());
  for (std::size_t i = 0; i < last.size(); ++i)
    speeds.push_back((last[i].position.x - before[i].position.x) / scene.dt);
  return speeds;
}

}  // namespace carom
