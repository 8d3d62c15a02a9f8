// Blocks that stand on an edge and tip over: onto their other edge, or onto the next block.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "study/kind_scene.h"

namespace carom {
namespace {

/// A block turned by an angle about its lower edge on the side of +x, which is at the origin.
KindBody tipped(const std::string& name, const Vec3& size, Real angle) {
  KindBody block{name, box_shape(size)};
  block.orientation = tilt(angle);
  block.position = -rotate(block.orientation, {0.5 * size.x, 0, -0.5 * size.z});
  return block;
}

/// The slope at a place of the cubic that fits values at 0, 1, 2, … best in the sense of least squares.
Real cubic_slope(std::span<const Real> values, Real place) {
  // In orthogonal polynomials of the places (J. P. Gram), each made from the two before it.
  const Real middle = 0.5 * (static_cast<Real>(values.size()) - 1);
  std::vector<Real> last(values.size(), 0), now(values.size(), 1);
  Real last_at = 0, now_at = 1, last_rate = 0, now_rate = 0;  // of the polynomial at the place, and its slope there
  Real last_square = 1, slope = 0;
  for (int degree = 0; degree <= 3; ++degree) {
    Real square = 0, share = 0;
    for (std::size_t i = 0; i < values.size(); ++i) square += now[i] * now[i], share += now[i] * values[i];
    slope += share / square * now_rate;
    const Real back = degree > 0 ? square / last_square : 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Real next = (static_cast<Real>(i) - middle) * now[i] - back * last[i];
      last[i] = now[i];
      now[i] = next;
    }
    const Real at = (place - middle) * now_at - back * last_at;
    const Real rate = now_at + (place - middle) * now_rate - back * last_rate;
    last_at = now_at, now_at = at, last_rate = now_rate, now_rate = rate;
    last_square = square;
  }
  return slope;
}

/// What the meeting of the other edge with the floor does to a block that rocks.
struct EdgeImpact {
  Real time = 0;               // s
  Real before = 0, after = 0;  // rad/s: at that time
};

/// The parabola through three values, one a step, `steps` after the last of them.
Real extrapolate(Real first, Real second, Real last, Real steps) {
  const Real slope = 1.5 * last - 2 * second + 0.5 * first, bend = last - 2 * second + first;
  return last + steps * (slope + 0.5 * steps * bend);
}

struct Meeting {
  Real closes = 0, acts = 0;  // s: when the edge reaches the floor, and when the collision acts
};

/// If two bodies met in the last step, which close their gap at a speed. That was cut there; or they were so close at
/// its start that they collided before the gap was closed.
std::optional<Meeting> meeting_in_step(const SceneRun& run, std::size_t a, std::size_t b, Real speed) {
  if (const std::vector<Real> cuts = run.hits(a, b); !cuts.empty()) return Meeting{cuts.front(), cuts.front()};
  bool collided = false;
  Real gap = 0;
  for (const ContactRecord& c : run.world().contacts()) {
    if (!run.is_pair(c, a, b) || c.mode == ContactMode::Guard || c.collision_impulse == Vec3{}) continue;
    collided = true;
    gap = std::max(gap, c.gap);
  }
  if (!collided) return {};
  const Real start = run.time() - run.dt();
  return Meeting{start + gap / speed, start};
}

/// In a run with steps. Speeds are those of parabolas through the ends of the three steps before the one in which the
/// edge meets the floor, and of that and two after.
std::optional<EdgeImpact> edge_impact_by_steps(SceneRun& run, Real width, Real patience) {
  std::vector<Real> turning;  // rad/s, at the ends of steps; forwards is what it begins with
  std::optional<Meeting> hit;
  const auto see = [&] { turning.push_back(-run.state(1).angular_velocity.y); };
  const bool finite = run.run_to(patience, [&] {
    see();
    if (turning.size() > 1) hit = meeting_in_step(run, 0, 1, width * turning[turning.size() - 2]);
    return !hit;
  });
  const std::size_t met = turning.size();  // the number of the step
  if (!finite || !hit || met < 4) return {};
  const Real left = (run.time() - hit->acts) / run.dt();  // in steps, at the end of that one
  if (!run.run_to(run.time() + 2 * run.dt(), [&] { return see(), true; }) || turning.size() < met + 2) return {};
  return EdgeImpact{hit->closes, extrapolate(turning[met - 4], turning[met - 3], turning[met - 2], 1 - left),
                    extrapolate(turning[met + 1], turning[met], turning[met - 1], left)};
}

/// From where the block leans, towards the edge that comes down first.
Real lean_of(const BodyState& block) {
  const Vec3 up = rotate(block.orientation, {0, 0, 1});
  return std::atan2(-up.x, up.z);
}

/// From the log of an event-driven run. The block hops on its edge, and its velocity with it; speeds are those of
/// cubics through the angles, which hops hardly change.
std::optional<EdgeImpact> edge_impact_by_events(SceneRun& run, Real patience) {
  constexpr std::size_t kFrames = 16;               // of a cubic
  std::vector<Real> angles{lean_of(run.state(1))};  // at the ends of frames
  std::optional<Real> hit;
  std::size_t frame = 0;  // whose end is the first after the hit
  const bool finite = run.run_to(patience, [&] {
    const BodyState now = run.state(1);
    angles.push_back(lean_of(now));
    for (const ImpactEvent& event : run.world().events()) {
      const bool is_other_edge = rotate(conjugate(now.orientation), event.point - now.position).x < 0;
      if (hit || event.kind != EventKind::Impact || !is_other_edge) continue;
      hit = event.time;
      frame = angles.size() - 1;
    }
    return !hit || angles.size() < frame + 1 + kFrames;
  });
  if (!finite || !hit || frame < kFrames || angles.size() < frame + 1 + kFrames) return {};
  // The frame after the hit is left out: what follows from it is short, but not over at once.
  const auto slope = [&](std::size_t first) {
    const std::span<const Real> seen(&angles[first], kFrames);
    return cubic_slope(seen, *hit / run.dt() - static_cast<Real>(first)) / run.dt();
  };
  EdgeImpact impact;
  impact.time = *hit;
  impact.before = slope(frame - kFrames);
  impact.after = slope(frame + 1);
  return impact;
}

/// A block that rocks from one lower edge to the other (Housner 1963), until it has swung to the other side.
void measure_rocking_block(const KindInput& input, Measurements& out) {
  const Vec3 size{need(input.setup, "width").positive(), need(input.setup, "depth").positive(),
                  need(input.setup, "height").positive()};
  const Real angle0 = need(input.setup, "theta0").positive();
  if (!input.setup.ok()) return;
  KindScene scene = read_kind_scene(input.setup);
  // A suite has steps, which are cut, or hops.
  scene.options = to_impacts(input.suite);
  if (scene.options.empty()) scene.options = small_hops(input.suite);
  scene.duration = 20 * std::sqrt(size.z / std::max(scene.gravity, 1e-2));
  scene.bodies = {floor_body(), tipped("block", size, angle0)};
  scene.bodies[1].mass = need(input.setup, "m").positive();
  SceneRun run(input, scene, out);
  if (!run.ok()) return;
  const std::optional<EdgeImpact> impact =
      run.hops() ? edge_impact_by_events(run, scene.duration) : edge_impact_by_steps(run, size.x, scene.duration);
  if (!impact) return;
  out.add("t_first_impact", impact->time);
  out.add("w_before", impact->before);
  out.add("w_after", impact->after);
  out.add("ratio", impact->after / impact->before);
  Real amplitude = 0;
  const bool swung = run.run_to(scene.duration, [&] {
    const Real lean = lean_of(run.state(1));
    amplitude = std::max(amplitude, lean);
    return lean > 0.9 * amplitude;
  });
  if (swung) out.add("next_amplitude", amplitude);
}

/// A domino just past its balance falls against the next one.
void measure_domino(const KindInput& input, Measurements& out) {
  const Vec3 size{need(input.setup, "thickness").positive(), need(input.setup, "depth").positive(),
                  need(input.setup, "height").positive()};
  const Real gap = need(input.setup, "gap").positive(), angle0 = need(input.setup, "theta0").positive();
  const std::uint64_t count = need(input.setup, "dominoes").natural();
  if (input.setup.ok() && (count < 2 || count > 1000)) need(input.setup, "dominoes").expected("from 2 to 1000");
  if (!input.setup.ok()) return;
  KindScene scene = read_kind_scene(input.setup, need(input.setup, "hit_mu").non_negative());
  scene.options = to_impacts(input.suite);
  scene.duration = 50 * std::sqrt(size.z / std::max(scene.gravity, 1e-2));
  scene.pairs = {{"floor", "default", need(input.setup, "floor_mu").non_negative()}};
  scene.bodies = {floor_body(), tipped("domino[0]", size, angle0)};
  scene.bodies[0].material = "floor";
  scene.bodies[1].angular_velocity = {0, need(input.setup, "w0").number(), 0};
  const Vec3 to_centre = scene.bodies[1].position;
  scene.bodies[1].velocity = cross(scene.bodies[1].angular_velocity, to_centre);
  for (std::uint64_t i = 1; i < count; ++i) {
    KindBody next{"domino[" + std::to_string(i) + "]", box_shape(size)};
    next.position = {static_cast<Real>(i) * (gap + size.x) - 0.5 * size.x, 0, 0.5 * size.z};
    scene.bodies.push_back(next);
  }
  // The motion does not depend on the mass; this is that of a domino.
  for (std::size_t i = 1; i < scene.bodies.size(); ++i) scene.bodies[i].mass = 0.01;
  SceneRun run(input, scene, out);
  if (!run.ok()) return;
  std::vector<Real> turning{run.state(1).angular_velocity.y};
  std::optional<Meeting> hit;
  const bool finite = run.run_to(scene.duration, [&] {
    // The upper edge closes the gap.
    hit = meeting_in_step(run, 1, 2, turning.back() * std::sqrt(std::max(size.z * size.z - gap * gap, 0.0)));
    if (!hit) turning.push_back(run.state(1).angular_velocity.y);
    return !hit;
  });
  if (!finite || !hit || turning.size() < 2) return;
  const Real before = turning[turning.size() - 2], last = turning.back();
  const Real seen = run.time() - run.dt();  // the step with the hit is not among them
  out.add("t_hit", hit->closes);
  out.add("w_before", last + (hit->closes - seen) / run.dt() * (last - before));
}

}  // namespace

std::vector<KindInfo> tip_kinds() {
  return {{"rocking_block", true, measure_rocking_block}, {"domino", true, measure_domino}};
}

}  // namespace carom
