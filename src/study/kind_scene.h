// What the kinds of cases that run a scene share: a scene built from a case's setup, stepped with a suite.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "carom/dynamics/world.h"
#include "study/kind.h"

namespace carom {

/// A body of a case. Shapes are as in scene files: `"sphere": {"radius": 0.1}`.
struct KindBody {
  std::string name, shape;
  std::string type = "dynamic";
  Real mass = 1;                ///< kg, of dynamic bodies
  std::optional<Vec3> inertia;  ///< kg m², principal moments in body axes; without it the shape decides
  Vec3 position;                ///< m
  Quat orientation;
  Vec3 velocity, angular_velocity;
};

struct KindScene {
  Real gravity = 0;  ///< m/s², downwards
  Real friction = 0, restitution = 0;
  Real duration = 0;    ///< s
  std::string options;  ///< of the suite, as the inside of a JSON object; empty: defaults
  std::vector<KindBody> bodies;
};

std::string sphere_shape(Real radius);
std::string box_shape(const Vec3& size);
std::string plane_shape(const Vec3& normal, Real offset = 0);

/// The rotation by an angle about the y axis: it tilts the z axis towards x.
Quat tilt(Real radians);

/// A scene at work. Bodies are addressed by their place in `KindScene::bodies`.
class SceneRun {
 public:
  /// Keeps the scene as an artifact. What the reader refuses is complained of at the case's setup; check `ok` then.
  SceneRun(const KindInput& input, const KindScene& scene, Measurements& out, const std::string& name = {});
  /// Keeps the trajectory, thirty samples a second.
  ~SceneRun();
  SceneRun(const SceneRun&) = delete;
  SceneRun& operator=(const SceneRun&) = delete;

  bool ok() const { return world_.has_value(); }
  /// Requires `ok`. Steps to the time, or until `seen` returns false. False if the state is no longer finite.
  bool run_to(Real time, const std::function<bool()>& seen = nullptr);
  Real time() const { return world_->time(); }
  Real dt() const { return dt_; }
  BodyState state(std::size_t body) const { return world_->state(handles_[body]); }
  const World& world() const { return *world_; }
  BodyHandle handle(std::size_t body) const { return handles_[body]; }
  /// N: what the contact stage pressed with, along the normals, between two bodies in the last step.
  Real normal_force(std::size_t a, std::size_t b) const;

 private:
  void sample();

  Measurements& out_;
  std::string name_;
  Real dt_;
  std::optional<World> world_;
  std::vector<BodyHandle> handles_;
  std::string trajectory_;
  Real next_sample_ = 0;
};

/// When a speed that was recorded every dt, the last of them at `end`, reaches zero: the line through the last two that
/// are larger than `nothing`, extrapolated.
Real stop_time(const std::vector<Real>& speeds, Real end, Real dt, Real nothing);

}  // namespace carom
