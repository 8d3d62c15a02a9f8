#include "io/body_reader.h"

#include <cmath>

#include <fmt/format.h>

#include "io/scene_keys.h"
#include "io/split_mix.h"
#include "math/symmetric.h"

namespace carom {
namespace {

bool is_finite(const Vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

BodyType read_type(const JsonView& view) {
  const std::string name = view.word(kBodyTypeNames);
  if (name == "fixed") return BodyType::Fixed;
  return name == "kinematic" ? BodyType::Kinematic : BodyType::Dynamic;
}

/// Real matter has positive moments of which no one exceeds the sum of the others.
Mat3 read_inertia(const JsonView& view) {
  constexpr Real kRounding = 1e-6;  // a thin rod meets the limit exactly, in as many digits as its file has
  const bool is_matrix = view.kind() == JsonKind::Array && view.size() > 0 && view.items()[0].kind() == JsonKind::Array;
  if (!is_matrix && !view.is_list_of(3, "three principal moments or a symmetric 3x3 matrix")) return Mat3::identity();
  const Mat3 inertia = is_matrix ? view.symmetric3() : Mat3::diagonal(view.positive3());
  if (!view.ok()) return Mat3::identity();
  const Vec3 moments = principal_moments(inertia);
  const std::string found = fmt::format("the principal moments {}, {}, {}", moments.x, moments.y, moments.z);
  if (!(moments.x > 0)) view.complain(found, "three positive moments");
  if (moments.z > (moments.x + moments.y) * (1 + kRounding))
    view.complain(found, "moments of which none is larger than the sum of the other two");
  return inertia;
}

/// Extreme sizes make a mass or an inertia that overflows or vanishes: said here, where the place in the file is known.
void check_matter(const JsonView& view, const BodyDef& def) {
  const MassProperties own = def.shape->mass_properties(def.density);
  const Real mass = def.mass.value_or(own.mass);
  const Mat3 inertia = def.inertia.value_or((mass / own.mass) * own.inertia);
  const Vec3 moments = principal_moments(inertia);
  if (!(std::isfinite(mass) && mass > 0 && std::isfinite(moments.z) && moments.x > 0))
    view.complain(fmt::format("a mass of {} kg with principal moments {}, {}, {} kg m^2 from shape and density", mass,
                              moments.x, moments.y, moments.z),
                  "a mass and moments that are positive and finite");
}

void read_mass(const JsonView& view, BodyDef& def) {
  const auto mass = view.find("mass"), density = view.find("density");
  if (mass && density) view.complain("both \"mass\" and \"density\"", "one of the two");
  if (mass) def.mass = mass->positive();
  if (density) def.density = density->positive();
  if (const auto inertia = view.find("inertia")) def.inertia = read_inertia(*inertia);
  if (const auto center = view.find("center_of_mass")) def.center_of_mass = center->vec3();
  if (view.ok() && def.type == BodyType::Dynamic && def.shape && def.shape->is_bounded()) check_matter(view, def);
}

void read_motion(const JsonView& view, BodyDef& def) {
  if (const auto v = view.find("position")) def.pose.position = v->vec3();
  if (const auto v = view.find("orientation")) def.pose.orientation = read_orientation(*v);
  if (const auto v = view.find("force")) def.force = v->vec3();
  if (const auto v = view.find("torque")) def.torque = v->vec3();
  for (const char* key : {"velocity", "angular_velocity"}) {
    const auto v = view.find(key);
    if (!v) continue;
    const Vec3 value = v->vec3();
    if (def.type == BodyType::Fixed && value != Vec3{})
      v->complain("a velocity on a fixed body", "zero, or the type kinematic");
    (std::string_view(key) == "velocity" ? def.velocity : def.angular_velocity) = value;
  }
}

struct Copies {
  std::uint64_t count[3] = {1, 1, 1};
  Vec3 spacing;
  Real jitter = 0;
  std::uint64_t seed = 1;
};

Copies read_copies(const JsonView& view, std::uint64_t bodies_before) {
  Copies copies;
  if (!view.matches(scene_keys::kCopies)) return copies;
  copies.spacing = view.find("spacing")->vec3();
  if (const auto v = view.find("jitter")) copies.jitter = v->non_negative();
  if (const auto v = view.find("seed")) copies.seed = v->natural();

  const JsonView count = *view.find("count");
  if (!count.is_list_of(3, "a list of three whole numbers, each at least 1")) return copies;
  // In floating point: the product of three 64-bit numbers may not fit in one.
  Real total = static_cast<Real>(bodies_before);
  Real product = 1;
  for (int i = 0; i < 3; ++i) {
    const JsonView item = count.items()[static_cast<std::size_t>(i)];
    copies.count[i] = item.natural();
    if (item.ok() && copies.count[i] == 0) item.expected("a whole number, at least 1");
    product *= static_cast<Real>(copies.count[i]);
  }
  total += product;
  if (total > static_cast<Real>(kMostBodies))
    count.complain(fmt::format("{:.0f} copies", product), fmt::format("at most {} bodies in a scene", kMostBodies));
  return copies;
}

void add_copies(const JsonView& view, const Copies& copies, const SceneBody& original, std::vector<SceneBody>& bodies) {
  SplitMix64 random(copies.seed);
  std::uint64_t ordinal = 0;
  for (std::uint64_t z = 0; z < copies.count[2]; ++z)
    for (std::uint64_t y = 0; y < copies.count[1]; ++y)
      for (std::uint64_t x = 0; x < copies.count[0]; ++x) {
        SceneBody body = original;
        body.def.name = fmt::format("{}[{}]", original.def.name, ordinal++);
        Vec3& position = body.def.pose.position;
        position += {copies.spacing.x * static_cast<Real>(x), copies.spacing.y * static_cast<Real>(y),
                     copies.spacing.z * static_cast<Real>(z)};
        for (int axis = 0; axis < 3; ++axis) position[axis] += copies.jitter * (2 * random.fraction() - 1);
        if (!is_finite(position)) {
          view.complain("copies whose positions overflow", "finite positions");
          return;
        }
        bodies.push_back(std::move(body));
      }
}

}  // namespace

void read_body(const JsonView& view, std::size_t ordinal, SceneFiles& files, std::vector<SceneBody>& bodies) {
  if (!view.matches(scene_keys::kBody)) return;
  SceneBody body;
  BodyDef& def = body.def;
  def.name = "body" + std::to_string(ordinal);
  if (const auto v = view.find("name")) {
    def.name = v->text();
    if (v->ok() && def.name.empty()) v->complain("an empty name", "a name");
  }
  if (const auto v = view.find("type")) def.type = read_type(*v);
  const JsonView shape = *view.find("shape");
  def.shape = read_shape(shape, files);
  if (def.shape && !def.shape->is_bounded() && def.type != BodyType::Fixed)
    shape.complain("a plane on a body that is not fixed", "\"type\": \"fixed\", or another shape");
  body.material = "default";
  if (const auto v = view.find("material")) body.material = v->text();
  if (const auto v = view.find("category")) def.category = v->natural();
  if (const auto v = view.find("mask")) def.mask = v->natural();
  read_mass(view, def);
  read_motion(view, def);

  const auto copies = view.find("copies");
  if (copies) {
    const Copies grid = read_copies(*copies, bodies.size());
    if (view.ok()) add_copies(*copies, grid, body, bodies);
  } else if (bodies.size() >= kMostBodies) {
    view.complain("one body more than the limit", fmt::format("at most {} bodies in a scene", kMostBodies));
  } else if (view.ok()) {
    bodies.push_back(std::move(body));
  }
}

}  // namespace carom
