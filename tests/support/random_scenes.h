// Random scenes of all shapes, each from its number alone: bodies dropped on a floor or into a closed room, some of
// them stirred by a kinematic body. They are made as scene files, so that one which fails can be kept and run by
// itself.
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "carom/io/scene.h"
#include "support/random.h"

namespace carom::test {

/// What holds the bodies, or stirs them.
enum class Place {
  Floor,      ///< an endless plane
  Slab,       ///< the top of a wide box
  Room,       ///< a closed room of fixed boxes
  Cell,       ///< likewise, of planes
  Plough,     ///< a floor, over which a wall is pushed
  Turntable,  ///< a room over a disc that turns
  Drum,       ///< a room that turns about a horizontal axis, one kinematic compound
  Paddle,     ///< a floor, over which a bar turns
  Lift        ///< a room whose floor rises
};
inline constexpr std::array<const char*, 9> kPlaceNames = {"floor",     "slab", "room",   "cell", "plough",
                                                           "turntable", "drum", "paddle", "lift"};

struct RandomScene {
  Scene scene;
  Place place = Place::Floor;
  /// m: dynamic bodies keep their centres inside this box, in the drum's frame where there is one, else in the world's.
  Vec3 low, high;
  std::string drum;  ///< name of the body to whose frame the box belongs; empty: the world's
};

/// Makes one scene. All lengths go by one unit, the geometric mean of the largest and the smallest body.
class SceneMaker {
 public:
  using Json = nlohmann::ordered_json;

  explicit SceneMaker(int seed) : random_(static_cast<std::uint64_t>(seed) + 1000), seed_(seed) {
    // Each place for a like number of seeds; rooms for more.
    constexpr std::array kPlaces = {Place::Floor,     Place::Room, Place::Plough, Place::Cell, Place::Drum,
                                    Place::Turntable, Place::Slab, Place::Paddle, Place::Room, Place::Lift};
    place_ = kPlaces[static_cast<std::size_t>(seed) % kPlaces.size()];
    unit_ = random_.scale(0.15, 0.6);
    spread_ = random_.scale(1, 10);
    thick_ = std::max(0.5, unit_);
  }

  RandomScene make() {
    choose_materials();
    choose_bodies();
    drop_bodies();
    Json bodies = Json::array();
    add_surroundings(bodies);
    for (Json& body : bodies_) bodies.push_back(std::move(body));
    const Json file = {{"carom", 1},
                       {"name", "random" + std::to_string(seed_)},
                       {"description", std::string("Random scene: ") + kPlaceNames[static_cast<std::size_t>(place_)]},
                       {"gravity", {0, 0, -9.81}},
                       {"dt", 1.0 / 60},
                       {"duration", 20},
                       {"materials", materials_},
                       {"bodies", bodies}};
    Result<Scene> scene = parse_scene(file.dump(1), "random scene " + std::to_string(seed_));
    if (!scene) fail(scene.message());
    return {scene.value(), place_, low_, high_, place_ == Place::Drum ? "drum" : ""};
  }

 private:
  static Json list(const Vec3& v) { return {v.x, v.y, v.z}; }
  static Json list(const Quat& q) { return {q.w, q.x, q.y, q.z}; }
  static Json box(const Vec3& size) { return {{"box", {{"size", list(size)}}}}; }

  void choose_materials() {
    const bool bouncy = random_.coin();
    for (const char* name : {"default", "one", "two", "three"})
      materials_[name] = {{"friction", random_.uniform(0, 1)}, {"restitution", bouncy ? random_.uniform(0, 0.5) : 0.0}};
  }

  // ---- Shapes; `size` is about the largest width ----

  static constexpr int kBox = 1, kHull = 6, kCompound = 7;  // the others are round somewhere
  int flat_kind() { return random_.coin() ? kBox : kHull; }

  Json convex(int kind, Real size) {
    const auto part = [&](Real low, Real high) { return size * random_.uniform(low, high); };
    switch (kind) {
      case 0:
        return {{"sphere", {{"radius", 0.5 * size}}}};
      case 1: {
        const Real thin = random_.integer(0, 7) == 0 ? 0.1 : 0.3;
        return box({size, part(0.3, 1), part(thin, 1)});
      }
      case 2:
        return {{"capsule", {{"radius", part(0.15, 0.3)}, {"length", part(0.1, 0.6)}}}};
      case 3:
        return {{"cylinder", {{"radius", part(0.15, 0.5)}, {"height", part(0.15, 0.9)}}}};
      case 4:
        return {{"cone", {{"radius", part(0.2, 0.5)}, {"height", part(0.3, 0.9)}}}};
      case 5:
        return {{"ellipsoid", {{"radii", {part(0.2, 0.5), part(0.2, 0.5), 0.5 * size}}}}};
      default: {
        // Four corners keep it from being flat.
        Json points = Json::array();
        for (const Vec3& p : {Vec3{1, 1, 1}, Vec3{1, -1, -1}, Vec3{-1, 1, -1}, Vec3{-1, -1, 1}})
          points.push_back(list(0.2 * size * p));
        for (int i = random_.integer(0, 16); i > 0; --i) points.push_back(list(part(0.3, 0.5) * random_.unit()));
        return {{"hull", {{"points", points}}}};
      }
    }
  }

  Json shape(int kind, Real size) {
    if (kind < kCompound) return convex(kind, size);
    Json parts = Json::array();
    for (int i = random_.integer(2, 4); i > 0; --i)
      parts.push_back(
          {{"shape", convex(flat_ ? flat_kind() : random_.integer(0, 6), size * random_.uniform(0.35, 0.65))},
           {"position", list(random_.vector(0.25 * size))},
           {"orientation", list(random_.rotation())}});
    return {{"compound", parts}};
  }

  /// A ball about the frame's origin that holds every shape of this size: a box's diagonal, or a compound's farthest
  /// part.
  static Real reach(int kind, Real size) { return kind < kCompound ? 0.87 * size : (0.25 * 1.74 + 0.65 * 0.87) * size; }

  void choose_bodies() {
    // A third of the scenes keep to two kinds, so that each pair of kinds comes up often somewhere. In another third
    // nothing rolls, so that most come to rest.
    const bool few_kinds = seed_ % 3 == 0;
    flat_ = seed_ % 3 == 1;
    const std::array<int, 2> kinds = {random_.integer(0, kCompound), random_.integer(0, kCompound)};
    const int count = random_.integer(5, 40);
    constexpr std::array kMaterials = {"default", "one", "two", "three"};
    for (int i = 0; i < count; ++i) {
      int kind = few_kinds ? kinds[static_cast<std::size_t>(random_.integer(0, 1))] : random_.integer(0, kCompound);
      if (flat_ && kind != kCompound) kind = flat_kind();
      const Real size = unit_ * random_.scale(1 / std::sqrt(spread_), std::sqrt(spread_));
      bodies_.push_back({{"name", "body " + std::to_string(i)},
                         {"shape", shape(kind, size)},
                         {"density", random_.scale(1000 / std::sqrt(10.0), 1000 * std::sqrt(10.0))},
                         {"material", kMaterials[static_cast<std::size_t>(random_.integer(0, 3))]},
                         {"orientation", list(random_.rotation())},
                         {"velocity", list(random_.vector(2 * unit_))},
                         {"angular_velocity", list(random_.vector(3))}});
      reaches_.push_back(reach(kind, size));
    }
  }

  /// Each where its ball is free of the others', as low as a few dozen trials find.
  void drop_bodies() {
    Real area = 0, largest = 0;
    for (const Real r : reaches_) area += 4 * r * r, largest = std::max(largest, r);
    const bool open =
        place_ == Place::Floor || place_ == Place::Slab || place_ == Place::Plough || place_ == Place::Paddle;
    half_ = std::max(1.3 * largest, 0.5 * std::sqrt((open ? 0.6 : 0.3) * area));
    if (place_ == Place::Paddle) half_ = std::max(half_, 4 * largest + thick_);
    std::vector<Vec3> centers;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const Real r = reaches_[i], free = half_ - r;
      Vec3 at{0, 0, 1.05 * r};
      const auto is_free = [&] {
        if (place_ == Place::Paddle && std::abs(at.x) < 0.5 * thick_ + r) return false;
        for (std::size_t k = 0; k < centers.size(); ++k)
          if (norm(at - centers[k]) < 1.02 * (r + reaches_[k])) return false;
        return true;
      };
      do {
        at.x = random_.uniform(-free, free);
        at.y = random_.uniform(-free, free);
        at.z += 0.02 * r;
      } while (!is_free());
      centers.push_back(at);
      height_ = std::max(height_, at.z + r);
      bodies_[i]["position"] = list(at);
    }
  }

  // ---- Floors, walls and what moves, at 0.2 to 1 m/s at most ----

  void add(Json& bodies, const char* name, const char* type, const Json& shape, const Vec3& at,
           const Vec3& velocity = {}, const Vec3& spin = {}) {
    Json body = {{"name", name}, {"type", type}, {"shape", shape}, {"position", list(at)}};
    if (velocity != Vec3{}) body["velocity"] = list(velocity);
    if (spin != Vec3{}) body["angular_velocity"] = list(spin);
    bodies.push_back(body);
  }
  void add_plane(Json& bodies, const char* name, const Vec3& normal, Real offset) {
    add(bodies, name, "fixed", {{"plane", {{"normal", list(normal)}, {"offset", offset}}}}, {});
  }

  /// Four walls and a lid, from below the floor up.
  void add_walls(Json& bodies, Real top) {
    const Real t = thick_, out = half_ + 0.5 * t, wide = 2 * (half_ + t), tall = top + 2 * t;
    add(bodies, "wall -x", "fixed", box({t, wide, tall}), {-out, 0, 0.5 * top});
    add(bodies, "wall +x", "fixed", box({t, wide, tall}), {out, 0, 0.5 * top});
    add(bodies, "wall -y", "fixed", box({wide, t, tall}), {0, -out, 0.5 * top});
    add(bodies, "wall +y", "fixed", box({wide, t, tall}), {0, out, 0.5 * top});
    add(bodies, "lid", "fixed", box({wide, wide, t}), {0, 0, top + 0.5 * t});
    low_ = {-half_, -half_, 0};
    high_ = {half_, half_, top};
  }

  void add_surroundings(Json& bodies) {
    constexpr Real kFar = 1e6;
    const Real t = thick_, top = height_ + 2 * unit_;
    low_ = {-kFar, -kFar, 0};
    high_ = {kFar, kFar, kFar};
    switch (place_) {
      case Place::Floor:
        return add_plane(bodies, "floor", {0, 0, 1}, 0);
      case Place::Slab:
        return add(bodies, "floor", "fixed", box({2000, 2000, t}), {0, 0, -0.5 * t});
      case Place::Room:
        add(bodies, "floor", "fixed", box({2 * half_ + 2 * t, 2 * half_ + 2 * t, t}), {0, 0, -0.5 * t});
        return add_walls(bodies, top);
      case Place::Cell:
        add_plane(bodies, "floor", {0, 0, 1}, 0);
        add_plane(bodies, "wall -x", {1, 0, 0}, -half_);
        add_plane(bodies, "wall +x", {-1, 0, 0}, -half_);
        add_plane(bodies, "wall -y", {0, 1, 0}, -half_);
        add_plane(bodies, "wall +y", {0, -1, 0}, -half_);
        low_ = {-half_, -half_, 0};
        high_ = {half_, half_, kFar};
        return;
      case Place::Plough:
        // Its lower edge is below the floor: nothing can be wedged under it.
        add_plane(bodies, "floor", {0, 0, 1}, 0);
        return add(bodies, "plough", "kinematic", box({t, 3 * half_, 4 * unit_ + t}), {-half_ - 2 * t, 0, 2 * unit_},
                   {random_.uniform(0.2, 1), 0, 0});
      case Place::Paddle:
        add_plane(bodies, "floor", {0, 0, 1}, 0);
        return add(bodies, "paddle", "kinematic", box({t, 2 * half_, 4 * unit_ + t}), {0, 0, 2 * unit_}, {},
                   {0, 0, random_.uniform(0.2, 1) / half_});
      case Place::Turntable:
        add(bodies, "disc", "kinematic", {{"cylinder", {{"radius", 1.5 * half_ + t}, {"height", t}}}}, {0, 0, -0.5 * t},
            {}, {0, 0, random_.uniform(0.2, 1) / half_});
        return add_walls(bodies, top);
      case Place::Lift: {
        const Real speed = random_.uniform(0.02, 0.2);
        add(bodies, "floor", "kinematic", box({2 * half_ + 2 * t, 2 * half_ + 2 * t, t}), {0, 0, -0.5 * t},
            {0, 0, speed});
        return add_walls(bodies, top + 20 * speed);
      }
      case Place::Drum: {
        const Vec3 half{half_, half_, 0.5 * top};
        Json parts = Json::array();
        for (int axis = 0; axis < 3; ++axis)
          for (const Real side : {-1.0, 1.0}) {
            Vec3 size = 2 * half + Vec3{2 * t, 2 * t, 2 * t}, at;
            size[axis] = t;
            at[axis] = side * (half[axis] + 0.5 * t);
            parts.push_back({{"shape", box(size)}, {"position", list(at)}});
          }
        low_ = -half;
        high_ = half;
        return add(bodies, "drum", "kinematic", {{"compound", parts}}, {0, 0, half.z}, {},
                   {random_.uniform(0.2, 1) / std::max(half.y, half.z), 0, 0});
      }
    }
  }

  Random random_;
  int seed_;
  Place place_;
  bool flat_ = false;           // all sides are
  Real unit_ = 0, spread_ = 0;  // m; largest by smallest
  Real thick_ = 0;              // m, of walls
  Real half_ = 0, height_ = 0;  // m, of the space that the bodies start in
  Vec3 low_, high_;
  Json materials_, bodies_ = Json::array();
  std::vector<Real> reaches_;  // m, per body
};

inline RandomScene random_scene(int seed) { return SceneMaker(seed).make(); }

}  // namespace carom::test
