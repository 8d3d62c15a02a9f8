// Ballistic flight: where a body is between two impacts.
//
// B. Mirtich and J. Canny, "Impulse-based dynamic simulation", 1994, section 2: whatever does not collide is on a
// ballistic trajectory. The centre of mass is on a parabola. The angular momentum L is constant, and so are
//   the angular velocity, for a body with three equal moments or one that spins about a principal axis;
//   the rates of turning about L and about its own axis, for a body with two equal moments (L. D. Landau and E. M.
//   Lifshitz, "Mechanics", section 33): both in closed form, exact for any time.
// Any other body is followed by Runge–Kutta steps of fourth order in the rotation vector (H. Munthe-Kaas 1998), which
// keep L and the length of the quaternion exactly; they are so short that ten turns are right to 1e-7 rad or so.
#pragma once

#include <cstdint>

#include "collision/motion.h"
#include "dynamics/state.h"

namespace carom {

/// How a body's inertia lets it turn. Found once for each body.
struct SpinShape {
  enum class Kind : std::uint8_t { Ball, Top, Any };
  Kind kind = Kind::Any;
  Vec3 axis;               ///< of a top: its axis, unit, shape axes
  Real across = 0;         ///< kg m²: of a top, about any axis across that one; of a ball, about any at all
  Real along = 0;          ///< kg m²: of a top, about its axis
  Real smallest = 0;       ///< kg m²: the smallest moment
  Real tumble = 0;         ///< 1/(kg m²): times twice the energy of turning, the largest |ω̇| of a free flight
  bool is_sphere = false;  ///< a sphere about its centre, which looks the same however it turns
};

SpinShape spin_shape(const Body& body);

/// The body where it is, at rest.
Motion motion_at_rest(const Body& body);

/// Where a body's centre goes, and how far the body reaches from it: enough to see that two will not meet, in a fifth
/// of the memory of a flight and its body.
struct Course {
  Vec3 position, velocity, acceleration;
  Real start = 0;   ///< s
  Real radius = 0;  ///< m; infinite for a plane

  Vec3 at(Real time) const {
    const Real elapsed = time - start;
    return position + elapsed * (velocity + (0.5 * elapsed) * acceleration);
  }
};

bool may_meet(const Course& a, const Course& b, Real from, Real to, Real margin);

/// That of a body where it is, at rest.
Course course_at_rest(const Body& body);

class alignas(64) Flight {
 public:
  /// Bytes, from the first on, that any flight is made of: for a sphere there is nothing else.
  static constexpr std::size_t kAlways = 192;

  /// The body leaves as it is now. Kinematic bodies keep their velocity; dynamic ones feel what acts on them.
  void start(const Body& body, const SpinShape& spin, const Vec3& acceleration, const Vec3& torque, Real time);
  /// The body is led to where `end` is after `span`, straight and turning evenly; its velocities change evenly too.
  void lead(const Body& body, const Body& end, Real span, Real time);

  bool is_led() const { return kind_ == Kind::Led; }
  BodyState at(Real time) const;
  Course course(const Body& body) const;
  /// m/s: what it has added to the velocity of its start.
  Vec3 gained_velocity(Real time) const { return velocity(time - start_) - state_.velocity; }
  /// As a search for impacts sees it from `time` on, for no longer than `span`.
  Motion motion(const Body& body, Real time, Real span) const;

 private:
  enum class Kind : std::uint8_t { Even, Top, Any, Led };

  Vec3 velocity(Real elapsed) const;
  BodyState led(Real elapsed) const;
  Quat turned(Real elapsed) const;
  Quat stepped(Real elapsed) const;
  Vec3 spin_velocity(const Quat& orientation, Real elapsed) const;

  // First what every flight needs: `kAlways`.
  Real start_ = 0;
  BodyState state_;  // at the start
  Vec3 acceleration_, torque_;
  Kind kind_ = Kind::Even;
  bool is_sphere_ = false;
  Vec3 momentum_;  // angular, world axes
  Mat3 inverse_inertia_local_;
  Real smallest_ = 0;  // moment of inertia
  Real tumble_ = 0;    // as in SpinShape
  Vec3 precession_;    // of a top, rad/s: about L
  Vec3 axis_;          // of a top, shape axes
  Real own_rate_ = 0;  // of a top, rad/s: about its axis, beside the precession
  BodyState end_;      // of a body that is led
  Real span_ = 0;      // s: how long it is
  Vec3 rate_, turning_rate_;
};

}  // namespace carom
