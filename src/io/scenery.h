// What a scene's bodies look like, with everything that looks alike named once: files then hold a mesh once, however
// many bodies have it.
#pragma once

#include <string>
#include <vector>

#include "io/frame.h"
#include "io/palette.h"
#include "io/pose_tracks.h"
#include "io/shape_mesh.h"

namespace carom {

struct Scenery {
  struct Mesh {
    std::string name;  ///< the kind of shape, numbered where there are several
    ShapeMesh triangles;
  };
  struct Prototype {
    std::size_t mesh = 0;
    std::size_t colour = 0;
  };
  std::vector<Mesh> meshes;
  std::vector<PaletteColour> colours;  ///< those that occur
  std::vector<Prototype> prototypes;
  std::vector<std::size_t> prototype_of;  ///< per body
};

/// Boxes that move get slightly rounded edges, walls (`find_walls`) are of glass, and a plane becomes a square that is
/// wide enough for wherever the bodies get to. Requires at least one frame.
Scenery make_scenery(const Cast& cast, const PoseTracks& tracks);

}  // namespace carom
