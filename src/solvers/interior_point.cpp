#include "solvers/interior_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "carom/base/error.h"
#include "math/cone.h"
#include "math/cone_algebra.h"

namespace carom {
namespace {

Real slack(const Vec3& a) { return a.x - std::sqrt(a.y * a.y + a.z * a.z); }

/// P(w^½) v for a w of determinant 1; `sign` −1 gives the inverse.
Vec3 scaled(const Vec3& w, const Vec3& v, Real sign) {
  const Real along = w.y * v.y + w.z * v.z;
  const Real add = sign * v.x + along / (1 + w.x);
  return {w.x * v.x + sign * along, v.y + add * w.y, v.z + add * w.z};
}

/// The largest t with a + t d in Q.
Real longest(const Vec3& a, const Vec3& d) {
  const Real da = cone_determinant(d), ab = a.x * d.x - a.y * d.y - a.z * d.z, aa = cone_determinant(a);
  // Never negative but for rounding: one of d and −d is in Q, or d is in neither and da < 0.
  const Real divisor = std::sqrt(std::max(ab * ab - da * aa, 0.0)) - ab;
  return divisor > 0 ? aa / divisor : std::numeric_limits<Real>::infinity();
}

/// A point at least so far inside Q: its first entry grows.
Vec3 pushed_inside(Vec3 a, Real least) {
  a.x += std::max(least - slack(a), 0.0);
  return a;
}

/// The unit vector of w's tangential part, zero where there is none, and its length.
struct Tangent {
  Real y = 0, z = 0, length = 0;
};
Tangent tangent_of(const Vec3& w) {
  const Real length = std::sqrt(w.y * w.y + w.z * w.z);
  return length > 0 ? Tangent{w.y / length, w.z / length, length} : Tangent{};
}

/// How much of the way to the surface is gone at most: the rest keeps the next step from being short.
constexpr Real kReach = 0.99;
/// Impulses above this many ρ v_ref have less compliance, so that it changes no velocity by more than so many of it.
constexpr Real kLarge = 1000;
/// A step this short gets nowhere.
constexpr Real kShortest = 1e-6;
/// Gondzio's correctors: how many, up to which step, how much longer each is to make it, and between which multiples of
/// τ the eigenvalues of x ∘ s are to be.
constexpr int kCorrectors = 3;
constexpr Real kLongEnough = 0.9, kLonger = 0.3, kLowest = 0.1, kHighest = 10;

}  // namespace

void InteriorPoint::start(const ConeSystem& system, std::span<const Vec3> impulses,
                          const InteriorPointSettings& settings, std::span<const NormalBound> bounds) {
  require(impulses.empty() || impulses.size() == system.contacts.size(),
          "InteriorPoint::start: another number of impulses than of contacts");
  system_ = &system;
  settings_ = settings;
  steps_ = 0;
  Real mean = 0;
  for (const ConeContact& c : system.contacts) mean += c.rho / static_cast<Real>(system.contacts.size());
  const std::size_t count = system.contacts.size();
  cones_.assign(count, {});
  curvatures_.assign(count, {});
  moves_.assign(count, {});
  trial_.assign(count, {});
  shifts_.assign(count, 0);
  impulses_.assign(count, {});
  for (std::size_t i = 0; i < impulses.size(); ++i) impulses_[i] = project_on_cone(impulses[i], system.contacts[i].mu);
  change_.assign(system.free_velocities.size(), {});

  Real push = settings.push > 0 ? settings.push * system.reference_velocity : fitting_push();
  push = std::max(push, worst_miss(system, bounds, impulses_));
  weights_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const ConeContact& c = system.contacts[i];
    Cone& cone = cones_[i];
    weights_.push_back(cone.weight = std::sqrt(c.rho * mean));
    cone.flat = c.mu == 0;
    cone.scale = cone.flat ? 1 : c.mu;
    const Vec3 j = impulses_[i];
    cone.x = cone.flat ? Vec3{j.x, 0, 0} : Vec3{cone.scale * j.x, j.y, j.z};
    // In j_n and u_n the push is then no more than what was asked for, at any μ.
    cone.x = pushed_inside(cone.x, push * c.rho * std::min(cone.scale, 1.0));
    impulses_[i] = {cone.x.x / cone.scale, cone.x.y, cone.x.z};
  }
  system.velocities_after(impulses_, velocities_);
  bounds_.start(system, bounds, weights_, velocities_, push);
  hessian_.analyse(system, bounds_.rows());
  find_velocities();
  for (std::size_t i = 0; i < count; ++i) {
    Cone& cone = cones_[i];
    const Vec3 u = ConeSystem::velocity(system.contacts[i], balanced_);
    cone.s = cone.flat ? Vec3{u.x, 0, 0} : Vec3{u.x / cone.scale, u.y, u.z};
    cone.s = pushed_inside(cone.s, push * std::min(1 / cone.scale, 1.0));
  }
  refresh();
}

/// The better a start, the nearer to the surface it may stay; too near, and the first steps are short.
Real InteriorPoint::fitting_push() {
  constexpr Real kShare = 1, kLeast = 0.03, kMost = 10;
  system_->velocities_after(impulses_, velocities_);
  Real residual = 0;
  for (std::size_t i = 0; i < impulses_.size(); ++i) {
    const ConeContact& c = system_->contacts[i];
    residual = std::max(residual, convex_residual(c, impulses_[i], ConeSystem::velocity(c, velocities_)));
  }
  return std::clamp(kShare * residual, kLeast * system_->reference_velocity, kMost * system_->reference_velocity);
}

void InteriorPoint::set_shifts(std::span<const Real> shifts) {
  require(shifts.empty() || shifts.size() == shifts_.size(),
          "InteriorPoint::set_shifts: another number of shifts than of contacts");
  if (shifts.empty())
    std::fill(shifts_.begin(), shifts_.end(), 0);
  else
    std::copy(shifts.begin(), shifts.end(), shifts_.begin());
  refresh();
}

bool InteriorPoint::step() {
  if (cones_.empty() || !scale_cones() || !bounds_.factor(*system_, curvatures_, hessian_)) return false;
  ++steps_;
  predict();
  const Real rest = 1 - std::min(longest_, 1.0);
  correct(rest * rest * rest * gap_);
  improve(rest * rest * rest * gap_);
  const Real length = std::min(kReach * longest_, 1.0);
  if (!(length >= kShortest)) return false;
  advance(length);
  refresh();
  return true;
}

/// The scaling of each cone, and the curvature that it gives. False where rounding has put a point outside its cone.
bool InteriorPoint::scale_cones() {
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    Cone& cone = cones_[i];
    const Real det_x = cone_determinant(cone.x), det_s = cone_determinant(cone.s);
    if (!(det_x > 0 && det_s > 0 && cone.x.x > 0 && cone.s.x > 0)) return false;
    const Real root_x = std::sqrt(det_x), root_s = std::sqrt(det_s);
    const Vec3 x = cone.x / root_x, s = cone.s / root_s;
    const Real half = 0.5 / std::sqrt(0.5 * (1 + dot(x, s)));
    cone.w = {half * (x.x + s.x), half * (x.y - s.y), half * (x.z - s.z)};
    cone.eta = std::sqrt(root_x / root_s);
    cone.lambda = cone.eta * scaled(cone.w, cone.s, 1);

    // In the plane of the axis and of w, then across it. The determinant is known in closed form: nothing cancels.
    const Tangent t = tangent_of(cone.w);
    const Real h = root_s / root_x, mu = cone.scale, r = cone.compliance;
    const Real normal = mu * mu * h * (2 * cone.w.x * cone.w.x - 1), slip = h * (2 * t.length * t.length + 1);
    const Real det = mu * mu * h * h + r * (normal + slip) + r * r;
    Mat3& d = curvatures_[i];
    d = {};
    d(0, 0) = (slip + r) / det;
    if (cone.flat) continue;
    const Real mixed = 2 * mu * h * cone.w.x * t.length / det, across = 1 / (h + r);
    const Real along = (normal + r) / det - across;
    d(0, 1) = d(1, 0) = mixed * t.y;
    d(0, 2) = d(2, 0) = mixed * t.z;
    d(1, 1) = across + along * t.y * t.y;
    d(2, 2) = across + along * t.z * t.z;
    d(1, 2) = d(2, 1) = along * t.y * t.z;
  }
  return true;
}

/// Straight at x ∘ s = 0.
void InteriorPoint::predict() {
  for (std::size_t i = 0; i < cones_.size(); ++i) moves_[i].change = -cones_[i].lambda;
  bounds_.want(0, false, bound_moves_);
  longest_ = solve(moves_, bound_moves_);
}

/// At the point τ of the path, with what the predictor's parts multiply to taken into account.
void InteriorPoint::correct(Real tau) {
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    const Vec3 second = jordan_product(moves_[i].dx, moves_[i].ds);
    const Vec3 right{tau * cones_[i].weight - second.x, -second.y, -second.z};
    moves_[i].change = jordan_quotient(right, cones_[i].lambda) - cones_[i].lambda;
  }
  bounds_.want(tau, true, bound_moves_);
  longest_ = solve(moves_, bound_moves_);
}

/// While the step is short: a little further along, products x ∘ s that stray from the path are called back.
void InteriorPoint::improve(Real tau) {
  // Below a thousandth of the gap there is nothing to steer by.
  const Real level = std::max(tau, 1e-3 * gap_);
  for (int k = 0; k < kCorrectors && kReach * longest_ < kLongEnough; ++k) {
    const Real reach = std::min(kReach * longest_ + kLonger, 1.0);
    for (std::size_t i = 0; i < cones_.size(); ++i) {
      const Vec3& lambda = cones_[i].lambda;
      const Vec3 v = jordan_product(lambda + reach * moves_[i].dx, lambda + reach * moves_[i].ds);
      const Real target = level * cones_[i].weight;
      const auto missing = [target](Real eigenvalue) {
        return std::max(std::clamp(eigenvalue, kLowest * target, kHighest * target) - eigenvalue, -kHighest * target);
      };
      const Tangent t = tangent_of(v);
      const Real high = missing(v.x + t.length), low = missing(v.x - t.length), apart = 0.5 * (high - low);
      trial_[i].change = moves_[i].change + jordan_quotient({0.5 * (high + low), apart * t.y, apart * t.z}, lambda);
    }
    bounds_.call_back(level, reach, kLowest, kHighest, bound_moves_, bound_trial_);
    const Real longer = solve(trial_, bound_trial_), gain = longer - longest_;
    if (gain > 0) {
      std::swap(moves_, trial_);
      std::swap(bound_moves_, bound_trial_);
      longest_ = longer;
    }
    if (gain < kLowest * kLonger) break;
  }
}

/// The direction with the changes asked for. Returns how far it goes before it leaves a cone; 0 if it is no number.
Real InteriorPoint::solve(std::vector<Move>& moves, BoundPath::Moves& bound_moves) {
  std::fill(change_.begin(), change_.end(), Vec6{});
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    Cone& cone = cones_[i];
    const Vec3 s = scaled(cone.w, moves[i].change, -1) / cone.eta;
    cone.target = Vec3{cone.scale * s.x, s.y, s.z} + cone.lag;
    ConeSystem::add_impulse(system_->contacts[i], curvatures_[i] * cone.target, change_);
  }
  bounds_.solve(hessian_, change_, bound_moves);
  Real length = bounds_.longest(bound_moves);
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    const Cone& cone = cones_[i];
    const ConeContact& c = system_->contacts[i];
    Vec3 du = ConeSystem::velocity(c, change_) - c.bias;
    if (cone.flat) du.y = du.z = 0;
    const Vec3 dj = curvatures_[i] * (cone.target - du);
    split(cone, c.rho, dj, du + cone.compliance * dj - cone.lag, moves[i]);
    const Real reach = std::min(longest(cone.lambda, moves[i].dx), longest(cone.lambda, moves[i].ds));
    if (!std::isfinite(squared_norm(moves[i].x) + squared_norm(moves[i].s))) return 0;
    length = std::min(length, reach);
  }
  return length;
}

/// Δx and Δs from Δj and TΔs, with dx + ds = change. Each of the two is exact to rounding in the directions where Θ is
/// large or small only: near the cone's surface the other's error, times the root of Θ, would drown the distance to it.
/// So in each eigenspace of Θ one is taken and the other one follows.
void InteriorPoint::split(const Cone& cone, Real rho, const Vec3& dj, const Vec3& du, Move& move) {
  const Tangent t = tangent_of(cone.w);
  const Vec3 x{cone.scale * dj.x, dj.y, dj.z}, s{du.x / cone.scale, du.y, du.z}, sum = move.change;
  move.dx = move.ds = move.x = move.s = {};
  // `root` is the eigenvalue of Θ^½; parts are along the unit vector `axis`.
  const auto take = [&](Real root, const Vec3& axis) {
    const Real of_x = dot(x, axis), of_s = dot(s, axis), of_sum = dot(sum, axis);
    const bool x_leads = root * root > rho;
    const Real dx = x_leads ? of_x / root : of_sum - root * of_s;
    const Real ds = x_leads ? of_sum - of_x / root : root * of_s;
    move.dx += dx * axis;
    move.ds += ds * axis;
    move.x += (x_leads ? of_x : root * dx) * axis;
    move.s += (x_leads ? ds / root : of_s) * axis;
  };
  const Real stretch = cone.w.x + t.length;
  if (t.length > 0) {
    constexpr Real kHalfRoot = 0.70710678118654752440;
    take(cone.eta * stretch, {kHalfRoot, kHalfRoot * t.y, kHalfRoot * t.z});
    take(cone.eta / stretch, {kHalfRoot, -kHalfRoot * t.y, -kHalfRoot * t.z});
    take(cone.eta, {0, -t.z, t.y});
  } else {
    take(cone.eta, {1, 0, 0});
    take(cone.eta, {0, 1, 0});
    take(cone.eta, {0, 0, 1});
  }
}

void InteriorPoint::advance(Real length) {
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    Cone& cone = cones_[i];
    cone.x += length * moves_[i].x;
    cone.s += length * moves_[i].s;
    impulses_[i] = {cone.x.x / cone.scale, cone.x.y, cone.x.z};
  }
  bounds_.advance(bound_moves_, length);
  find_velocities();
}

/// v̂ and y, from impulses and multipliers.
void InteriorPoint::find_velocities() {
  system_->velocities_after(impulses_, velocities_);
  balanced_ = velocities_;
  bounds_.balance(balanced_);
}

/// What follows from impulses, velocities and shifts.
void InteriorPoint::refresh() {
  residual_ = bounds_.measure(velocities_);
  bounds_.want(0, false, bound_moves_);
  gap_ = bounds_.gap_after(bound_moves_, 0);
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    Cone& cone = cones_[i];
    const ConeContact& c = system_->contacts[i];
    Vec3 u = ConeSystem::velocity(c, balanced_);
    u.x += shifts_[i];
    const Real residual = convex_residual(c, impulses_[i], u);
    // A residual that is not a number is taken and kept.
    if (!(residual <= residual_) && !std::isnan(residual_)) residual_ = residual;
    cone.compliance =
        settings_.compliance / std::max(c.rho, norm(impulses_[i]) / (kLarge * system_->reference_velocity));
    if (!settings_.proximal) u += cone.compliance * impulses_[i];
    if (cone.flat) u.y = u.z = 0;
    cone.lag = Vec3{cone.scale * cone.s.x, cone.s.y, cone.s.z} - u;
    gap_ += dot(cone.x, cone.s) / cone.weight;
  }
  if (!cones_.empty()) gap_ /= static_cast<Real>(cones_.size() + bound_moves_.size());
}

}  // namespace carom
