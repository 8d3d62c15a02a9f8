#include "io/scene_keys.h"

namespace carom::scene_keys {
namespace {

constexpr bool kRequired = true;

constexpr KeySpec kSceneKeys[] = {
    {"carom", "format_1", kRequired, "version of the format, always 1"},
    {"name", "string", false, "default: the file's name without .scene.json"},
    {"description", "string", false, "one line for people"},
    {"gravity", "vec3", false, "m/s^2; default [0, 0, -9.81]"},
    {"dt", "positive", false, "length of a step, s; default 1/60"},
    {"duration", "non_negative", false, "simulated time, s; default 10"},
    {"suite", "string", false,
     "how contacts are resolved; default: by the number of dynamic bodies, as told by 'carom suites'"},
    {"options", "map:option", false, "of the suite, as listed by 'carom suites'"},
    {"materials", "map:material", false, "by name; bodies without a material use 'default'"},
    {"pairs", "list:pair", false, "what holds between two materials instead of the combination rule"},
    {"bodies", "list:body", kRequired, "the bodies, at least one"},
    {"joints", "list:joint", false, "not supported yet: must be empty"},
    {"cold_volumes", "list:cold_volume", false, "where bodies may freeze; empty or missing: everywhere"},
};
constexpr KeySpec kMaterialKeys[] = {
    {"friction", "non_negative", false, "dynamic coefficient; default 0.5"},
    {"static_friction", "non_negative", false, "static coefficient, at least friction; default: friction"},
    {"restitution", "fraction", false, "from 0 to 1; default 0"},
    {"rolling_friction", "non_negative", false, "a length, m; not supported yet: must be 0"},
    {"spinning_friction", "non_negative", false, "a length, m; not supported yet: must be 0"},
};
constexpr KeySpec kPairKeys[] = {
    {"materials", "string2", kRequired, "the two names, which may be the same"},
    {"friction", "non_negative", false, "dynamic coefficient; default: by the combination rule"},
    {"static_friction", "non_negative", false, "at least friction; default: friction if given, else by the rule"},
    {"restitution", "fraction", false, "from 0 to 1; default: by the combination rule"},
    {"rolling_friction", "non_negative", false, "a length, m; not supported yet: must be 0"},
    {"spinning_friction", "non_negative", false, "a length, m; not supported yet: must be 0"},
};
constexpr KeySpec kBodyKeys[] = {
    {"name", "name", false, "unique in the scene; default: body and its place in the list"},
    {"type", "body_type", false, "dynamic, fixed or kinematic; default dynamic"},
    {"shape", "shape", kRequired, "an object with one key, which names the shape"},
    {"material", "string", false, "a name of materials; default 'default'"},
    {"mass", "positive", false, "kg; instead of a density"},
    {"density", "positive", false, "kg/m^3; default 1000"},
    {"inertia", "inertia", false, "kg m^2, about the centre of mass, body axes; default: the shape's"},
    {"center_of_mass", "vec3", false, "m, in the shape's frame; default: the shape's"},
    {"position", "vec3", false, "of the shape's frame, m; default the origin"},
    {"orientation", "orientation", false, "of the shape's frame; default none"},
    {"velocity", "vec3", false, "of the centre of mass, m/s; default 0"},
    {"angular_velocity", "vec3", false, "rad/s, world axes; default 0"},
    {"force", "vec3", false, "constant, at the centre of mass, N, world axes; default 0"},
    {"torque", "vec3", false, "constant, N m, world axes; default 0"},
    {"category", "natural", false, "what the body is, as bits of a whole number below 2^64; default 1"},
    {"mask", "natural", false, "what it collides with: bits of categories; default all"},
    {"copies", "copies", false, "a grid of this body"},
};
constexpr KeySpec kCopiesKeys[] = {
    {"count", "count3", kRequired, "how many along x, y and z"},
    {"spacing", "vec3", kRequired, "from one copy to the next along x, y and z, m"},
    {"jitter", "non_negative", false, "each copy is moved by up to this much along each axis, m; default 0"},
    {"seed", "natural", false, "of the jitter; default 1"},
};
constexpr KeySpec kAxisAngleKeys[] = {
    {"axis", "vec3", kRequired, "any length but zero"},
    {"degrees", "number", kRequired, "angle about the axis"},
};
constexpr KeySpec kRollPitchYawKeys[] = {
    {"rpy_degrees", "vec3", kRequired, "angles about the fixed x, then y, then z axis"},
};
constexpr KeySpec kColdVolumeKeys[] = {
    {"min", "vec3", kRequired, "lower corner, m"},
    {"max", "vec3", kRequired, "upper corner, m"},
};
constexpr KeySpec kShapeKeys[] = {
    {"sphere", "sphere", false, "centred on the frame"},
    {"box", "box", false, "centred on the frame"},
    {"capsule", "capsule", false, "axis z, centred"},
    {"plane", "plane", false, "solid where normal.x < offset; fixed bodies only"},
    {"ellipsoid", "ellipsoid", false, "centred on the frame, axes along the frame's"},
    {"cylinder", "cylinder", false, "axis z, centred"},
    {"cone", "cone", false, "axis z, the base at -height/2 and the apex at height/2"},
    {"hull", "hull", false, "the convex hull of points"},
    {"mesh", "mesh", false, "not supported yet"},
    {"heightfield", "heightfield", false, "not supported yet"},
    {"compound", "list:compound_part", false, "parts that move as one"},
};
constexpr KeySpec kSphereKeys[] = {{"radius", "positive", kRequired, "m"}};
constexpr KeySpec kBoxKeys[] = {{"size", "positive3", kRequired, "full widths along x, y and z, m"}};
constexpr KeySpec kCapsuleKeys[] = {
    {"radius", "positive", kRequired, "m"},
    {"length", "non_negative", kRequired, "between the centres of the caps, m"},
};
constexpr KeySpec kPlaneKeys[] = {
    {"normal", "vec3", kRequired, "out of the solid, any length but zero"},
    {"offset", "number", false, "m, along the unit normal; default 0"},
};
constexpr KeySpec kEllipsoidKeys[] = {{"radii", "positive3", kRequired, "along x, y and z, m"}};
constexpr KeySpec kRoundKeys[] = {
    {"radius", "positive", kRequired, "m"},
    {"height", "positive", kRequired, "m"},
};
constexpr KeySpec kHullKeys[] = {
    {"points", "list:vec3", false, "at least four that span a volume, m"},
    {"file", "string", false, "an OBJ file, relative to the scene file; its vertices, m"},
};
constexpr KeySpec kMeshKeys[] = {{"file", "string", kRequired, "relative to the scene file"}};
constexpr KeySpec kHeightfieldKeys[] = {
    {"size", "positive2", kRequired, "along x and y, m"},
    {"heights", "list:row", kRequired, "rows along y, each row along x, m"},
};
constexpr KeySpec kCompoundPartKeys[] = {
    {"shape", "shape", kRequired, "of this part; neither a plane nor a compound"},
    {"position", "vec3", false, "of the part's frame in the compound's, m; default the origin"},
    {"orientation", "orientation", false, "of the part's frame in the compound's; default none"},
    {"density", "positive", false, "kg/m^3; default: that of the body"},
};

}  // namespace

const ObjectSpec kScene{"scene", "A scene of Carom. SI units, z up, quaternions [w, x, y, z].", kSceneKeys};
const ObjectSpec kMaterial{"material", "Surface properties.", kMaterialKeys};
const ObjectSpec kPair{"pair", "What holds between two materials.", kPairKeys};
const ObjectSpec kBody{"body", "A rigid body, or a grid of equal ones.", kBodyKeys};
const ObjectSpec kCopies{"copies", "A grid of equal bodies, named name[0], name[1], ... with x fastest.", kCopiesKeys};
const ObjectSpec kAxisAngle{"axis_angle", "A rotation about an axis.", kAxisAngleKeys};
const ObjectSpec kRollPitchYaw{"roll_pitch_yaw", "Three rotations about the fixed axes.", kRollPitchYawKeys};
const ObjectSpec kColdVolume{"cold_volume", "Where bodies may freeze.", kColdVolumeKeys};
const ObjectSpec kShape{"shape", "One key, which names the shape.", kShapeKeys, true};
const ObjectSpec kSphere{"sphere", "A ball.", kSphereKeys};
const ObjectSpec kBox{"box", "A block.", kBoxKeys};
const ObjectSpec kCapsule{"capsule", "A rod with round ends.", kCapsuleKeys};
const ObjectSpec kPlane{"plane", "A half-space.", kPlaneKeys};
const ObjectSpec kEllipsoid{"ellipsoid", "A stretched ball.", kEllipsoidKeys};
const ObjectSpec kCylinder{"cylinder", "A round rod with flat ends.", kRoundKeys};
const ObjectSpec kCone{"cone", "A cone on a round base.", kRoundKeys};
const ObjectSpec kHull{"hull", "A convex hull. Either points or a file.", kHullKeys, true};
const ObjectSpec kMesh{"mesh", "Not supported yet.", kMeshKeys};
const ObjectSpec kHeightfield{"heightfield", "Not supported yet. Fixed bodies only.", kHeightfieldKeys};
const ObjectSpec kCompoundPart{"compound_part", "One shape of a compound.", kCompoundPartKeys};

std::span<const ObjectSpec* const> all() {
  static constexpr const ObjectSpec* kAll[] = {
      &kScene,      &kMaterial, &kPair,   &kBody, &kCopies,      &kAxisAngle,   &kRollPitchYaw,
      &kColdVolume, &kShape,    &kSphere, &kBox,  &kCapsule,     &kPlane,       &kEllipsoid,
      &kCylinder,   &kCone,     &kHull,   &kMesh, &kHeightfield, &kCompoundPart};
  return kAll;
}

}  // namespace carom::scene_keys
