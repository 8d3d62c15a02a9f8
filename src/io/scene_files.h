// Files that a scene names: where they are looked for, and what they held.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "carom/math/types.h"

namespace carom {

struct SceneFiles {
  std::string folder;                    ///< of the scene file
  std::vector<std::vector<Vec3>> hulls;  ///< corners of every hull that came from a file, in the order of the scene
};

/// The scene's text with the corners of hulls in place of the names of their files, so that it stands alone: it goes
/// into recordings, which are replayed and resumed where the files may be gone.
std::string with_hulls_inside(std::string_view json, const SceneFiles& files);

}  // namespace carom
