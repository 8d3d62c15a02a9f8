// What the kinds of cases that run a scene share: a scene built from a case's setup, stepped with a suite.
#pragma once

#include <functional>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "carom/dynamics/world.h"
#include "study/kind.h"

namespace carom {

inline constexpr Real kDegree = std::numbers::pi / 180;  // rad

/// A body of a case. Shapes are as in scene files: `"sphere": {"radius": 0.1}`.
struct KindBody {
  std::string name, shape;
  std::string type = "dynamic";
  Real mass = 1;                ///< kg, of dynamic bodies
  std::optional<Mat3> inertia;  ///< kg m², about the centre of mass, body axes; without it the shape decides
  Vec3 position;                ///< m, of the shape's frame
  Quat orientation;
  Vec3 velocity, angular_velocity;     ///< m/s of the centre of mass, rad/s; world
  std::optional<Vec3> center_of_mass;  ///< m, in the shape's frame; without it the shape decides
  std::string material = "default";
};

/// Friction between two materials where it is not the scene's.
struct KindPair {
  std::string first, second;
  Real friction = 0;
};

struct KindScene {
  Real gravity = 0;  ///< m/s², downwards
  Real friction = 0, restitution = 0;
  Real duration = 0;  ///< s
  SuiteOptions options;
  std::vector<KindBody> bodies;
  std::vector<KindPair> pairs;
};

std::string sphere_shape(Real radius);
std::string box_shape(const Vec3& size);
std::string plane_shape(const Vec3& normal, Real offset = 0);
std::string capsule_shape(Real radius, Real length);
std::string cylinder_shape(Real radius, Real height);
std::string cone_shape(Real radius, Real height);
std::string ellipsoid_shape(const Vec3& radii);
std::string hull_shape(const std::vector<Vec3>& points);

/// A fixed floor, solid below a height.
KindBody floor_body(Real height = 0);

/// The rotation by an angle about the y axis: it tilts the z axis towards x.
Quat tilt(Real radians);

/// What nearly every case names: g, mu and e. Friction that a case names in another way is given instead.
KindScene read_kind_scene(const JsonView& setup, std::optional<Real> friction = {});

/// Options of a run that is cut at times of impact; none for a suite that has no steps to cut.
SuiteOptions to_impacts(const std::string& suite);
/// Of these options those that the suite has.
SuiteOptions where_known(const std::string& suite, SuiteOptions asked);
/// Options that keep what bodies move while hops settle below a micrometre; none for suites without them.
SuiteOptions small_hops(const std::string& suite);

/// A scene at work. Bodies are addressed by their place in `KindScene::bodies`.
class SceneRun {
 public:
  /// Keeps the scene as an artifact. What the reader refuses is complained of at the case's setup; check `ok` then. A
  /// suite without an option that the scene asks for cannot run it, which is no mistake of the case: `ok` says no.
  SceneRun(const KindInput& input, const KindScene& scene, Measurements& out, const std::string& name = {});
  /// Keeps the trajectory, thirty samples a second.
  ~SceneRun();
  SceneRun(const SceneRun&) = delete;
  SceneRun& operator=(const SceneRun&) = delete;

  bool ok() const { return world_.has_value(); }
  /// Requires `ok`. Steps to the time, or until `seen` returns false; with `seen` all steps are whole ones, and the
  /// last is the one that ends nearest to it. False if the state is no longer finite or the time limit is over.
  bool run_to(Real time, const std::function<bool()>& seen = nullptr);
  /// Whether contact that lasts is a series of microcollisions; dt is the length of a frame then.
  bool hops() const { return hops_; }
  Real time() const { return world_->time(); }
  Real dt() const { return dt_; }
  const StepReport& report() const { return report_; }  ///< of the last step
  BodyState state(std::size_t body) const { return world_->state(handles_[body]); }
  const World& world() const { return *world_; }
  World& world() { return *world_; }
  BodyHandle handle(std::size_t body) const { return handles_[body]; }
  /// N: what the contact stage pressed with, along the normals, between two bodies in the last step.
  Real normal_force(std::size_t a, std::size_t b) const;
  /// N s: what the collision stage of the last step gave `b`, from `a`.
  Vec3 collision_impulse(std::size_t a, std::size_t b) const;
  /// When two bodies met in the last step: at impacts of an event-driven suite, microcollisions not among them, or
  /// where meeting cut the step (`to_impacts`).
  std::vector<Real> hits(std::size_t a, std::size_t b) const;
  /// Whether a contact, a stop or an event is of two bodies.
  bool is_pair(const auto& met, std::size_t a, std::size_t b) const {
    return (met.a == handles_[a] && met.b == handles_[b]) || (met.a == handles_[b] && met.b == handles_[a]);
  }

 private:
  void sample();

  Measurements& out_;
  std::string name_;
  Real dt_;
  Real last_dt_;         // s: how long the last step was
  double seconds_left_;  // of wall time
  Stopwatch watch_;
  bool hops_ = false;
  std::optional<World> world_;
  StepReport report_;
  std::vector<BodyHandle> handles_;
  std::string trajectory_;
  Real next_sample_ = 0;
};

/// Whether a scene stays as it was built: no centre of a dynamic body moves by more than `allowed`, m, in the scene's
/// duration. Nothing where it cannot be run to the end.
std::optional<bool> stays_put(const KindInput& input, const KindScene& scene, Real allowed, Measurements& out,
                              const std::string& name);

/// When a speed that was recorded every dt, the last of them at `end`, reaches zero: the line through the last two that
/// are larger than `nothing`, extrapolated.
Real stop_time(const std::vector<Real>& speeds, Real end, Real dt, Real nothing);

/// When a contact opens whose normal force was recorded every dt, the last of them at `end`: the line through the last
/// two that are not zero, extrapolated to zero. A force is a mean over its step and belongs to the middle of it. Not a
/// number where there are no two.
Real opening_time(const std::vector<Real>& forces, Real end, Real dt);

/// How long there must be no force before a contact counts as open: bodies that follow a curve in straight steps part
/// for moments on the way.
inline constexpr Real kParted = 0.1;  // s

/// A mean of values seen one after the other: what hops a hundredth of a millimetre high is read so.
class Mean {
 public:
  void add(Real value) { sum_ += value, ++count_; }
  Real value() const { return sum_ / static_cast<Real>(count_); }  ///< not a number where there are none

 private:
  Real sum_ = 0;
  int count_ = 0;
};

/// Of values seen every dt, the first at time 0: what lies on the lines between them. Requires two values.
Real value_at(const std::vector<Real>& values, Real time, Real dt);

}  // namespace carom
