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
  std::uint64_t state_hash = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;
  virtual std::string version() const = 0;
  /// Everything that differs from the engine's defaults, and the defaults that matter.
  virtual std::string settings() const = 0;
  virtual int threads() const { return 1; }
  /// Builds the scene. Empty when that worked, else what of the scene the engine cannot do.
  virtual std::string load(const Scene& scene) = 0;
  virtual void step(Real dt) = 0;
  /// Of the shapes' frames, in scene order.
  virtual void poses(std::vector<Pose>& out) const = 0;
  virtual std::optional<OwnReport> own_report() const { return std::nullopt; }
};

using EngineFactory = std::function<std::unique_ptr<Engine>()>;

/// `set` are options of the suite as `key=value`, on top of the scene's own.
std::unique_ptr<Engine> make_carom(int threads, const std::vector<std::string>& set);
/// Sequential impulses with the default 10 iterations and split impulses, no sleeping, one thread.
std::unique_ptr<Engine> make_bullet();
/// QuickStep with the default 20 iterations, no sleeping, one thread.
std::unique_ptr<Engine> make_ode();

/// What the adapters of other engines do not carry over; empty if there is nothing of the kind in the scene.
std::string not_carried_over(const Scene& scene);
/// Mass, centre and inertia of a dynamic body.
MassProperties mass_of(const BodyDef& def);
const Material& material_of(const Scene& scene, const SceneBody& body);

}  // namespace carom::bench
