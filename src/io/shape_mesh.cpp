#include "io/shape_mesh.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "carom/base/error.h"
#include "geometry/polyhedron.h"
#include "io/mesh_builder.h"

namespace carom {
namespace {

/// The sum of a box and a ball, `half_size` being that of the whole. The ball is cut into its octants, one a corner of
/// the box; what lies between them is flat or a part of a cylinder. Where the box has no width the octants meet. So it
/// is a sphere, a capsule along z, or a box with rounded edges. Requires x and y both equal to the radius or neither.
class RoundedBox {
 public:
  RoundedBox(const Vec3& half_size, Real radius, int steps)
      : half_size_(half_size), radius_(radius), steps_(steps), turn_(quarter_turn(steps)) {
    const bool joined = half_size.x == radius && half_size.y == radius;
    for (int quadrant = 0; quadrant < 4; ++quadrant)
      for (int i = 0; i < (joined ? steps : steps + 1); ++i) columns_.push_back(column(quadrant, i));
    if (joined)
      for (Column& c : columns_) c.quadrant = 0;
  }

  ShapeMesh make() {
    const std::vector<std::uint32_t> north = pole(1), south = pole(-1);
    std::vector<std::uint32_t> above = north;
    for (int i = 1; i <= steps_; ++i) above = band_below(above, 1, i);
    const bool joined = half_size_.z == radius_;
    for (int i = joined ? 1 : 0; i < steps_; ++i) above = band_below(above, -1, steps_ - i);
    connect(above, south);
    const auto quarter = columns_.size() / 4;
    // Both are flat or, where the octants meet, nothing.
    builder_.quad(north[0], north[quarter], north[2 * quarter], north[3 * quarter]);
    builder_.quad(south[3 * quarter], south[2 * quarter], south[quarter], south[0]);
    return builder_.take();
  }

 private:
  struct Column {
    Real x = 0, y = 0;            ///< unit direction from the axis
    Real sign_x = 1, sign_y = 1;  ///< the corner of the box
    std::uint32_t quadrant = 0;
  };

  Column column(int quadrant, int i) const {
    const Real c = turn_[static_cast<std::size_t>(i)].cosine, s = turn_[static_cast<std::size_t>(i)].sine;
    switch (quadrant) {
      case 0:
        return {c, s, 1, 1, 0};
      case 1:
        return {-s, c, -1, 1, 1};
      case 2:
        return {-c, -s, -1, -1, 2};
      default:
        return {s, -c, 1, -1, 3};
    }
  }

  /// Measured from the outside in, so that the outermost points lie exactly where the shape ends.
  Real coordinate(Real sign, Real normal, Real half_size) const {
    return sign * (half_size - radius_ * (1 - std::abs(normal)));
  }

  std::uint32_t vertex(const Column& c, Real sign_z, const Vec3& normal) {
    return builder_.vertex({coordinate(c.sign_x, normal.x, half_size_.x), coordinate(c.sign_y, normal.y, half_size_.y),
                            coordinate(sign_z, normal.z, half_size_.z)},
                           normal);
  }

  /// One vertex an octant, named once for each of its columns.
  std::vector<std::uint32_t> pole(Real sign_z) {
    std::vector<std::uint32_t> row;
    row.reserve(columns_.size());
    for (std::size_t i = 0; i < columns_.size(); ++i)
      row.push_back(i > 0 && columns_[i].quadrant == columns_[i - 1].quadrant
                        ? row.back()
                        : vertex(columns_[i], sign_z, {0, 0, sign_z}));
    return row;
  }

  /// The row that is `i` steps away from its pole, and the faces between it and the one above.
  std::vector<std::uint32_t> band_below(const std::vector<std::uint32_t>& above, Real sign_z, int i) {
    const SinCos from_pole = turn_[static_cast<std::size_t>(i)];
    std::vector<std::uint32_t> row;
    row.reserve(columns_.size());
    for (const Column& c : columns_)
      row.push_back(vertex(c, sign_z, {from_pole.sine * c.x, from_pole.sine * c.y, sign_z * from_pole.cosine}));
    connect(above, row);
    return row;
  }

  void connect(const std::vector<std::uint32_t>& above, const std::vector<std::uint32_t>& below) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::size_t east = (i + 1) % columns_.size();
      builder_.quad(above[i], below[i], below[east], above[east]);
    }
  }

  Vec3 half_size_;
  Real radius_;
  int steps_;
  std::vector<SinCos> turn_;
  std::vector<Column> columns_;
  MeshBuilder builder_;
};

/// A square about `center`, spanned by two half edges that turn counter-clockwise around the normal.
void add_square(MeshBuilder& builder, const Vec3& center, const Vec3& u, const Vec3& v, const Vec3& normal) {
  const std::uint32_t first = builder.vertex(center - u - v, normal);
  builder.vertex(center + u - v, normal);
  builder.vertex(center + u + v, normal);
  builder.vertex(center - u + v, normal);
  builder.quad(first, first + 1, first + 2, first + 3);
}

ShapeMesh sharp_box(const Vec3& half_size) {
  MeshBuilder builder;
  for (int axis = 0; axis < 3; ++axis)
    for (const Real sign : {1.0, -1.0}) {
      Vec3 normal, u, v;
      normal[axis] = sign;
      u[(axis + 1) % 3] = half_size[(axis + 1) % 3];
      v[(axis + 2) % 3] = sign * half_size[(axis + 2) % 3];
      add_square(builder, half_size[axis] * normal, u, v, normal);
    }
  return builder.take();
}

ShapeMesh mesh_of(const Sphere& s, const MeshDetail& detail) {
  return RoundedBox({s.radius, s.radius, s.radius}, s.radius, detail.round_steps).make();
}

ShapeMesh mesh_of(const Capsule& c, const MeshDetail& detail) {
  return RoundedBox({c.radius, c.radius, c.radius + c.half_length}, c.radius, detail.round_steps).make();
}

ShapeMesh mesh_of(const Box& b, const MeshDetail& detail) {
  if (detail.edge_radius == 0) return sharp_box(b.half_size);
  const Real width = 2 * std::min({b.half_size.x, b.half_size.y, b.half_size.z});
  return RoundedBox(b.half_size, detail.edge_radius * width, detail.edge_steps).make();
}

ShapeMesh mesh_of(const Plane& p, const MeshDetail& detail) {
  // The axis that lies flattest in the plane; for a level plane the edges then run along x and y.
  const Vec3 size{std::abs(p.normal.x), std::abs(p.normal.y), std::abs(p.normal.z)};
  const int flattest = size.x <= size.y && size.x <= size.z ? 0 : (size.y <= size.z ? 1 : 2);
  Vec3 axis;
  axis[flattest] = 1;
  const Vec3 u = normalized(axis - dot(axis, p.normal) * p.normal);
  MeshBuilder builder;
  add_square(builder, p.offset * p.normal, detail.plane_extent * u, detail.plane_extent * cross(p.normal, u), p.normal);
  return builder.take();
}

/// A sphere, stretched: normals are scaled the other way.
ShapeMesh mesh_of(const Ellipsoid& e, const MeshDetail& detail) {
  ShapeMesh mesh = RoundedBox({1, 1, 1}, 1, detail.round_steps).make();
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    Vec3 position, normal;
    for (int k = 0; k < 3; ++k) {
      const auto at = static_cast<std::size_t>(k);
      position[k] = e.radii[k] * mesh.positions[i][at];
      normal[k] = mesh.normals[i][at] / e.radii[k];
    }
    mesh.positions[i] = to_floats(position);
    mesh.normals[i] = to_floats(normalized(normal));
  }
  return mesh;
}

ShapeMesh mesh_of(const Cylinder& c, const MeshDetail& detail) {
  return turned_mesh(c.radius, c.radius, c.half_height, detail.round_steps);
}

ShapeMesh mesh_of(const Cone& c, const MeshDetail& detail) {
  return turned_mesh(c.radius, 0, c.half_height, detail.round_steps);
}

ShapeMesh mesh_of(const Hull& h, const MeshDetail& /*detail*/) {
  const Polyhedron& p = *h.polyhedron;
  MeshBuilder builder;
  for (std::int32_t f = 0; f < static_cast<std::int32_t>(p.faces().size()); ++f) {
    std::vector<std::uint32_t> loop;
    for (const std::int32_t v : p.face_vertices(f))
      loop.push_back(
          builder.vertex(p.vertices()[static_cast<std::size_t>(v)], p.faces()[static_cast<std::size_t>(f)].normal));
    builder.fan(loop);
  }
  return builder.take();
}

ShapeMesh mesh_of(const Compound& c, const MeshDetail& detail) {
  ShapeMesh mesh;
  for (const CompoundPart& part : *c.parts) {
    const ShapeMesh own = make_mesh(*part.shape, detail);
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    const auto moved = [](const std::array<float, 3>& v) { return Vec3{v[0], v[1], v[2]}; };
    for (const auto& v : own.positions) mesh.positions.push_back(to_floats(transform(part.pose, moved(v))));
    for (const auto& v : own.normals) mesh.normals.push_back(to_floats(rotate(part.pose.orientation, moved(v))));
    for (const auto& t : own.triangles) mesh.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  }
  return mesh;
}

}  // namespace

ShapeMesh make_mesh(const Shape& shape, const MeshDetail& detail) {
  require(detail.edge_radius >= 0 && detail.edge_radius < 0.5, "make_mesh: the edge radius must be in [0, 0.5)");
  require(std::isfinite(detail.plane_extent) && detail.plane_extent > 0,
          "make_mesh: the plane's extent must be positive and finite");
  require(detail.round_steps >= 1 && detail.edge_steps >= 1, "make_mesh: a quarter turn must have steps");
  return std::visit([&](const auto& geometry) { return mesh_of(geometry, detail); }, shape.geometry());
}

}  // namespace carom
