#include "io/pose_tracks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "carom/base/error.h"

namespace carom {
namespace {

/// Files hold numbers, not infinities: what a float cannot reach ends at its largest.
float to_float(Real x) {
  constexpr Real kLargest = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(x, -kLargest, kLargest));
}

/// A component of a unit quaternion. What is less than half a step of floats near one cannot be seen in a pose and only
/// makes files larger: bodies at rest tremble by that much.
float to_component(Real x) { return std::abs(x) < 0x1p-25 ? 0.0F : static_cast<float>(x); }

PoseTracks::Key make_key(const Pose& pose) {
  const Vec3& p = pose.position;
  const Quat q = normalized(pose.orientation);
  return {{to_float(p.x), to_float(p.y), to_float(p.z)},
          {to_component(q.w), to_component(q.x), to_component(q.y), to_component(q.z)}};
}

void keep_near(PoseTracks::Key& key, const PoseTracks::Key& before) {
  float product = 0;
  for (std::size_t i = 0; i < 4; ++i) product += key.orientation[i] * before.orientation[i];
  if (product < 0)
    for (float& component : key.orientation) component = 0 - component;  // no negative zeros
}

}  // namespace

PoseTracks::PoseTracks(const Cast& cast) : bodies_(cast.bodies), moved_(cast.bodies.size()) {
  for (const CastBody& body : bodies_) slots_.push_back(body.type == BodyType::Fixed ? kNoSlot : slot_count_++);
}

void PoseTracks::add(const Frame& frame) {
  require(frame.bodies.size() == bodies_.size(), "PoseTracks::add: a frame must hold every body of the cast");
  constexpr Real kShortest = 1e-6;
  if (!times_.empty() && (frame.time < times_.back() + kShortest || to_float(frame.time) <= to_float(times_.back())))
    return;

  if (first_.empty()) {
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      first_.push_back(make_key(shape_pose(bodies_[i], frame.bodies[i])));
    times_.push_back(frame.time);
    return;
  }
  std::vector<Key> keys;
  keys.reserve(slot_count_);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (slots_[i] == kNoSlot) continue;
    Key& now = keys.emplace_back(make_key(shape_pose(bodies_[i], frame.bodies[i])));
    keep_near(now, key(times_.size() - 1, i));
    Moved& moved = moved_[i];
    if (!moved.position && now.position != first_[i].position) moved.position = true, ++translating_count_;
    if (!moved.orientation && now.orientation != first_[i].orientation) moved.orientation = true, ++rotating_count_;
  }
  later_.push_back(std::move(keys));
  times_.push_back(frame.time);
}

void PoseTracks::clear() {
  times_.clear();
  first_.clear();
  later_.clear();
  moved_.assign(bodies_.size(), {});
  translating_count_ = rotating_count_ = 0;
}

const PoseTracks::Key& PoseTracks::key(std::size_t frame, std::size_t body) const {
  return frame == 0 || slots_[body] == kNoSlot ? first_[body] : later_[frame - 1][slots_[body]];
}

Real PoseTracks::reach() const {
  Real largest = 0;
  const auto include = [&largest](const std::vector<Key>& keys) {
    for (const Key& k : keys) largest = std::max(largest, norm(Vec3{k.position[0], k.position[1], k.position[2]}));
  };
  include(first_);
  for (const std::vector<Key>& keys : later_) include(keys);
  return largest;
}

}  // namespace carom
