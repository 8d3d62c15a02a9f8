#include "geometry/epa.h"

#include <limits>
#include <utility>

namespace carom {
namespace {

// Of the scale. A face that a new point sees by less than this counts as unseen: products of differences are no better.
constexpr Real kRounding = 4e-15;

/// Two unit vectors square to a unit vector.
std::pair<Vec3, Vec3> square_to(const Vec3& n) {
  const Vec3 helper = std::abs(n.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 u = normalized(cross(n, helper));
  return {u, cross(n, u)};
}

}  // namespace

Epa::Epa(CorePair& pair, const Simplex& start) : pair_(pair) {
  if (!make_tetrahedron(start)) return;
  link_tetrahedron();
  choose_nearest();
}

bool Epa::make_tetrahedron(const Simplex& start) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(start.count); ++i)
    points_[static_cast<std::size_t>(point_count_++)] = start.points[i];

  // Each missing corner is the farthest of a few supports from the point, line or plane of those that are there.
  const auto add_farthest = [&](std::initializer_list<Vec3> directions, const auto& off) {
    Real most = -1;
    for (const Vec3& d : directions) {
      for (const Vec3& n : {d, -d}) {
        const DifferencePoint p = pair_.least(n);
        const Real far = off(p.w - points_[0].w);
        if (far > most) most = far, points_[static_cast<std::size_t>(point_count_)] = p;
      }
    }
    ++point_count_;
    return most > 0;
  };
  if (point_count_ == 1 && !add_farthest({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, [](const Vec3& d) { return norm(d); }))
    return false;
  if (point_count_ == 2) {
    const Vec3 line = normalized(points_[1].w - points_[0].w);
    const auto [u, v] = square_to(line);
    if (!add_farthest({u, v, normalized(u + v), normalized(u - v)},
                      [&](const Vec3& d) { return squared_norm(cross(line, d)); }))
      return false;
  }
  if (point_count_ == 3) {
    const Vec3 n = normalized(cross(points_[1].w - points_[0].w, points_[2].w - points_[0].w));
    if (!add_farthest({n}, [&](const Vec3& d) { return std::abs(dot(n, d)); })) return false;
  }
  const Vec3 p = points_[0].w;
  const Real volume = dot(cross(points_[1].w - p, points_[2].w - p), points_[3].w - p);
  if (volume > 0) std::swap(points_[1], points_[2]);
  return volume != 0;
}

void Epa::link_tetrahedron() {
  new_face(0, 1, 2), new_face(0, 3, 1), new_face(0, 2, 3), new_face(1, 3, 2);
  for (int i = 0; i < 4; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int16_t from = face(i).points[k], to = face(i).points[(k + 1) % 3];
      for (int j = 0; j < 4; ++j)
        for (std::size_t l = 0; l < 3; ++l)
          if (face(j).points[l] == to && face(j).points[(l + 1) % 3] == from)
            face(i).neighbours[k] = static_cast<std::int16_t>(j);
    }
  }
}

int Epa::new_face(std::int16_t p, std::int16_t q, std::int16_t r) {
  if (free_count_ == 0 && face_count_ == kMostFaces) return -1;
  const int index = free_count_ > 0 ? free_[static_cast<std::size_t>(--free_count_)] : face_count_++;
  Face& f = face(index);
  f.points = {p, q, r};
  f.alive = true;
  f.settled = false;
  const Vec3 u = point(q).w - point(p).w, v = point(r).w - point(p).w;
  const Vec3 inward = cross(v, u);
  const Real area = norm(inward);
  // A sliver has no normal worth growing along; its neighbours cover the same ground.
  const bool sliver = !(area > 1e-13 * (squared_norm(u) + squared_norm(v)));
  f.normal = sliver ? Vec3{} : inward / area;
  f.level = sliver ? -std::numeric_limits<Real>::infinity()
                   : (dot(f.normal, point(p).w) + dot(f.normal, point(q).w) + dot(f.normal, point(r).w)) / 3;
  return index;
}

void Epa::choose_nearest() {
  nearest_ = -1;
  for (int i = 0; i < face_count_; ++i)
    if (face(i).alive && !face(i).settled && (nearest_ < 0 || face(i).level > face(nearest_).level)) nearest_ = i;
  if (nearest_ >= 0 && face(nearest_).level == -std::numeric_limits<Real>::infinity()) nearest_ = -1;
}

Epa::Nearest Epa::nearest() const { return {face(nearest_).normal, face(nearest_).level}; }

Real Epa::probe() {
  const Face& f = face(nearest_);
  probed_ = pair_.least(f.normal);
  return std::min(dot(f.normal, probed_.w), f.level);
}

void Epa::grow() {
  if (expand()) {
    choose_nearest();
  } else {
    nearest_ = -1;
  }
}

void Epa::settle() {
  face(nearest_).settled = true;
  choose_nearest();
}

bool Epa::expand() {
  if (point_count_ == kMostPoints || !collect_horizon(probed_.w)) return false;
  points_[static_cast<std::size_t>(point_count_)] = probed_;
  return close_horizon(static_cast<std::int16_t>(point_count_++));
}

bool Epa::collect_horizon(const Vec3& w) {
  const Real rounding = kRounding * pair_.scale();
  horizon_count_ = dead_count_ = 0;
  if (!(dot(face(nearest_).normal, w) < face(nearest_).level)) return false;
  int depth = 0;
  const auto see = [&](int i) {
    face(i).alive = false;
    dead_[static_cast<std::size_t>(dead_count_++)] = static_cast<std::int16_t>(i);
    stack_[static_cast<std::size_t>(depth++)] = static_cast<std::int16_t>(i);
  };
  see(nearest_);
  while (depth > 0) {
    const Face& f = face(stack_[static_cast<std::size_t>(--depth)]);
    for (std::size_t k = 0; k < 3; ++k) {
      const int next = f.neighbours[k];
      if (!face(next).alive) continue;
      if (dot(face(next).normal, w) < face(next).level - rounding) see(next);
    }
  }
  for (int d = 0; d < dead_count_; ++d) {
    const std::int16_t self = dead_[static_cast<std::size_t>(d)];
    const Face& f = face(self);
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int16_t outer = f.neighbours[k];
      if (!face(outer).alive) continue;
      int outer_edge = 0;
      while (face(outer).neighbours[static_cast<std::size_t>(outer_edge)] != self ||
             face(outer).points[static_cast<std::size_t>(outer_edge)] != f.points[(k + 1) % 3]) {
        if (++outer_edge == 3) return false;
      }
      horizon_[static_cast<std::size_t>(horizon_count_++)] = {f.points[k], f.points[(k + 1) % 3], outer, outer_edge};
    }
  }
  return horizon_count_ >= 3;
}

bool Epa::close_horizon(std::int16_t apex) {
  for (int d = 0; d < dead_count_; ++d)
    free_[static_cast<std::size_t>(free_count_++)] = dead_[static_cast<std::size_t>(d)];
  // The face that starts at each corner of the horizon; a corner met twice means a pinched horizon, made by rounding.
  std::array<std::int16_t, kMostPoints> starting;
  starting.fill(-1);
  for (int h = 0; h < horizon_count_; ++h) {
    const HorizonEdge& edge = horizon_[static_cast<std::size_t>(h)];
    const int made = new_face(edge.from, edge.to, apex);
    if (made < 0 || starting[static_cast<std::size_t>(edge.from)] >= 0) return false;
    starting[static_cast<std::size_t>(edge.from)] = static_cast<std::int16_t>(made);
    face(made).neighbours[0] = edge.outer;
    face(edge.outer).neighbours[static_cast<std::size_t>(edge.outer_edge)] = static_cast<std::int16_t>(made);
  }
  for (int h = 0; h < horizon_count_; ++h) {
    const HorizonEdge& edge = horizon_[static_cast<std::size_t>(h)];
    const std::int16_t made = starting[static_cast<std::size_t>(edge.from)];
    const std::int16_t next = starting[static_cast<std::size_t>(edge.to)];
    if (next < 0) return false;
    face(made).neighbours[1] = next;
    face(next).neighbours[2] = made;
  }
  return true;
}

}  // namespace carom
