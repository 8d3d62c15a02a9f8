#include "io/replay_impulses.h"

#include <algorithm>
#include <cmath>

#include "io/replay_bytes.h"

namespace carom::replay {
namespace {

/// At five to seven bytes a contact (measured): at most 1.5 MB of the page, base64 counted in.
constexpr std::size_t kMostImpulses = 160'000;

/// Codes an octave of impulse; 255 is the strongest of all.
constexpr Real kImpulseCodes = 12;

/// A direction as a point of the unit square: the octahedron |x| + |y| + |z| = 1 unfolded.
std::array<std::uint8_t, 2> to_octahedron(const std::array<float, 3>& v) {
  const Real sum = std::abs(v[0]) + std::abs(v[1]) + std::abs(v[2]);
  Real x = v[0] / sum, y = v[1] / sum;
  if (v[2] < 0) {
    const Real folded = (1 - std::abs(y)) * (x < 0 ? -1 : 1);
    y = (1 - std::abs(x)) * (y < 0 ? -1 : 1);
    x = folded;
  }
  return {static_cast<std::uint8_t>(std::floor((x + 1) * 127.5 + 0.5)),
          static_cast<std::uint8_t>(std::floor((y + 1) * 127.5 + 0.5))};
}

std::array<float, 3> to_floats(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

}  // namespace

void ImpulseTrack::add(const Frame& frame, std::span<const Impulse> impulses) {
  std::vector<Drawn>& drawn = frames_.emplace_back();
  for (const Impulse& impulse : impulses) {
    const Real size = norm(impulse.impulse);
    if (!(size > 0)) continue;
    // Points stay close to a moving body; a floor may be far larger than what happens on it.
    const std::int32_t body = bodies_[impulse.b].type == BodyType::Dynamic ? impulse.b : impulse.a;
    const Vec3 arm = impulse.point - shape_pose(bodies_[body], frame.bodies[body]).position;
    drawn.push_back({body, to_floats(arm), to_floats(impulse.impulse), static_cast<float>(size), impulse.kind});
    strongest_ = std::max(strongest_, size);
  }
  totals_.push_back(static_cast<std::uint32_t>(drawn.size()));
  std::stable_sort(drawn.begin(), drawn.end(), [](const Drawn& a, const Drawn& b) { return a.size > b.size; });
  if (drawn.size() > cap_) drawn.resize(cap_);
  drawn.shrink_to_fit();
  stored_ += drawn.size();
  while (stored_ > 4 * kMostImpulses && cap_ > 1) cut(cap_ / 2);
}

void ImpulseTrack::cut(std::uint32_t cap) {
  cap_ = cap;
  stored_ = 0;
  for (std::vector<Drawn>& drawn : frames_) {
    if (drawn.size() > cap) drawn.resize(cap);
    stored_ += drawn.size();
  }
}

void ImpulseTrack::finish(std::string_view tag, std::string& out) {
  if (stored_ == 0) return;
  while (stored_ > kMostImpulses && cap_ > 1) cut(std::max(1U, cap_ - cap_ / 16 - 1));

  std::string content;
  put_u32(content, static_cast<std::uint32_t>(frames_.size()));
  for (const std::vector<Drawn>& drawn : frames_) put_u32(content, static_cast<std::uint32_t>(drawn.size()));
  for (const std::uint32_t total : totals_) put_u32(content, total);

  std::array<ResidualColumn, 4> columns;
  std::array<std::string, 4> bytes;
  for (std::vector<Drawn>& drawn : frames_) {
    // Which ones are drawn is settled; in the order of bodies their indices are cheap.
    std::stable_sort(drawn.begin(), drawn.end(), [](const Drawn& a, const Drawn& b) { return a.body < b.body; });
    std::int32_t last = 0;
    for (const Drawn& one : drawn) {
      columns[0].push(static_cast<std::uint32_t>(one.body - last));
      last = one.body;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const Real steps = std::clamp(std::floor(one.arm[axis] / step_ + 0.5), -2147483647.0, 2147483647.0);
        columns[1 + axis].push(static_cast<std::uint32_t>(static_cast<std::int32_t>(steps)));
      }
      const std::array<std::uint8_t, 2> direction = to_octahedron(one.impulse);
      const Real size =
          std::clamp(255 + std::floor(kImpulseCodes * std::log2(one.size / strongest_) + 0.5), 0.0, 255.0);
      bytes[0].push_back(static_cast<char>(one.kind));
      bytes[1].push_back(static_cast<char>(direction[0]));
      bytes[2].push_back(static_cast<char>(direction[1]));
      bytes[3].push_back(static_cast<char>(static_cast<std::uint8_t>(size)));
    }
  }
  for (const ResidualColumn& column : columns) column.append_to(content);
  for (const std::string& plane : bytes) content += plane;
  append_section(out, tag, content);
}

std::vector<Impulse> contact_impulses(const Frame& frame) {
  std::vector<Impulse> impulses;
  impulses.reserve(frame.contacts.size());
  for (const FrameContact& c : frame.contacts)
    if (c.mode != ContactMode::Guard) impulses.push_back({c.a, c.b, c.point, c.impulse + c.collision_impulse, 0});
  return impulses;
}

}  // namespace carom::replay
