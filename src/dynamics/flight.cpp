#include "dynamics/flight.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <variant>

#include "math/symmetric.h"
#include "math/trig.h"

namespace carom {
namespace {

constexpr Real kEqual = 1e-12;     // of the largest moment: two that differ by less are equal
constexpr Real kStepAngle = 0.02;  // rad: a body of general inertia is followed by steps as long as this
constexpr int kMostSteps = 100'000;

}  // namespace

SpinShape spin_shape(const Body& body) {
  SpinShape spin;
  const Mat3& inertia = body.inertia_local;
  const Vec3 moments = principal_moments(inertia);
  const Real equal = kEqual * moments.z;
  spin.smallest = moments.x;
  const Vec3 unit{1, 0, 0};
  spin.tumble = most_tumble(inertia, unit) / dot(unit, inertia * unit);
  spin.is_sphere = std::holds_alternative<Sphere>(body.shape->geometry()) && body.center_local == Vec3{};
  if (moments.z - moments.x <= equal) {
    spin.kind = SpinShape::Kind::Ball;
    spin.across = spin.along = inertia.trace() / 3;
    return spin;
  }
  const bool disk = moments.y - moments.x <= equal;  // the odd moment is the largest one
  if (!disk && moments.z - moments.y > equal) return spin;
  spin.kind = SpinShape::Kind::Top;
  spin.along = disk ? moments.z : moments.x;
  spin.across = 0.5 * (inertia.trace() - spin.along);
  // I = across 1 + (along − across) u uᵀ: the largest column of the second part shows u.
  const Mat3 outer = (1 / (spin.along - spin.across)) * (inertia + (-spin.across) * Mat3::identity());
  int largest = 0;
  for (int i = 1; i < 3; ++i)
    if (outer(i, i) > outer(largest, largest)) largest = i;
  spin.axis = normalized(outer.column(largest));
  return spin;
}

void Flight::start(const Body& body, const SpinShape& spin, const Vec3& acceleration, const Vec3& torque, Real time) {
  static_assert(offsetof(Flight, momentum_) <= kAlways, "what every flight needs comes first, and is prefetched");
  start_ = time;
  state_ = {body.position, body.orientation, body.velocity, body.angular_velocity};
  is_sphere_ = spin.is_sphere;
  acceleration_ = acceleration;
  torque_ = torque;
  kind_ = Kind::Even;
  const bool turns = body.angular_velocity != Vec3{} && spin.kind != SpinShape::Kind::Ball;
  if (body.type != BodyType::Dynamic || (torque == Vec3{} && !turns)) return;
  inverse_inertia_local_ = body.inverse_inertia_local;
  smallest_ = spin.smallest;
  tumble_ = spin.tumble;
  momentum_ = body.inertia() * body.angular_velocity;
  kind_ = Kind::Any;
  if (torque != Vec3{} || spin.kind != SpinShape::Kind::Top) return;
  kind_ = Kind::Top;
  axis_ = spin.axis;
  precession_ = momentum_ / spin.across;
  own_rate_ = (1 / spin.along - 1 / spin.across) * dot(momentum_, body.rotation * axis_);
}

void Flight::lead(const Body& body, const Body& end, Real span, Real time) {
  start_ = time;
  state_ = {body.position, body.orientation, body.velocity, body.angular_velocity};
  end_ = {end.position, end.orientation, end.velocity, end.angular_velocity};
  span_ = span;
  rate_ = (end.position - body.position) / span;
  turning_rate_ = turn_between(body.orientation, end.orientation) / span;
  acceleration_ = {};
  torque_ = {};
  kind_ = Kind::Led;
}

Vec3 Flight::velocity(Real elapsed) const {
  if (kind_ != Kind::Led) return state_.velocity + elapsed * acceleration_;
  if (elapsed == span_) return end_.velocity;
  return state_.velocity + (elapsed / span_) * (end_.velocity - state_.velocity);
}

BodyState Flight::led(Real elapsed) const {
  if (elapsed == span_) return end_;
  const Real share = elapsed / span_;
  return {state_.position + elapsed * rate_, normalized(rotation(elapsed * turning_rate_) * state_.orientation),
          velocity(elapsed), state_.angular_velocity + share * (end_.angular_velocity - state_.angular_velocity)};
}

Vec3 Flight::spin_velocity(const Quat& orientation, Real elapsed) const {
  const Mat3 r = to_matrix(orientation);
  return r * (inverse_inertia_local_ * transposed_times(r, momentum_ + elapsed * torque_));
}

Quat Flight::stepped(Real elapsed) const {
  // No angular velocity is larger than that of the same energy about the axis of the smallest moment.
  const Real momentum = norm(momentum_) + elapsed * norm(torque_);
  const Real angle = elapsed * momentum / smallest_;
  const int steps = static_cast<int>(std::clamp(std::ceil(angle / kStepAngle), 1.0, Real{kMostSteps}));
  const Real h = elapsed / steps;
  Quat q = state_.orientation;
  for (int i = 0; i < steps; ++i) {
    const Real t = i * h;
    const Vec3 k1 = h * spin_velocity(q, t);
    const Vec3 k2 = h * spin_velocity(rotation(0.5 * k1) * q, t + 0.5 * h);
    const Vec3 k3 = h * spin_velocity(rotation(0.5 * k2 - 0.125 * cross(k1, k2)) * q, t + 0.5 * h);
    const Vec3 k4 = h * spin_velocity(rotation(k3) * q, t + h);
    const Vec3 turn = (1.0 / 6) * (k1 + 2 * k2 + 2 * k3 + k4 + 0.5 * cross(k4, k1));
    q = normalized(rotation(turn) * q);
  }
  return q;
}

Quat Flight::turned(Real elapsed) const {
  switch (kind_) {
    case Kind::Even:
    case Kind::Led:  // not asked
      if (state_.angular_velocity == Vec3{}) return state_.orientation;
      return normalized(rotation(elapsed * state_.angular_velocity) * state_.orientation);
    case Kind::Top:
      return normalized(rotation(elapsed * precession_) * state_.orientation * rotation((elapsed * own_rate_) * axis_));
    case Kind::Any:
      break;
  }
  return stepped(elapsed);
}

BodyState Flight::at(Real time) const {
  const Real elapsed = time - start_;
  if (elapsed == 0) return state_;
  if (kind_ == Kind::Led) return led(elapsed);
  BodyState now;
  now.position = state_.position + elapsed * (state_.velocity + (0.5 * elapsed) * acceleration_);
  now.velocity = velocity(elapsed);
  now.orientation = turned(elapsed);
  now.angular_velocity = kind_ == Kind::Even ? state_.angular_velocity : spin_velocity(now.orientation, elapsed);
  return now;
}

bool may_meet(const Course& a, const Course& b, Real from, Real to, Real margin) {
  return may_come_within(a.radius + b.radius + margin, b.at(from) - a.at(from), b.at(to) - a.at(to),
                         b.acceleration - a.acceleration, to - from);
}

Course course_at_rest(const Body& body) {
  const bool plane = std::holds_alternative<Plane>(body.shape->geometry());
  return {body.position, {}, {}, 0, plane ? std::numeric_limits<Real>::infinity() : body.radius};
}

Course Flight::course(const Body& body) const {
  return {state_.position, kind_ == Kind::Led ? rate_ : state_.velocity, acceleration_, start_, body.radius};
}

Motion motion_at_rest(const Body& body) {
  Motion motion;
  motion.geometry = &body.shape->geometry();
  motion.polyhedron = body.shape->polyhedron();
  motion.position = body.position;
  motion.orientation = body.orientation;
  motion.center_local = body.center_local;
  motion.radius = body.radius;
  return motion;
}

Motion Flight::motion(const Body& body, Real time, Real span) const {
  const BodyState now = at(time);
  Motion motion = motion_at_rest(body);
  motion.position = now.position;
  motion.orientation = now.orientation;
  motion.velocity = now.velocity;
  motion.acceleration = acceleration_;
  if (kind_ == Kind::Led) motion.velocity = rate_;
  if (is_sphere_) return motion;
  if (kind_ == Kind::Led) {
    motion.angular_velocity = turning_rate_;
    return motion;
  }
  motion.angular_velocity = now.angular_velocity;
  if (kind_ == Kind::Top) motion.tumble = norm(cross(precession_, now.angular_velocity));
  if (kind_ == Kind::Any && torque_ == Vec3{}) motion.tumble = tumble_ * dot(now.angular_velocity, momentum_);
  if (kind_ == Kind::Any && torque_ != Vec3{}) {
    const Real fastest = (norm(momentum_ + (time - start_) * torque_) + span * norm(torque_)) / smallest_;
    motion.tumble = tumble_ * smallest_ * fastest * fastest + norm(torque_) / smallest_;
  }
  return motion;
}

}  // namespace carom
