#include "io/problem_keys.h"

namespace carom::problem_keys {
namespace {

constexpr bool kRequired = true;

constexpr KeySpec kProblemKeys[] = {
    {"carom_problem", "format_1", kRequired, "version of the format, always 1"},
    {"description", "string", false, "one line for people"},
    {"dt", "non_negative", false, "s; with gravity it scales the residual; default 0"},
    {"gravity", "non_negative", false, "a magnitude, m/s^2; default 0"},
    {"down", "vec3", false, "the way gravity pulls, any length but zero; default: not known"},
    {"bodies", "list:body", kRequired, "the bodies"},
    {"contacts", "list:contact", kRequired, "the contacts"},
    {"rows", "list:row", false, "equality and bounded rows, as joints need them"},
};
constexpr KeySpec kImpactKeys[] = {
    {"carom_impact", "format_1", false,
     "version of the format, always 1; or carom_problem, of a problem with one contact"},
    {"carom_problem", "format_1", false, "in place of carom_impact"},
    {"description", "string", false, "one line for people"},
    {"dt", "non_negative", false, "s; of no effect on an impact"},
    {"gravity", "non_negative", false, "a magnitude, m/s^2; of no effect on an impact"},
    {"down", "vec3", false, "the way gravity pulls; of no effect on an impact"},
    {"bodies", "list2:body", kRequired, "the two bodies"},
    {"contacts", "list1:contact", kRequired, "the one contact"},
};
constexpr KeySpec kBodyKeys[] = {
    {"mass", "positive", false, "kg; of dynamic and frozen bodies"},
    {"inertia", "matrix3", false, "kg m^2, about the centre of mass, world axes; of dynamic and frozen bodies"},
    {"velocity", "vec3", false, "of the centre of mass, m/s; default 0"},
    {"angular_velocity", "vec3", false, "rad/s, world axes; default 0"},
    {"fixed", "boolean", false, "never moves"},
    {"kinematic", "boolean", false, "moves with its velocity, feels nothing"},
    {"frozen", "boolean", false, "at rest and left out of the contact stage"},
};
constexpr KeySpec kContactKeys[] = {
    {"id", "natural", false, "stable from step to step, for warm starts; 0 is none"},
    {"a", "natural", kRequired, "index of the first body; the impulse acts against it"},
    {"b", "natural", kRequired, "index of the second body; the impulse acts on it"},
    {"normal", "vec3", kRequired, "from a to b, a unit vector to within 1e-6"},
    {"tangent", "vec3", false, "first tangent, orthogonal to the normal; default: fixed by the normal alone"},
    {"ra", "vec3", false, "from the centre of mass of a to the contact, m; may be left out where a is fixed"},
    {"rb", "vec3", false, "from the centre of mass of b to the contact, m; may be left out where b is fixed"},
    {"friction", "non_negative", false, "dynamic coefficient; default 0"},
    {"static_friction", "non_negative", false, "static coefficient, at least friction; default: friction"},
    {"restitution", "fraction", false, "from 0 to 1; default 0"},
    {"target", "number", false, "least normal velocity afterwards, m/s; default 0"},
    {"tangent_target", "number2", false, "tangential velocity that counts as sticking, m/s; default [0, 0]"},
    {"rolling_friction", "non_negative", false, "a length, m; default 0"},
    {"spinning_friction", "non_negative", false, "a length, m; default 0"},
};
constexpr KeySpec kRowKeys[] = {
    {"id", "natural", false, "rows in sequence with the same id and bodies make one block; 0 is none"},
    {"bodies", "natural2", kRequired, "indices of the two bodies"},
    {"jacobian", "row_jacobian", kRequired, "six numbers (linear, angular) for each of the two bodies"},
    {"target", "number", false, "m/s or rad/s; default 0"},
    {"lower", "number", false, "least impulse, N s or N m s; default: no bound"},
    {"upper", "number", false, "largest impulse, N s or N m s; default: no bound"},
};

}  // namespace

const ObjectSpec kProblem{"problem", "A contact problem of Carom: one instant, no geometry. SI units.", kProblemKeys};
const ObjectSpec kImpact{"impact", "One collision at one point: two bodies and one contact. SI units.", kImpactKeys};
const ObjectSpec kBody{"body", "A body of the problem.", kBodyKeys};
const ObjectSpec kContact{"contact", "A point contact. Relative velocity is that of b minus that of a.", kContactKeys};
const ObjectSpec kRow{"row", "One row of a joint.", kRowKeys};

std::span<const ObjectSpec* const> all() {
  static constexpr const ObjectSpec* kAll[] = {&kProblem, &kBody, &kContact, &kRow};
  return kAll;
}

std::span<const ObjectSpec* const> all_of_impact() {
  static constexpr const ObjectSpec* kAll[] = {&kImpact, &kBody, &kContact};
  return kAll;
}

}  // namespace carom::problem_keys
