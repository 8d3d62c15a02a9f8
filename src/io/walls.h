// Which fixed bodies stand around what moves rather than below it, and so would hide it in a picture.
#pragma once

#include <vector>

#include "io/frame.h"
#include "io/pose_tracks.h"

namespace carom {

/// Per body. A floor or a ramp is none: everything that moves stays above it, at the start, in the middle and at the
/// end. Requires at least one frame.
std::vector<bool> find_walls(const Cast& cast, const PoseTracks& tracks);

}  // namespace carom
