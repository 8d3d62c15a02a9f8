// Small problems and impacts, written where a test wants them.
#pragma once

#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

namespace carom::test {

/// A solid ball of radius 0.1 that strikes the ground at 2 m/s while it slides at 3 m/s.
inline nlohmann::json falling_ball() {
  return nlohmann::json::parse(R"({
    "carom_problem": 1,
    "bodies": [{"mass": 2, "inertia": [[0.008, 0, 0], [0, 0.008, 0], [0, 0, 0.008]], "velocity": [3, 0, -2],
                "angular_velocity": [0, 0, 0]}, {"fixed": true}],
    "contacts": [{"a": 1, "b": 0, "normal": [0, 0, 1], "rb": [0, 0, -0.1], "friction": 0.2, "restitution": 0.5}]})");
}

inline void write_json(const std::string& path, const nlohmann::json& json) { std::ofstream(path) << json.dump(1); }

}  // namespace carom::test
