// Parts of the scene reader: shapes and bodies.
#pragma once

#include <string>
#include <vector>

#include "carom/geometry/shape.h"
#include "carom/io/scene.h"
#include "io/json_view.h"
#include "io/scene_files.h"

namespace carom {

/// No scene may hold more bodies than this: a slip in `copies` would otherwise fill the memory.
inline constexpr std::uint64_t kMostBodies = 1'000'000;

/// Null after a complaint.
ShapePtr read_shape(const JsonView& view, SceneFiles& files);
Quat read_orientation(const JsonView& view);
/// Appends the body, or its copies. `ordinal` is the place in the file's list.
void read_body(const JsonView& view, std::size_t ordinal, SceneFiles& files, std::vector<SceneBody>& bodies);

}  // namespace carom
