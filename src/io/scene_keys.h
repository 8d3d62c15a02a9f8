// The objects of a scene file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/object_spec.h"

namespace carom::scene_keys {

extern const ObjectSpec kScene;
extern const ObjectSpec kMaterial;
extern const ObjectSpec kPair;
extern const ObjectSpec kBody;
extern const ObjectSpec kCopies;
extern const ObjectSpec kAxisAngle;
extern const ObjectSpec kRollPitchYaw;
extern const ObjectSpec kColdVolume;

/// The shape object itself: one key, which names the shape.
extern const ObjectSpec kShape;
extern const ObjectSpec kSphere;
extern const ObjectSpec kBox;
extern const ObjectSpec kCapsule;
extern const ObjectSpec kPlane;
extern const ObjectSpec kEllipsoid;
extern const ObjectSpec kCylinder;
extern const ObjectSpec kCone;
extern const ObjectSpec kHull;
extern const ObjectSpec kMesh;
extern const ObjectSpec kHeightfield;
extern const ObjectSpec kCompoundPart;

/// All of the above, the scene first.
std::span<const ObjectSpec* const> all();

}  // namespace carom::scene_keys

namespace carom {

inline const std::vector<std::string> kBodyTypeNames = {"dynamic", "fixed", "kinematic"};
inline const std::vector<std::string> kJointTypeNames = {"ball",     "hinge",     "slider", "fixed",
                                                         "distance", "universal", "generic"};

}  // namespace carom
