// Snapshots: the state of a world and of its stepper as bytes, from which a run continues bit for bit.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "dynamics/state.h"
#include "dynamics/stepper.h"

namespace carom {

inline void put(ByteWriter& out, const Vec3& v) {
  for (int i = 0; i < 3; ++i) out.put(v[i]);
}

/// A number that is not finite counts as damage: no step leaves one behind.
inline Vec3 get_vec3(ByteReader& in) {
  Vec3 v;
  for (int i = 0; i < 3; ++i) {
    v[i] = in.get<Real>();
    if (!std::isfinite(v[i])) in.fail();
  }
  return v;
}

inline void put(ByteWriter& out, const Quat& q) {
  out.put(q.w);
  put(out, q.vector());
}

inline Quat get_quat(ByteReader& in) {
  const Real w = in.get<Real>();
  const Vec3 v = get_vec3(in);
  if (!std::isfinite(w)) in.fail();
  return {w, v.x, v.y, v.z};
}

/// Bodies by their slots, of a world of so many.
void put(ByteWriter& out, const std::vector<std::int32_t>& bodies);
std::vector<std::int32_t> get_bodies(ByteReader& in, std::size_t count);

std::string save_snapshot(const WorldState& world, const Stepper& stepper);

/// Empty when done; else why not, and nothing has changed.
[[nodiscard]] std::string restore_snapshot(std::string_view bytes, WorldState& world, Stepper& stepper);

}  // namespace carom
