#include "io/json_number.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace carom {

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  // "-0" would be read back as the integer zero, which has no sign.
  if (value == 0 && std::signbit(value)) return "-0.0";
  return fmt::format("{}", value);
}

std::string json_vector(const Vec3& v) {
  return "[" + json_number(v.x) + "," + json_number(v.y) + "," + json_number(v.z) + "]";
}

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace carom
