#include "carom/dynamics/material.h"

#include <algorithm>
#include <cmath>

namespace carom {

Material combine(const Material& a, const Material& b) {
  return {std::sqrt(a.friction * b.friction), std::sqrt(a.static_friction * b.static_friction),
          std::max(a.restitution, b.restitution)};
}

}  // namespace carom
