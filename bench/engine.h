// One interface for every engine of the benchmark, so that all run the same scene files under the same clock and judge.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "carom/io/scene.h"

namespace carom::bench {

/// What only Carom can tell of its run.
struct OwnReport {
  StageSeconds seconds;     ///< summed over the steps so far
  Real residual_final = 0;  ///< Coulomb residual of the last step, in units of v_ref
  Real residual_mean = 0;   ///< over the steps so far
  Real residual_worst = 0;
  Real iterations_mean = 0;
  Real contacts_mean = 0;
  std::int64_t frozen = 0;  ///< bodies, after the last step
  std::uint64_t state_hash = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  /// Everything that differs from the engine's defaults, and the defaults that matter.
  virtual std::string settings() const = 0;
  /// Builds the scene. Empty when that worked, else what of the scene the engine cannot do.
  virtual std::string load(const Scene& scene) = 0;
  virtual void step(Real dt) = 0;
  /// Of the shapes' frames, in scene order.
  virtual void poses(std::vector<Pose>& out) const = 0;
  virtual std::optional<OwnReport> own_report() const { return std::nullopt; }
};

/// How an engine of other people is run.
enum class Effort : unsigned char {
  Default,       ///< as it comes
  Accurate,      ///< the most accurate way that its manual offers at the same step
  TwoDirections  ///< Bullet alone: accurate, and friction solved along two directions instead of the sliding one
};

/// One way of running one engine: a point in the plot.
struct Contender {
  std::string engine;    ///< "Carom exact", "Bullet": one colour in the plot
  std::string version;   ///< of the engine
  std::string variant;   ///< "default", "accurate", "2 threads, freezing"
  std::string settings;  ///< known once a scene is loaded
  int threads = 1;
  std::function<std::unique_ptr<Engine>()> make;
  std::vector<std::string> environment{};  ///< `NAME=value`, for its process alone
  std::string label() const { return engine + ", " + variant; }
};

/// An engine of other people that was found when the benchmark was built.
struct Peer {
  std::string name;    ///< on the command line
  std::string engine;  ///< as people know it
  std::string version;
  std::string accurate = "accurate";                         ///< name of its most accurate setting
  std::string source;                                        ///< the command that brings it
  std::unique_ptr<Engine> (*make)(Effort effort) = nullptr;  ///< null: not found when this was built
};
/// All that the benchmark knows, in a fixed order.
std::vector<Peer> peers();

/// `set` are options of the suite as `key=value`. An empty suite means the scene's own, with the scene's options.
std::unique_ptr<Engine> make_carom(const std::string& suite, int threads, const std::vector<std::string>& set);
/// Sequential impulses, no sleeping; by default 10 iterations with split impulses.
std::unique_ptr<Engine> make_bullet(Effort effort);
/// No sleeping; by default QuickStep with 20 iterations, accurate: the exact LCP of dWorldStep.
std::unique_ptr<Engine> make_ode(Effort effort);
/// Newton's method on soft contacts; by default a friction pyramid, accurate: the round cone, stiffer, without slip.
std::unique_ptr<Engine> make_mujoco(Effort effort);
/// Dantzig's pivots for the LCP; accurate: four substeps.
std::unique_ptr<Engine> make_dart(Effort effort);
/// Soft contacts with substeps, no sleeping; by default 4 of them, accurate ("tuned"): 20, and stiffer contacts.
std::unique_ptr<Engine> make_box3d(Effort effort);
/// Sequential impulses, no sleeping, no damping; by default 10 and 2 iterations, accurate: five times as many.
std::unique_ptr<Engine> make_jolt(Effort effort);

/// What the adapters of other engines do not carry over; empty if there is nothing of the kind in the scene.
std::string not_carried_over(const Scene& scene);
/// True if bodies of different friction or restitution meet: engines that combine coefficients by a rule of their own
/// would be given another scene.
bool materials_differ(const Scene& scene);

/// Friction and restitution of every two materials, by their places in the scene's list.
class MaterialTable {
 public:
  explicit MaterialTable(const Scene& scene);
  std::size_t place_of(const std::string& name) const;
  const Material& of(std::size_t a, std::size_t b) const { return table_[a * names_.size() + b]; }

 private:
  std::vector<std::string> names_;
  std::vector<Material> table_;
};

/// Mass, centre and inertia of a dynamic body.
MassProperties mass_of(const BodyDef& def);
const Material& material_of(const Scene& scene, const SceneBody& body);

}  // namespace carom::bench
