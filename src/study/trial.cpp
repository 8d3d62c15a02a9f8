#include "study/trial.h"

#include <algorithm>
#include <ctime>
#include <map>

#include <fmt/format.h>

#include "study/run.h"
#include "study/scene_lookup.h"

namespace carom {
namespace {

Scene scene_of(const TrialSetup& setup, const std::function<void(Scene&)>& change) {
  Result<Scene> scene = find_scene(setup.scene, setup.suite);
  if (!scene) fail(scene.message());
  if (change) change(scene.value());
  return scene.value();
}

Options options_of(const Scene& scene, const TrialSetup& setup) {
  const Result<Options> options = choose_options(scene, setup.settings);
  if (!options) fail(options.message());
  return options.value();
}

}  // namespace

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string command(const TrialSetup& setup) {
  std::string text = "carom run " + setup.scene;
  if (!setup.suite.empty()) text += " --suite " + setup.suite;
  for (const std::string& setting : setup.settings) text += " --set " + setting;
  if (setup.dt) text += fmt::format(" --dt {:.6g}", *setup.dt);
  if (setup.duration) text += fmt::format(" --duration {:.6g}", *setup.duration);
  return text;
}

Trial::Trial(const TrialSetup& setup, const std::function<void(Scene&)>& change)
    : scene_(scene_of(setup, change)),
      dt_(setup.dt.value_or(scene_.dt)),
      duration_(setup.duration.value_or(scene_.duration)),
      world_(make_world(scene_, options_of(scene_, setup))) {}

StepReport Trial::step() {
  const double start = thread_seconds();
  const StepReport report = world_.step(dt_);
  cpu_seconds_ += thread_seconds() - start;
  if (!report.finite) fail(fmt::format("{}: the state is no longer finite after {} s", scene_.name, world_.time()));
  return report;
}

void Trial::run(const std::function<bool(const StepReport&)>& each, const std::function<void(double)>& progress) {
  const std::int64_t steps = step_count(duration_, dt_);
  for (std::int64_t i = 0; i < steps; ++i) {
    if (!each(step())) return;
    if (progress) progress(static_cast<double>(i + 1) / static_cast<double>(steps));
  }
}

BodyHandle Trial::body(const std::string& name) const {
  for (const BodyHandle body : world_.bodies())
    if (world_.name(body) == name) return body;
  fail(scene_.name + ": there is no body named " + name);
}

void keep_lowest(Scene& scene, std::size_t bodies) {
  std::vector<Real> heights;
  for (const SceneBody& body : scene.bodies)
    if (body.def.type == BodyType::Dynamic) heights.push_back(body.def.pose.position.z);
  if (heights.size() <= bodies) return;
  std::ranges::sort(heights);
  const Real limit = heights[bodies];
  // Of a layer that does not fit as a whole, the first in order stay.
  auto room = static_cast<std::ptrdiff_t>(bodies) - (std::ranges::lower_bound(heights, limit) - heights.begin());
  std::erase_if(scene.bodies, [&](const SceneBody& body) {
    if (body.def.type != BodyType::Dynamic || body.def.pose.position.z < limit) return false;
    return body.def.pose.position.z > limit || room-- <= 0;
  });
}

std::vector<ContactProblem> problems_of(Trial& trial, Stage stage, int steps) {
  std::vector<ContactProblem> problems;
  trial.world().set_problem_observer([&](Stage at, const ContactProblem& problem) {
    if (at == stage) problems.push_back(problem);
  });
  for (int i = 0; i < steps; ++i) trial.step();
  trial.world().set_problem_observer(nullptr);
  return problems;
}

std::vector<Vec3> matched_by_id(const ContactProblem& solved, const std::vector<Vec3>& impulses,
                                const ContactProblem& problem) {
  std::map<std::uint64_t, Vec3> by_id;
  for (std::size_t i = 0; i < solved.contacts.size(); ++i)
    if (solved.contacts[i].id != 0) by_id[solved.contacts[i].id] = impulses[i];
  std::vector<Vec3> matched;
  matched.reserve(problem.contacts.size());
  for (const ContactPoint& c : problem.contacts) {
    const auto found = by_id.find(c.id);
    matched.push_back(found == by_id.end() ? Vec3{} : found->second);
  }
  return matched;
}

}  // namespace carom
