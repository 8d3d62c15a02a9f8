#include "io/replay_data.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "io/replay_bytes.h"
#include "io/replay_cast.h"
#include "io/replay_events.h"
#include "io/replay_impulses.h"
#include "io/replay_poses.h"
#include "io/replay_steps.h"

namespace carom {
namespace {

using Json = nlohmann::ordered_json;

/// Points of contacts are drawn as arrows' tails: they need not be as fine as bodies.
constexpr Real kContactSteps = 8;

char type_letter(BodyType type) { return type == BodyType::Dynamic ? 'd' : (type == BodyType::Fixed ? 'f' : 'k'); }

Json impulses_header(const replay::ImpulseTrack& track) {
  return {{"step", track.step()}, {"strongest", track.strongest()}, {"most_per_frame", track.most_per_frame()}};
}

/// Columns, the pairs with the largest impulse first.
Json pairs_header(const PairTally& tally) {
  constexpr std::size_t kMostPairs = 2000;  // 30 bytes each when packed
  Json a = Json::array(), b = Json::array(), events = Json::array(), impulses = Json::array();
  for (const PairTotals& pair : tally.strongest(kMostPairs)) {
    a.push_back(pair.a);
    b.push_back(pair.b);
    events.push_back(pair.events);
    impulses.push_back(static_cast<float>(pair.impulse));
  }
  return {{"count", tally.size()}, {"a", a}, {"b", b}, {"events", events}, {"impulses", impulses}};
}

}  // namespace

struct ReplayData::Impl {
  explicit Impl(const Cast& of_run)
      : cast(of_run),
        step(replay::position_step(of_run)),
        poses(of_run, step),
        contacts(of_run, kContactSteps * step),
        events(of_run, kContactSteps * step) {}

  Json bodies_header(const replay::DrawnCast& drawn) const;
  Json header(const replay::DrawnCast& drawn) const;
  Real reach() const;

  Cast cast;
  Real step;
  replay::PoseTrack poses;
  replay::ImpulseTrack contacts;
  replay::EventTrack events;
  replay::StepTrack steps;
  std::vector<double> times;
  std::vector<Pose> first_poses;  ///< of all bodies: where fixed ones stay
  std::string sections;           ///< of poses, as they were completed
  std::string text;               ///< after `finish`
};

Json ReplayData::Impl::bodies_header(const replay::DrawnCast& drawn) const {
  // Columns rather than one object a body: thousands of bodies stay small.
  Json names = Json::array(), masses = Json::array(), meshes = Json::array(), scales = Json::array();
  Json fixed = Json::array();
  std::string types;
  for (std::size_t i = 0; i < cast.bodies.size(); ++i) {
    const CastBody& body = cast.bodies[i];
    names.push_back(body.name);
    types += type_letter(body.type);
    masses.push_back(std::isfinite(body.mass) ? Json(body.mass) : Json(nullptr));
    meshes.push_back(drawn.bodies[i].mesh);
    scales.push_back(drawn.bodies[i].scale);
    if (body.type != BodyType::Fixed || i >= first_poses.size()) continue;
    const Pose& pose = first_poses[i];
    const Quat& q = pose.orientation;
    fixed.push_back({pose.position.x, pose.position.y, pose.position.z, q.w, q.x, q.y, q.z});
  }
  return {{"names", names},   {"types", types},   {"masses", masses},
          {"meshes", meshes}, {"scales", scales}, {"fixed", fixed}};
}

Json ReplayData::Impl::header(const replay::DrawnCast& drawn) const {
  Json json{{"format", 1},
            {"scene", cast.scene},
            {"description", cast.description},
            {"suite", cast.suite},
            {"version", cast.version},
            {"gravity", {cast.gravity.x, cast.gravity.y, cast.gravity.z}},
            {"dt", cast.dt},
            {"frames", times.size()},
            {"moving", poses.moving()},
            {"position_step", step},
            {"turn_steps", replay::kTurnSteps},
            {"slowest", replay::kSlowest},
            {"speed_codes", replay::kSpeedCodes}};
  json["bodies"] = bodies_header(drawn);
  json["contacts"] = impulses_header(contacts);
  json["events"] = impulses_header(events.arrows());
  json["pairs"] = pairs_header(events.pairs());
  json["steps"] = {{"columns", replay::StepTrack::kColumns},
                   {"count", steps.steps()},
                   {"rows", steps.rows_written()},
                   {"worst_penetration", steps.largest("max_penetration")},
                   {"worst_residual", steps.largest("residual_coulomb")}};
  return json;
}

/// Half the width of the square that stands for a plane, m: well beyond where the bodies start.
Real ReplayData::Impl::reach() const {
  Real reach = 10;
  for (std::size_t i = 0; i < first_poses.size(); ++i)
    if (cast.bodies[i].type == BodyType::Dynamic) reach = std::max(reach, 5 * norm(first_poses[i].position));
  return reach;
}

ReplayData::ReplayData(const Cast& cast) : impl_(std::make_unique<Impl>(cast)) {}

ReplayData::ReplayData(ReplayData&&) noexcept = default;

ReplayData::~ReplayData() = default;

void ReplayData::add_frame(const Frame& frame) {
  if (impl_->first_poses.empty())
    for (std::size_t i = 0; i < frame.bodies.size(); ++i)
      impl_->first_poses.push_back(shape_pose(impl_->cast.bodies[i], frame.bodies[i]));
  impl_->times.push_back(frame.time);
  impl_->poses.add(frame, impl_->sections);
  impl_->contacts.add(frame, replay::contact_impulses(frame));
  impl_->events.add(frame);
}

void ReplayData::add_step(const StepReport& report) { impl_->steps.add(report); }

void ReplayData::add_events(const StepEvents& events) { impl_->events.add(events); }

void ReplayData::finish() {
  std::string data = "CAROMPG1";
  const replay::DrawnCast drawn = replay::make_drawn_cast(impl_->cast);
  impl_->poses.flush(impl_->sections);
  data += impl_->sections;
  impl_->contacts.finish("CONT", data);
  impl_->events.finish(data);
  impl_->steps.finish(data);
  std::string times;
  replay::put_planes(times, std::span<const double>(impl_->times));
  replay::append_section(data, "TIME", times);
  replay::append_meshes(drawn, impl_->reach(), data);
  const std::string header = impl_->header(drawn).dump(-1, ' ', false, Json::error_handler_t::replace);
  replay::append_section(data, "HEAD", header);
  impl_->text = replay::base64(data);
}

const std::string& ReplayData::text() const { return impl_->text; }

}  // namespace carom
