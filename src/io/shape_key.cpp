#include "io/shape_key.h"

#include <variant>

#include "base/bytes.h"
#include "geometry/polyhedron.h"

namespace carom {
namespace {

class Key {
 public:
  explicit Key(const Shape& shape) { add(shape); }
  std::string take() { return bytes_.take(); }

 private:
  void add(const Shape& shape) {
    bytes_.put(static_cast<std::uint8_t>(shape.geometry().index()));
    std::visit([this](const auto& geometry) { add_measures(geometry); }, shape.geometry());
  }
  void add(Real value) { bytes_.put(value); }
  void add(const Vec3& v) { add(v.x), add(v.y), add(v.z); }

  void add_measures(const Sphere& s) { add(s.radius); }
  void add_measures(const Box& b) { add(b.half_size); }
  void add_measures(const Capsule& c) { add(c.radius), add(c.half_length); }
  void add_measures(const Plane& p) { add(p.normal), add(p.offset); }
  void add_measures(const Cylinder& c) { add(c.radius), add(c.half_height); }
  void add_measures(const Cone& c) { add(c.radius), add(c.half_height); }
  void add_measures(const Ellipsoid& e) { add(e.radii); }
  void add_measures(const Hull& h) {
    add(static_cast<Real>(h.polyhedron->vertices().size()));
    for (const Vec3& v : h.polyhedron->vertices()) add(v);
  }
  void add_measures(const Compound& c) {
    add(static_cast<Real>(c.parts->size()));
    for (const CompoundPart& part : *c.parts) {
      const Quat& q = part.pose.orientation;
      add(*part.shape), add(part.pose.position), add(q.w), add(q.vector());
    }
  }

  ByteWriter bytes_;
};

}  // namespace

std::string shape_key(const Shape& shape) { return Key(shape).take(); }

}  // namespace carom
