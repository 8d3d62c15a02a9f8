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

std::string save_snapshot(const WorldState& world, const Stepper& stepper);

/// Empty when done; else why not, and nothing has changed.
[[nodiscard]] std::string restore_snapshot(std::string_view bytes, WorldState& world, Stepper& stepper);

}  // namespace carom
