// Wavefront OBJ, as far as a hull needs it: the positions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "carom/base/error.h"
#include "carom/math/types.h"

namespace carom {

/// The vertices of an OBJ file, in file order. Faces are checked for naming vertices that exist; everything else the
/// format knows is passed over. The message of a failure names the file, the line, what was found and what is expected.
Result<std::vector<Vec3>> load_obj_points(const std::string& path);
/// The same from text; `origin` stands for the file name in messages.
Result<std::vector<Vec3>> parse_obj_points(std::string_view text, const std::string& origin);

}  // namespace carom
