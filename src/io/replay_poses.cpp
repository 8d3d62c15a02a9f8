#include "io/replay_poses.h"

#include <algorithm>
#include <cmath>

#include "io/replay_bytes.h"

namespace carom::replay {
namespace {

/// Enough for the statistics of the packer and few enough to stay small in memory.
constexpr std::size_t kSamplesPerSection = 200'000;

std::array<Real, 4> components(const Quat& q) { return {q.w, q.x, q.y, q.z}; }

std::int32_t to_steps(Real component) { return static_cast<std::int32_t>(std::floor(component * kTurnSteps + 0.5)); }

int largest_of(const std::array<Real, 4>& c) {
  int largest = 0;
  for (int i = 1; i < 4; ++i)
    if (std::abs(c[i]) > std::abs(c[largest])) largest = i;
  return largest;
}

/// The three components other than `largest`, with the sign that makes that one positive.
std::array<std::int32_t, 3> steps_without(const std::array<Real, 4>& c, int largest) {
  const Real sign = c[largest] < 0 ? -1 : 1;
  std::array<std::int32_t, 3> steps{};
  for (int i = 0, k = 0; i < 4; ++i)
    if (i != largest) steps[k++] = to_steps(sign * c[i]);
  return steps;
}

/// The last turn once more: from `before` to `now` and on.
std::array<Real, 4> continued(const Turn& before, const Turn& now) {
  const Quat q = to_quat(now);
  Quat change = q * conjugate(to_quat(before));
  if (change.w < 0) change = {-change.w, -change.x, -change.y, -change.z};
  return components(change * q);
}

/// Positions farther out than 2³¹ steps (hundreds of kilometres) stay there.
std::uint32_t to_grid(Real x, Real step) {
  const Real most = 2147483647;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(std::clamp(std::floor(x / step + 0.5), -most, most)));
}

std::uint8_t to_code(Real ratio, Real codes_per_octave) {
  return static_cast<std::uint8_t>(std::min(255.0, std::floor(codes_per_octave * std::log2(1 + ratio) + 0.5)));
}

}  // namespace

Real position_step(const Cast& cast) {
  std::vector<Real> sizes;
  for (const CastBody& body : cast.bodies)
    if (body.type == BodyType::Dynamic) sizes.push_back(body.shape->smallest_size());
  if (sizes.empty()) return std::exp2(-13);
  // The size that a tenth of the bodies fall below: one grain among boulders does not set the step for all.
  const auto tenth = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 10);
  std::nth_element(sizes.begin(), tenth, sizes.end());
  return std::exp2(std::floor(std::log2(*tenth / 4000)));
}

Turn to_turn(const Quat& q) {
  const std::array<Real, 4> c = components(q);
  const int largest = largest_of(c);
  return {largest, steps_without(c, largest)};
}

Quat to_quat(const Turn& turn) {
  std::array<Real, 4> c{};
  Real rest = 1;
  for (int i = 0, k = 0; i < 4; ++i) {
    if (i == turn.largest) continue;
    c[i] = turn.steps[k++] / kTurnSteps;
    rest -= c[i] * c[i];
  }
  c[turn.largest] = std::sqrt(rest > 0 ? rest : 0);
  return {c[0], c[1], c[2], c[3]};
}

PoseTrack::PoseTrack(const Cast& cast, Real step) : bodies_(cast.bodies), step_(step) {
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (bodies_[i].type != BodyType::Fixed) moving_.push_back(static_cast<std::int32_t>(i));
  past_.resize(moving_.size());
}

PoseTrack::Sample PoseTrack::make_sample(const CastBody& body, const BodyState& state, std::uint8_t frozen,
                                         Past& past) const {
  const Pose pose = shape_pose(body, state);
  Sample sample;

  // Unsigned arithmetic: what does not fit in 32 bits comes around, and back again when the page adds it up.
  for (int axis = 0; axis < 3; ++axis) {
    const std::uint32_t now = to_grid(pose.position[axis], step_);
    const std::uint32_t expected = frames_ < 2 ? past.position[axis] : 2 * past.position[axis] - past.before[axis];
    sample.differences[axis] = now - expected;
    past.before[axis] = past.position[axis];
    past.position[axis] = now;
  }

  const Turn turn = to_turn(normalized(pose.orientation));
  const std::array<Real, 4> expected = continued(frames_ < 2 ? past.turn : past.turn_before, past.turn);
  const std::array<std::int32_t, 3> expected_steps = steps_without(expected, turn.largest);
  for (int k = 0; k < 3; ++k)
    sample.differences[3 + k] =
        static_cast<std::uint32_t>(turn.steps[k]) - static_cast<std::uint32_t>(expected_steps[k]);
  sample.largest = static_cast<std::uint8_t>((turn.largest - largest_of(expected)) & 3);
  past.turn_before = past.turn;
  past.turn = turn;

  const std::uint8_t speed = to_code(norm(state.velocity) / kSlowest, kSpeedCodes);
  std::uint8_t energy = 0;
  if (body.type == BodyType::Dynamic && body.mass > 0) {
    const Real slowest = 0.5 * body.mass * kSlowest * kSlowest;
    energy = to_code(kinetic_energy(body, state) / slowest, kSpeedCodes / 2);
  }
  // Without rotation both codes are nearly the same: the difference is what is new.
  const auto beyond = static_cast<std::uint8_t>(energy - speed);
  sample.speed = static_cast<std::uint8_t>(speed - past.speed);
  sample.energy = static_cast<std::uint8_t>(beyond - past.energy);
  sample.frozen = frozen ^ past.frozen;
  past.speed = speed;
  past.energy = beyond;
  past.frozen = frozen;
  return sample;
}

void PoseTrack::add(const Frame& frame, std::string& out) {
  for (std::size_t i = 0; i < moving_.size(); ++i) {
    const std::int32_t index = moving_[i];
    samples_.push_back(make_sample(bodies_[index], frame.bodies[index], frame.frozen[index], past_[i]));
  }
  ++frames_;
  if (samples_.size() >= kSamplesPerSection) flush(out);
}

void PoseTrack::flush(std::string& out) {
  if (samples_.empty()) return;
  const std::size_t bodies = moving_.size(), frames = samples_.size() / bodies;
  std::array<ResidualColumn, 6> columns;
  std::array<std::string, 4> bytes;
  // A body's frames stand together, so that what rests leaves long runs of zeros.
  for (std::size_t body = 0; body < bodies; ++body) {
    for (std::size_t f = 0; f < frames; ++f) {
      const Sample& sample = samples_[f * bodies + body];
      for (std::size_t c = 0; c < columns.size(); ++c) columns[c].push(sample.differences[c]);
      const std::array<std::uint8_t, 4> rest{sample.largest, sample.speed, sample.energy, sample.frozen};
      for (std::size_t c = 0; c < bytes.size(); ++c) bytes[c].push_back(static_cast<char>(rest[c]));
    }
  }
  std::string content;
  put_u32(content, static_cast<std::uint32_t>(frames));
  for (const ResidualColumn& column : columns) column.append_to(content);
  for (const std::string& plane : bytes) content += plane;
  append_section(out, "POSE", content);
  samples_.clear();
}

}  // namespace carom::replay
