// Contacts by impulses that undo what is predicted for the end of the step.
//
// J. Bender, A. Schmitt, "Constraint-based collision and contact handling using impulses", 2006, contact handling. The
// points of a contact are followed to the end of the step: centres of mass along their velocities, the arms r and the
// normal n by ṙ = ω × r, ṅ = ω × n, integrated by the fourth-order Runge–Kutta method. With d the vector from a's point
// to b's there, and γ what the gap allows,
//   d_n = n⁺·d + γ,   d_t = d − (n⁺·d) n⁺.
// Contact by contact and over and over, all others held, the impulse that undoes them: the normal one (−d_n/dt) /
// (nᵀ K n), never negative in sum; a contact whose drift can be undone by friction within μ_s times the normal sum is
// static, and is so until the sum gets too large; else friction acts against the slip. The loop ends when no visit
// changes more than the tolerance: no d_n < 0, no d_n > 0 under an impulse, no d_t of a static contact is left.
// Optionally shock propagation (level_passes.h) after the last pass.
//
// Departures. Forces come before contacts in Carom's step, and overlaps are the
// business of the position stage, so γ is what the step's targets allow. The points of round bodies do not turn with
// them (`Turning`): a rolling ball would sink by R (ω dt)²/2 in every step. Gap and drift of a contact are undone
// together by Coulomb's law (local.h). The paper's way, the normal impulse first and then friction, with marks for
// static contacts, is `literal_friction`; a sliding contact's friction is also there the whole of μ j_n, where the
// paper adds up μ Δj_n over directions that may change. It needs ten times the passes to hold a cube on a slope, or
// finds a solution of Coulomb's law in which it turns. Known failure: information travels one body a pass, so tall
// stacks and large mass ratios need many.
#include "dynamics/bender.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "carom/contact/measures.h"
#include "contact/rows.h"
#include "dynamics/level_passes.h"
#include "dynamics/swept_contacts.h"
#include "solvers/local.h"

namespace carom {
namespace {

/// r⁺ − r − dt ω × r by the Runge–Kutta method of fourth order, `turn` = dt ω. For ṙ = ω × r its four stages add up to
/// the exponential series up to the fourth power. Beyond a radian that says nothing, and so does this.
Vec3 beyond_linear(const Vec3& turn, const Vec3& r) {
  if (squared_norm(turn) > 1) return {};
  const Vec3 second = cross(turn, cross(turn, r));
  const Vec3 third = cross(turn, second);
  return second / 2 + third / 6 + cross(turn, third) / 24;
}

/// True for shapes whose points of contact belong to them: corners, edges and faces.
bool has_corners(const Shape& shape) {
  if (const auto* compound = std::get_if<Compound>(&shape.geometry()))
    return std::all_of(compound->parts->begin(), compound->parts->end(),
                       [](const CompoundPart& part) { return has_corners(*part.shape); });
  return std::holds_alternative<Box>(shape.geometry()) || std::holds_alternative<Hull>(shape.geometry()) ||
         std::holds_alternative<Plane>(shape.geometry());
}

/// The part of a contact's arm that turns with the body: all of it at corners, the way to the centre of a ball, nothing
/// for other round shapes, whose point of contact rolls over them.
Vec3 turning_arm(const Body& body, const Vec3& arm) {
  if (has_corners(*body.shape)) return arm;
  return std::holds_alternative<Sphere>(body.shape->geometry()) ? body.shape_position() - body.position : Vec3{};
}

/// The body that the contact's normal belongs to: one with faces, the first if both have them; −1 if none has.
std::int32_t normal_owner(const WorldState& world, const ContactPoint& contact) {
  if (has_corners(*world.at(contact.a).shape)) return contact.a;
  return has_corners(*world.at(contact.b).shape) ? contact.b : -1;
}

class BenderContacts final : public SweptContacts {
 public:
  explicit BenderContacts(const BenderOptions& options) : SweptContacts(options.warm_start), options_(options) {}

 private:
  void sweep(StepContext& step) override {
    dt_ = step.dt;
    find_arms(*step.world);
    iterate(step.threads);
  }

  /// What turns of a contact: the arms' parts that are fixed to the bodies, and the body that the normal belongs to.
  struct Arms {
    Vec3 a, b;
    std::int32_t normal_of = -1;
  };
  /// What the prediction adds to a contact's velocity, in its frame.
  struct Prediction {
    Vec3 normal{1, 0, 0};  // n⁺
    Vec3 velocity;         // of the points, beyond the linear one
  };

  void find_arms(const WorldState& world) {
    arms_.assign(packed_.contacts.size(), {});
    if (options_.prediction == ContactPrediction::Linear) return;
    const bool literal = options_.prediction == ContactPrediction::Literal;
    for (std::size_t k = 0; k < arms_.size(); ++k) {
      const ContactPoint& c = contact(k);
      const Body &a = world.at(c.a), &b = world.at(c.b);
      // A face under something that rolls is touched elsewhere at the end of the step: no point of it is followed.
      const bool rolls = !literal && (!has_corners(*a.shape) || !has_corners(*b.shape));
      const auto turning = [&](const Body& body, const Vec3& arm) {
        return literal ? arm : rolls && has_corners(*body.shape) ? Vec3{} : turning_arm(body, arm);
      };
      arms_[k] = {turning(a, c.ra), turning(b, c.rb), literal ? c.a : normal_owner(world, c)};
    }
  }

  void iterate(ThreadPool* threads) {
    given_ = &problem_;
    sticks_.assign(packed_.contacts.size(), 0);
    const Real allowed = options_.tolerance * reference_velocity(problem_);
    SolveReport& report = solution_.report;
    while (report.iterations < options_.iterations && !report.converged) {
      const Real left = packed_.schedule.sweep(threads, [this](std::size_t group) { return visit(group); });
      ++report.iterations;
      report.converged = left <= allowed;
    }
    if (report.converged || !options_.shock) {
      packed_.unpack(problem_, solution_);
      return;
    }
    levels_.build(problem_, packed_);
    given_ = &levels_.below();
    levels_.propagate(problem_, packed_, solution_, [&](std::size_t level) {
      Real left = 2 * allowed;
      for (int pass = 0; pass < options_.iterations && left > allowed; ++pass) {
        left = 0;
        for (const std::size_t group : levels_.groups(level)) left = std::max(left, visit(group));
      }
    });
  }

  /// One visit to a pair of bodies; the largest error found there, as a velocity.
  Real visit(std::size_t group) {
    PairVelocity pair(packed_, group);
    const ContactGroup& range = packed_.schedule.groups()[group];
    const Vec3 turn_a = turn_of_body(range.a, range.a_moves), turn_b = turn_of_body(range.b, range.b_moves);
    // Half the square of a turn is what it adds: nothing, against rounding, where bodies hardly turn.
    constexpr Real kNoTurn = 1e-16;
    const bool turns = squared_norm(turn_a) > kNoTurn || squared_norm(turn_b) > kNoTurn;
    Real largest = 0;
    for (auto k = static_cast<std::size_t>(range.first); k < static_cast<std::size_t>(range.last); ++k) {
      const PackedContact& c = packed_.contacts[k];
      if (!(c.w(0, 0) > 0)) continue;
      const Prediction ahead = turns ? predict(k, turn_a, turn_b) : Prediction{};
      largest = std::max(largest, correct(k, ahead, pair));
    }
    pair.store(packed_.bodies);
    return largest;
  }

  Vec3 turn_of_body(std::int32_t body, bool moves) const {
    const auto i = static_cast<std::size_t>(body);
    return dt_ * (moves ? packed_.bodies.root_inertia[i] * packed_.bodies.velocities[i].angular
                        : given_->bodies[i].angular_velocity);
  }

  Prediction predict(std::size_t k, const Vec3& turn_a, const Vec3& turn_b) const {
    const ContactPoint& c = contact(k);
    const Arms& arms = arms_[k];
    Prediction ahead;
    ahead.velocity = to_frame(c, (beyond_linear(turn_b, arms.b) - beyond_linear(turn_a, arms.a)) / dt_);
    if (arms.normal_of < 0) return ahead;
    const Vec3& turn = arms.normal_of == c.a ? turn_a : turn_b;
    if (squared_norm(turn) > 1) return ahead;
    ahead.normal = to_frame(c, c.normal + cross(turn, c.normal) + beyond_linear(turn, c.normal));
    return ahead;
  }

  /// Predicted for the end of the step, each divided by dt: d_n, and d_t along the tangents.
  Vec3 predicted_error(std::size_t k, const Prediction& ahead, const PairVelocity& pair) const {
    const Vec3 target = target_of(contact(k));
    const Vec3 d = pair.at(packed_.contacts[k]) + target + ahead.velocity;
    const Real along = dot(ahead.normal, d);
    return Vec3{along, d.y - along * ahead.normal.y, d.z - along * ahead.normal.z} - target;
  }

  /// One visit to a contact; how much it has changed its velocity.
  Real correct(std::size_t k, const Prediction& ahead, PairVelocity& pair) {
    const PackedContact& c = packed_.contacts[k];
    Vec3& j = packed_.impulses[k];
    const Vec3 before = j;
    const Vec3 error = predicted_error(k, ahead, pair);
    if (!options_.literal_friction) {
      if (error.x >= 0 && j == Vec3{}) return 0;  // open, and stays open
      j = solve_contact(c, error, j);
      pair.add(c, j - before);
    } else {
      j.x = std::max(j.x - error.x / c.w(0, 0), 0.0);
      pair.add(c, {j.x - before.x, 0, 0});
      if (c.mu_static > 0 && j != Vec3{}) rub(k, ahead, pair);
    }
    return norm(j - before) * c.w.trace() / 3;
  }

  /// Friction for the normal impulse that has just been found.
  void rub(std::size_t k, const Prediction& ahead, PairVelocity& pair) {
    const PackedContact& c = packed_.contacts[k];
    Vec3& j = packed_.impulses[k];
    const Vec3 before = j;
    const Vec3 drift = predicted_error(k, ahead, pair);
    const Vec3 stopped = j + stop(c, {0, drift.y, drift.z});
    if (friction(stopped) <= c.mu_static * j.x) {
      sticks_[k] = 1;
      j = stopped;
    } else {
      const Vec3 slowed = j + stop(c, {0, pair.along(c, 1), pair.along(c, 2)});
      j = sticks_[k] != 0 ? on_cone(stopped, c.mu) : slide(c, j, slowed);
      sticks_[k] = 0;
    }
    pair.add(c, j - before);
  }

  /// The impulse against a slip that stops it.
  static Vec3 stop(const PackedContact& c, const Vec3& slip) {
    const Real squared = squared_norm(slip);
    return squared > 0 ? -squared / dot(slip, c.w * slip) * slip : Vec3{};
  }

  /// From `j` towards the impulse that stops the slip, as far as the cone goes.
  static Vec3 slide(const PackedContact& c, const Vec3& j, const Vec3& stopped) {
    const Real most = c.mu * j.x;
    if (friction(stopped) <= most) return stopped;
    if (friction(j) >= most) return on_cone(stopped, c.mu);
    // |j_t + s d_t| = μ j_n for the one s in [0, 1].
    const Vec3 d = stopped - j;
    const Real dd = squared_norm(d), jd = dot(j, d), room = most * most - (j.y * j.y + j.z * j.z);
    return on_cone(j + (std::sqrt(jd * jd + dd * room) - jd) / dd * d, c.mu);
  }

  static Real friction(const Vec3& j) { return std::sqrt(j.y * j.y + j.z * j.z); }
  /// With the friction that goes with its normal impulse.
  static Vec3 on_cone(const Vec3& j, Real mu) {
    const Real size = friction(j);
    const Real scale = size > 0 ? mu * j.x / size : 0;
    return {j.x, scale * j.y, scale * j.z};
  }

  BenderOptions options_;
  Real dt_ = 0;
  const ContactProblem* given_ = nullptr;  // with the velocities of bodies that take no impulses
  LevelPasses levels_;
  std::vector<Arms> arms_;    // per packed contact
  std::vector<char> sticks_;  // per packed contact: marked static
};

}  // namespace

std::unique_ptr<ContactStage> make_bender_contacts(const BenderOptions& options) {
  return std::make_unique<BenderContacts>(options);
}

}  // namespace carom
