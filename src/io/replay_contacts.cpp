#include "io/replay_contacts.h"

#include <algorithm>
#include <cmath>

#include "io/replay_bytes.h"

namespace carom::replay {
namespace {

/// At five to seven bytes a contact (measured): at most 1.5 MB of the page, base64 counted in.
constexpr std::size_t kMostContacts = 160'000;

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

void ContactTrack::add(const Frame& frame) {
  std::vector<Drawn>& drawn = frames_.emplace_back();
  for (const FrameContact& contact : frame.contacts) {
    const Vec3 impulse = contact.impulse + contact.collision_impulse;
    const Real size = norm(impulse);
    if (!(size > 0)) continue;
    // Points stay close to a moving body; a floor may be far larger than what happens on it.
    const std::int32_t body = bodies_[contact.b].type == BodyType::Dynamic ? contact.b : contact.a;
    const Vec3 arm = contact.point - shape_pose(bodies_[body], frame.bodies[body]).position;
    drawn.push_back({body, to_floats(arm), to_floats(impulse), static_cast<float>(size)});
    strongest_ = std::max(strongest_, size);
  }
  totals_.push_back(static_cast<std::uint32_t>(drawn.size()));
  std::stable_sort(drawn.begin(), drawn.end(), [](const Drawn& a, const Drawn& b) { return a.size > b.size; });
  if (drawn.size() > cap_) drawn.resize(cap_);
  drawn.shrink_to_fit();
  stored_ += drawn.size();
  while (stored_ > 4 * kMostContacts && cap_ > 1) cut(cap_ / 2);
}

void ContactTrack::cut(std::uint32_t cap) {
  cap_ = cap;
  stored_ = 0;
  for (std::vector<Drawn>& drawn : frames_) {
    if (drawn.size() > cap) drawn.resize(cap);
    stored_ += drawn.size();
  }
}

void ContactTrack::finish(std::string& out) {
  if (stored_ == 0) return;
  while (stored_ > kMostContacts && cap_ > 1) cut(std::max(1U, cap_ - cap_ / 16 - 1));

  std::string content;
  put_u32(content, static_cast<std::uint32_t>(frames_.size()));
  for (const std::vector<Drawn>& drawn : frames_) put_u32(content, static_cast<std::uint32_t>(drawn.size()));
  for (const std::uint32_t total : totals_) put_u32(content, total);

  std::array<ResidualColumn, 4> columns;
  std::array<std::string, 3> bytes;
  for (std::vector<Drawn>& drawn : frames_) {
    // Which ones are drawn is settled; in the order of bodies their indices are cheap.
    std::stable_sort(drawn.begin(), drawn.end(), [](const Drawn& a, const Drawn& b) { return a.body < b.body; });
    std::int32_t last = 0;
    for (const Drawn& contact : drawn) {
      columns[0].push(static_cast<std::uint32_t>(contact.body - last));
      last = contact.body;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const Real steps = std::clamp(std::floor(contact.arm[axis] / step_ + 0.5), -2147483647.0, 2147483647.0);
        columns[1 + axis].push(static_cast<std::uint32_t>(static_cast<std::int32_t>(steps)));
      }
      const std::array<std::uint8_t, 2> direction = to_octahedron(contact.impulse);
      const Real size =
          std::clamp(255 + std::floor(kImpulseCodes * std::log2(contact.size / strongest_) + 0.5), 0.0, 255.0);
      bytes[0].push_back(static_cast<char>(direction[0]));
      bytes[1].push_back(static_cast<char>(direction[1]));
      bytes[2].push_back(static_cast<char>(static_cast<std::uint8_t>(size)));
    }
  }
  for (const ResidualColumn& column : columns) column.append_to(content);
  for (const std::string& plane : bytes) content += plane;
  append_section(out, "CONT", content);
}

}  // namespace carom::replay
