// carom_bench_narrow_phase: Carom's narrow phase and Bullet's on the same poses, step by step in one run.
//
// A scene runs on Carom until it has settled, and on. At the poses of every further step both engines look for contact
// points: Carom as its own step does (swept margins, recycled manifolds), Bullet by dispatchAllCollisionPairs after its
// own broad phase. Each gets three tries a step, of which the fastest counts: tries differ only by what else the
// machine does. Times are divided by the pairs that have a contact point in that engine.
#include <btBulletCollisionCommon.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

#include "base/stopwatch.h"
#include "carom/base/error.h"
#include "carom/io/scene.h"
#include "collision/detector.h"
#include "geometry/bounds.h"

namespace carom::bench {
namespace {

struct Arguments {
  std::string scene = "pile5000";
  double settle = 10;
  int steps = 60;
  std::string state;
};

struct Sample {
  double seconds = 0;
  std::int64_t touching = 0;
  std::int64_t reused = 0, manifolds = 0, pairs = 0;
};

constexpr int kTries = 3;
constexpr Real kTouch = 1e-3;  // m

btVector3 to_bullet(const Vec3& v) {
  return {static_cast<btScalar>(v.x), static_cast<btScalar>(v.y), static_cast<btScalar>(v.z)};
}

std::unique_ptr<btCollisionShape> make_shape(const Shape::Geometry& geometry) {
  if (const auto* box = std::get_if<Box>(&geometry)) return std::make_unique<btBoxShape>(to_bullet(box->half_size));
  if (const auto* sphere = std::get_if<Sphere>(&geometry))
    return std::make_unique<btSphereShape>(static_cast<btScalar>(sphere->radius));
  if (const auto* capsule = std::get_if<Capsule>(&geometry))
    return std::make_unique<btCapsuleShapeZ>(static_cast<btScalar>(capsule->radius),
                                             static_cast<btScalar>(2 * capsule->half_length));
  const auto* plane = std::get_if<Plane>(&geometry);
  require(plane != nullptr, "carom_bench_narrow_phase: knows boxes, spheres, capsules and planes");
  return std::make_unique<btStaticPlaneShape>(to_bullet(plane->normal), static_cast<btScalar>(plane->offset));
}

/// Bullet's collision world with Carom's bodies.
class BulletBodies {
 public:
  explicit BulletBodies(const World& world) {
    for (const BodyHandle handle : world.bodies()) {
      shapes_.push_back(make_shape(world.shape(handle)->geometry()));
      objects_.push_back(std::make_unique<btCollisionObject>());
      objects_.back()->setCollisionShape(shapes_.back().get());
      const bool fixed = world.type(handle) != BodyType::Dynamic;
      if (fixed) objects_.back()->setCollisionFlags(btCollisionObject::CF_STATIC_OBJECT);
      world_.addCollisionObject(objects_.back().get(),
                                fixed ? btBroadphaseProxy::StaticFilter : btBroadphaseProxy::DefaultFilter,
                                fixed ? btBroadphaseProxy::AllFilter ^ btBroadphaseProxy::StaticFilter
                                      : static_cast<int>(btBroadphaseProxy::AllFilter));
    }
  }

  Sample detect(const World& world) {
    const std::vector<BodyHandle> bodies = world.bodies();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const Pose pose = world.shape_pose(bodies[i]);
      const Quat& q = pose.orientation;
      btTransform& at = objects_[i]->getWorldTransform();
      at.setOrigin(to_bullet(pose.position));
      at.setRotation(btQuaternion(static_cast<btScalar>(q.x), static_cast<btScalar>(q.y), static_cast<btScalar>(q.z),
                                  static_cast<btScalar>(q.w)));
    }
    world_.updateAabbs();
    world_.computeOverlappingPairs();
    Sample sample;
    sample.seconds = 1e300;
    for (int k = 0; k < kTries; ++k) {
      Stopwatch watch;
      dispatcher_.dispatchAllCollisionPairs(broadphase_.getOverlappingPairCache(), world_.getDispatchInfo(),
                                            &dispatcher_);
      sample.seconds = std::min(sample.seconds, watch.lap());
    }
    sample.pairs = broadphase_.getOverlappingPairCache()->getNumOverlappingPairs();
    for (int i = 0; i < dispatcher_.getNumManifolds(); ++i) {
      const btPersistentManifold& manifold = *dispatcher_.getManifoldByIndexInternal(i);
      bool touching = false;
      for (int k = 0; k < manifold.getNumContacts(); ++k)
        touching = touching || manifold.getContactPoint(k).getDistance() <= static_cast<btScalar>(kTouch);
      sample.touching += touching ? 1 : 0;
    }
    return sample;
  }

 private:
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btCollisionWorld world_{&dispatcher_, &broadphase_, &configuration_};
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btCollisionObject>> objects_;
};

/// As the fixed step sets them, but for what neighbours may do.
std::vector<Proxy> proxies(const World& world, Real dt, Real envelope) {
  std::vector<Proxy> all;
  const Real base = 2 * envelope + norm(world.gravity()) * dt * dt;
  for (const BodyHandle handle : world.bodies()) {
    const Shape& shape = *world.shape(handle);
    const BodyState state = world.state(handle);
    const Pose pose = world.shape_pose(handle);
    const bool dynamic = world.type(handle) == BodyType::Dynamic;
    Proxy p{&shape.geometry(), pose.position, to_matrix(pose.orientation), {}, 0, shape.is_bounded(), dynamic, dynamic};
    if (dynamic) {
      p.sweep = dt * state.velocity;
      p.reach = base + dt * norm(state.angular_velocity) * bounding_radius(shape.geometry());
    }
    all.push_back(p);
  }
  return all;
}

/// Detectors that have seen the same, of which the fastest counts.
Sample detect(std::array<Detector, kTries>& detectors, std::span<const Proxy> all) {
  Sample sample;
  sample.seconds = 1e300;
  for (Detector& each : detectors) {
    each.detect(all, nullptr);
    sample.seconds = std::min(sample.seconds, each.counts().narrow_seconds);
  }
  const Detector& detector = detectors.front();
  for (const Manifold& m : detector.manifolds()) {
    Real least = 1e300;
    for (int k = 0; k < m.count; ++k) least = std::min(least, m.points[static_cast<std::size_t>(k)].gap);
    sample.touching += least <= kTouch ? 1 : 0;
  }
  sample.reused = detector.counts().reused;
  sample.manifolds = detector.counts().manifolds;
  sample.pairs = detector.counts().pairs;
  return sample;
}

/// By `exact`, whose detector is the one that is measured.
Scene find_scene(const std::string& name) {
  for (const BuiltInScene& built_in : built_in_scenes())
    if (built_in.name == name) return parse_scene(built_in.json, name, ".", "exact").value();
  return load_scene(name, "exact").value();
}

/// Runs until it has settled, or takes that state from a file of an earlier run.
void settle(World& world, const Scene& scene, const Arguments& arguments) {
  if (std::ifstream in(arguments.state, std::ios::binary); in.good()) {
    std::ostringstream bytes;
    bytes << in.rdbuf();
    const std::string refused = world.restore(bytes.str());
    require(refused.empty(), refused.c_str());
    return;
  }
  while (world.time() < arguments.settle) world.step(scene.dt);
  if (!arguments.state.empty()) std::ofstream(arguments.state, std::ios::binary) << world.save();
}

void run(const Arguments& arguments) {
  const Scene scene = find_scene(arguments.scene);
  World world = make_world(scene, scene_options(scene));
  settle(world, scene, arguments);
  Real smallest = 1e300;
  for (const BodyHandle handle : world.bodies())
    if (world.type(handle) == BodyType::Dynamic) smallest = std::min(smallest, world.shape(handle)->smallest_size());

  std::array<Detector, kTries> detectors;
  BulletBodies bullet(world);
  Sample carom_sum, bullet_sum;
  const auto add = [](Sample& sum, const Sample& s) {
    sum.seconds += s.seconds;
    sum.touching += s.touching;
    sum.reused += s.reused;
    sum.manifolds += s.manifolds;
    sum.pairs += s.pairs;
  };
  for (int i = 0; i <= arguments.steps; ++i) {
    const Sample ours = detect(detectors, proxies(world, scene.dt, 1e-4 * smallest)), theirs = bullet.detect(world);
    world.step(scene.dt);
    if (i == 0) continue;  // nothing to persist yet
    add(carom_sum, ours);
    add(bullet_sum, theirs);
  }
  const double carom_ns = 1e9 * carom_sum.seconds / static_cast<double>(carom_sum.touching);
  const double bullet_ns = 1e9 * bullet_sum.seconds / static_cast<double>(bullet_sum.touching);
  const int n = arguments.steps;
  fmt::print("{} from {:.1f} s, {} steps, one thread, best of {} tries a step\n\n", arguments.scene,
             world.time() - (n + 1) * scene.dt, n, kTries);
  fmt::print("| | pairs | touching | ms a step | ns a touching pair |\n|---|---|---|---|---|\n");
  fmt::print("| Carom | {} | {} | {:.3f} | {:.0f} |\n", carom_sum.pairs / n, carom_sum.touching / n,
             1e3 * carom_sum.seconds / n, carom_ns);
  fmt::print("| Bullet {} ({}) | {} | {} | {:.3f} | {:.0f} |\n\n", BT_BULLET_VERSION,
             sizeof(btScalar) == 8 ? "double" : "float", bullet_sum.pairs / n, bullet_sum.touching / n,
             1e3 * bullet_sum.seconds / n, bullet_ns);
  fmt::print("Carom / Bullet: {:.2f}; manifolds reused: {:.1f} %\n", carom_ns / bullet_ns,
             100.0 * static_cast<double>(carom_sum.reused) / static_cast<double>(carom_sum.manifolds));
}

int main_function(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Carom's narrow phase and Bullet's on the same poses, interleaved: nanoseconds a touching pair.");
  app.add_option("--scene", arguments.scene, "a built-in scene or a scene file")->capture_default_str();
  app.add_option("--settle", arguments.settle, "simulated seconds before measuring")->capture_default_str();
  app.add_option("--steps", arguments.steps, "steps to measure")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--state", arguments.state, "file that keeps the settled state from run to run");
  CLI11_PARSE(app, argc, argv);
  try {
    run(arguments);
  } catch (const std::exception& error) {
    std::cerr << "carom_bench_narrow_phase: " << error.what() << '\n';
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace carom::bench

int main(int argc, char** argv) { return carom::bench::main_function(argc, argv); }
