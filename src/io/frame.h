// A run as its outputs see it: who takes part, and what happens from moment to moment. The same whether it comes from a
// world that is being simulated or from a recording, so that everything a run can write a recording can write as well.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "carom/dynamics/world.h"

namespace carom {

struct CastBody {
  std::string name;
  BodyType type = BodyType::Fixed;
  ShapePtr shape;
  Vec3 center_local;   ///< m: centre of mass in the shape's frame
  Real mass = 0;       ///< kg; infinite for fixed and kinematic bodies
  Mat3 inertia_local;  ///< kg m², about the centre of mass, shape axes; zero unless dynamic
};

/// What does not change during a run.
struct Cast {
  std::string scene, description, suite, version;
  Vec3 gravity;
  Real dt = 0;                   ///< s
  std::vector<CastBody> bodies;  ///< in scene order: `Frame::bodies` and contacts count by it
};

struct FrameContact {
  std::uint64_t id = 0;
  std::int32_t a = 0, b = 0;  ///< into `Cast::bodies`
  Vec3 point;                 ///< m, world
  Vec3 normal;                ///< unit, from a to b
  Real gap = 0;               ///< m; negative: penetration
  Vec3 impulse;               ///< N s, of the contact stage, on b
  Vec3 collision_impulse;     ///< N s, of the collision stage, on b
  ContactMode mode = ContactMode::Separating;
};

/// One moment. Frames need not be equally far apart in time.
struct Frame {
  Real time = 0;                       ///< s
  std::vector<BodyState> bodies;       ///< positions are those of the centres of mass
  std::vector<std::uint8_t> frozen;    ///< per body, 0 or 1
  std::vector<FrameContact> contacts;  ///< of the step that ended at this time; empty where they were not kept
};

/// An impact of an event-driven suite: an `ImpactEvent` whose bodies count by the cast.
struct FrameEvent {
  Real time = 0;              ///< s
  std::int32_t a = 0, b = 0;  ///< into `Cast::bodies`
  EventKind kind = EventKind::Impact;
  Vec3 point;            ///< m, world
  Vec3 normal;           ///< unit, from a to b
  Vec3 impulse;          ///< N s, on b
  Real approach = 0;     ///< m/s
  Real energy_loss = 0;  ///< J
  std::array<ImpactMode, 5> modes{};
  std::uint8_t mode_count = 0;

  std::span<const ImpactMode> all_modes() const { return {modes.data(), mode_count}; }
  Real normal_impulse() const { return dot(impulse, normal); }  ///< N s
};

/// The impacts of one step, in order of time.
struct StepEvents {
  Real time = 0;  ///< s, at the end of the step
  std::vector<FrameEvent> events;
};

/// Where the shape's frame stands, from where the centre of mass does.
Pose shape_pose(const CastBody& body, const BodyState& state);
/// J; requires a dynamic body.
Real kinetic_energy(const CastBody& body, const BodyState& state);

/// Bodies in the order of `World::bodies()`. `scene`, `description`, `version` and `dt` are for the caller to fill in.
Cast make_cast(const World& world);
/// Requires the bodies that the world had when its cast was made, none of them removed since.
void capture(const World& world, bool with_contacts, Frame& frame);
/// The impacts of the last step; the same requirement.
void capture(const World& world, StepEvents& events);

/// Something that a run can be written to. Failures (a full disk) are kept until asked for: the first one counts.
class RunOutput {
 public:
  virtual ~RunOutput() = default;
  /// In order of time; the first one is the start.
  virtual void add_frame(const Frame& frame) = 0;
  /// A step that was taken; comes before the frame at its end, and also where no frame follows.
  virtual void add_step(const StepReport& report) = 0;
  /// The impacts of a step, where it had any: in order of time, before the frame at its end and whether or not one
  /// follows.
  virtual void add_events(const StepEvents& /*events*/) {}
  /// Once, after everything else: writes what is left.
  virtual void finish() = 0;
  /// Empty while all is well.
  virtual std::string error() const = 0;
};

}  // namespace carom
