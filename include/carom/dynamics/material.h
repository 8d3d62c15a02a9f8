// Surface properties and how two of them combine.
#pragma once

namespace carom {

struct Material {
  double friction = 0.5;         ///< dynamic coefficient μ
  double static_friction = 0.5;  ///< at least `friction`
  double restitution = 0;        ///< e in [0, 1]
};

/// The geometric mean of each friction coefficient, the larger restitution.
Material combine(const Material& a, const Material& b);

}  // namespace carom
