#include "study/pose_audit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace carom {
namespace {

bool is_finite(const Pose& pose) {
  const Quat& q = pose.orientation;
  const Real sum = squared_norm(pose.position) + q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
  return std::isfinite(sum) && q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z > 0;
}

/// Of a sphere about the frame's origin that holds the shape in every orientation: about its box, turned or not.
Real bounding_radius(const Shape& shape) {
  const PlacedShape placed(shape, Pose{});
  Vec3 farthest;
  for (int i = 0; i < 3; ++i) farthest[i] = std::max(std::abs(placed.low[i]), std::abs(placed.high[i]));
  return norm(farthest);
}

bool boxes_apart(const PlacedShape& a, const PlacedShape& b) {
  return a.low.x > b.high.x || b.low.x > a.high.x || a.low.y > b.high.y || b.low.y > a.high.y || a.low.z > b.high.z ||
         b.low.z > a.high.z;
}

bool way_apart(const Vec3& from, const Vec3& to, const PlacedShape& wall) {
  for (int i = 0; i < 3; ++i)
    if (std::max(from[i], to[i]) < wall.low[i] || std::min(from[i], to[i]) > wall.high[i]) return true;
  return false;
}

using Cell = std::array<std::int64_t, 3>;

Cell cell_of(const Vec3& center, Real size) {
  return {std::llround(std::floor(center.x / size)), std::llround(std::floor(center.y / size)),
          std::llround(std::floor(center.z / size))};
}

std::size_t bucket_of(const Cell& cell, std::size_t mask) {
  std::uint64_t hash = 0;
  for (const std::int64_t c : cell) hash = (hash ^ static_cast<std::uint64_t>(c)) * 0x9E3779B97F4A7C15u;
  return static_cast<std::size_t>(hash >> 32) & mask;
}

}  // namespace

PoseAudit::PoseAudit(std::vector<AuditBody> bodies, std::vector<Region> inside)
    : bodies_(std::move(bodies)), inside_(std::move(inside)), placed_(bodies_.size()), escaped_(bodies_.size()) {
  std::vector<Real> radii;
  for (const AuditBody& body : bodies_)
    if (body.type == BodyType::Dynamic) radii.push_back(bounding_radius(*body.shape));
  if (!radii.empty()) {
    // Cells for the bulk of the bodies; the few that are much larger than most would make the cells coarse for all.
    const auto middle = radii.begin() + static_cast<std::ptrdiff_t>(radii.size() / 2);
    std::nth_element(radii.begin(), middle, radii.end());
    cell_ = 4 * *middle;
  }
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    (2 * bounding_radius(*bodies_[i].shape) <= cell_ ? small_ : large_).push_back(i);
    if (bodies_[i].type == BodyType::Fixed) walls_.push_back(i);
  }
  std::size_t buckets = 1;
  while (buckets < 2 * small_.size()) buckets *= 2;
  heads_.resize(buckets);
  next_.resize(bodies_.size());
}

PoseReport PoseAudit::judge(std::span<const Pose> poses) {
  require(poses.size() == bodies_.size(), "PoseAudit::judge: one pose for each body is expected");
  PoseReport report;
  report.finite = place(poses);
  if (!report.finite) return report;
  check_outside(report);
  check_large(report);
  check_grid(report);
  return report;
}

bool PoseAudit::place(std::span<const Pose> poses) {
  if (!std::all_of(poses.begin(), poses.end(), is_finite)) return false;
  for (std::size_t i = 0; i < poses.size(); ++i) placed_[i] = PlacedShape(*bodies_[i].shape, poses[i]);
  return true;
}

void PoseAudit::check_outside(PoseReport& report) {
  const auto holds = [](const Region& region, const Vec3& p) {
    return region.low.x <= p.x && p.x <= region.high.x && region.low.y <= p.y && p.y <= region.high.y &&
           region.low.z <= p.z && p.z <= region.high.z;
  };
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].type != BodyType::Dynamic) continue;
    const Vec3 center = placed_[i].center;
    const Vec3 from = last_centers_.empty() ? center : last_centers_[i];
    for (const std::size_t wall : walls_)
      if (!way_apart(from, center, placed_[wall]) && path_enters(from, center, placed_[wall])) escaped_[i] = true;
    const bool somewhere = inside_.empty() || std::any_of(inside_.begin(), inside_.end(),
                                                          [&](const Region& region) { return holds(region, center); });
    if (escaped_[i] || !somewhere) {
      if (report.outside == 0) report.first_outside = i;
      ++report.outside;
    }
  }
  last_centers_.resize(bodies_.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) last_centers_[i] = placed_[i].center;
}

void PoseAudit::check_large(PoseReport& report) const {
  for (std::size_t i = 0; i < large_.size(); ++i) {
    for (std::size_t j = i + 1; j < large_.size(); ++j) check_pair(large_[i], large_[j], report);
    for (const std::size_t other : small_) check_pair(large_[i], other, report);
  }
}

void PoseAudit::check_grid(PoseReport& report) {
  const std::size_t mask = heads_.size() - 1;
  std::fill(heads_.begin(), heads_.end(), -1);
  for (const std::size_t body : small_) {
    // Look first, enter afterwards: each pair is met once. Overlapping bodies are at most one cell apart on each axis.
    const Cell home = cell_of(placed_[body].center, cell_);
    for (int k = 0; k < 27; ++k) {
      const Cell cell{home[0] + k % 3 - 1, home[1] + k / 3 % 3 - 1, home[2] + k / 9 - 1};
      for (std::int64_t other = heads_[bucket_of(cell, mask)]; other >= 0;
           other = next_[static_cast<std::size_t>(other)]) {
        const auto index = static_cast<std::size_t>(other);
        if (cell_of(placed_[index].center, cell_) == cell) check_pair(index, body, report);
      }
    }
    std::int64_t& head = heads_[bucket_of(home, mask)];
    next_[body] = head;
    head = static_cast<std::int64_t>(body);
  }
}

void PoseAudit::check_pair(std::size_t a, std::size_t b, PoseReport& report) const {
  if (bodies_[a].type != BodyType::Dynamic && bodies_[b].type != BodyType::Dynamic) return;
  if (boxes_apart(placed_[a], placed_[b])) return;
  const Real depth = overlap_depth(placed_[a], placed_[b]);
  if (depth <= 0) return;
  ++report.overlaps;
  report.depth_sum += depth;
  if (depth > report.worst_depth) {
    report.worst_depth = depth;
    report.worst_a = a;
    report.worst_b = b;
  }
}

std::vector<AuditBody> audit_bodies(const Scene& scene) {
  std::vector<AuditBody> bodies;
  bodies.reserve(scene.bodies.size());
  for (const SceneBody& body : scene.bodies) bodies.push_back({body.def.shape, body.def.type});
  return bodies;
}

std::vector<Pose> shape_poses(const World& world) {
  std::vector<Pose> poses;
  poses.reserve(world.body_count());
  for (const BodyHandle body : world.bodies()) poses.push_back(world.shape_pose(body));
  return poses;
}

}  // namespace carom
