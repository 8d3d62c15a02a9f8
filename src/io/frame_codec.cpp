#include "io/frame_codec.h"

#include <cstdint>

#include "base/bytes.h"
#include "io/number_table.h"

namespace carom {
namespace {

NumberRow<13> to_row(const BodyState& s) {
  const Vec3 &x = s.position, &v = s.velocity, &w = s.angular_velocity;
  const Quat& q = s.orientation;
  return {x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z};
}

BodyState to_state(const NumberRow<13>& r) {
  return {{r[0], r[1], r[2]}, {r[3], r[4], r[5], r[6]}, {r[7], r[8], r[9]}, {r[10], r[11], r[12]}};
}

NumberRow<13> to_row(const FrameContact& c) {
  const Vec3 &p = c.point, &n = c.normal, &j = c.impulse, &k = c.collision_impulse;
  return {p.x, p.y, p.z, n.x, n.y, n.z, c.gap, j.x, j.y, j.z, k.x, k.y, k.z};
}

void set_numbers(FrameContact& c, const NumberRow<13>& r) {
  c.point = {r[0], r[1], r[2]};
  c.normal = {r[3], r[4], r[5]};
  c.gap = r[6];
  c.impulse = {r[7], r[8], r[9]};
  c.collision_impulse = {r[10], r[11], r[12]};
}

// Counts are doubles here too: they are exact up to 2⁵³.
NumberRow<24> to_row(const StepReport& s) {
  return {s.time,
          static_cast<double>(s.contacts),
          static_cast<double>(s.active_contacts),
          static_cast<double>(s.frozen),
          s.seconds.detect,
          s.seconds.collisions,
          s.seconds.contacts,
          s.seconds.positions,
          s.seconds.total,
          s.kinetic_energy,
          s.potential_energy,
          s.external_work,
          s.momentum.x,
          s.momentum.y,
          s.momentum.z,
          s.momentum_error,
          s.max_penetration,
          s.residual_model,
          s.residual_coulomb,
          s.rms_coulomb,
          s.approach_left,
          static_cast<double>(s.iterations),
          s.converged ? 1.0 : 0.0,
          s.finite ? 1.0 : 0.0};
}

StepReport to_report(const NumberRow<24>& r) {
  StepReport s;
  s.time = r[0];
  s.contacts = static_cast<std::int64_t>(r[1]);
  s.active_contacts = static_cast<std::int64_t>(r[2]);
  s.frozen = static_cast<std::int64_t>(r[3]);
  s.seconds = {r[4], r[5], r[6], r[7], r[8]};
  s.kinetic_energy = r[9];
  s.potential_energy = r[10];
  s.external_work = r[11];
  s.momentum = {r[12], r[13], r[14]};
  s.momentum_error = r[15];
  s.max_penetration = r[16];
  s.residual_model = r[17];
  s.residual_coulomb = r[18];
  s.rms_coulomb = r[19];
  s.approach_left = r[20];
  s.iterations = static_cast<int>(r[21]);
  s.converged = r[22] != 0;
  s.finite = r[23] != 0;
  return s;
}

void put_contacts(ByteWriter& out, const std::vector<Frame>& frames) {
  std::vector<NumberRow<13>> rows;
  for (const Frame& frame : frames) {
    out.put(static_cast<std::uint64_t>(frame.contacts.size()));
    for (const FrameContact& c : frame.contacts) rows.push_back(to_row(c));
  }
  const auto for_each = [&](auto&& call) {
    for (const Frame& frame : frames)
      for (const FrameContact& c : frame.contacts) call(c);
  };
  for_each([&](const FrameContact& c) { out.put(c.id); });
  for_each([&](const FrameContact& c) { out.put(c.a); });
  for_each([&](const FrameContact& c) { out.put(c.b); });
  for_each([&](const FrameContact& c) { out.put(static_cast<std::uint8_t>(c.mode)); });
  put_table(out, rows);
}

void get_contacts(ByteReader& in, std::size_t bodies, std::vector<Frame>& frames) {
  constexpr std::size_t kContactBytes = 8 + 4 + 4 + 1 + 13 * sizeof(double);
  std::uint64_t total = 0;
  for (Frame& frame : frames) {
    const auto count = in.get<std::uint64_t>();
    if (!in.fits(count, kContactBytes)) return;
    total += count;
    if (!in.fits(total, kContactBytes)) return;
    frame.contacts.resize(count);
  }
  const auto for_each = [&](auto&& call) {
    for (Frame& frame : frames)
      for (FrameContact& c : frame.contacts) call(c);
  };
  const auto body = [&] {
    const auto index = in.get<std::int32_t>();
    if (index < 0 || static_cast<std::size_t>(index) >= bodies) in.fail();
    return index;
  };
  for_each([&](FrameContact& c) { c.id = in.get<std::uint64_t>(); });
  for_each([&](FrameContact& c) { c.a = body(); });
  for_each([&](FrameContact& c) { c.b = body(); });
  for_each([&](FrameContact& c) {
    const auto mode = in.get<std::uint8_t>();
    if (mode > static_cast<std::uint8_t>(ContactMode::Guard))
      in.fail();
    else
      c.mode = static_cast<ContactMode>(mode);
  });
  const std::vector<NumberRow<13>> rows = get_table<13>(in, total);
  if (!in.ok()) return;
  auto row = rows.begin();
  for_each([&](FrameContact& c) { set_numbers(c, *row++); });
}

}  // namespace

std::string encode_frames(const std::vector<Frame>& frames) {
  const std::size_t bodies = frames.empty() ? 0 : frames.front().bodies.size();
  ByteWriter out;
  out.put(static_cast<std::uint32_t>(frames.size()));
  out.put(static_cast<std::uint32_t>(bodies));
  std::vector<NumberRow<13>> rows;
  for (const Frame& frame : frames) {
    require(frame.bodies.size() == bodies && frame.frozen.size() == bodies, "encode_frames: frames of other bodies");
    out.put(frame.time);
    for (const BodyState& state : frame.bodies) rows.push_back(to_row(state));
  }
  for (const Frame& frame : frames)
    for (const std::uint8_t frozen : frame.frozen) out.put(frozen);
  put_table(out, rows, bodies);
  put_contacts(out, frames);
  return out.take();
}

Result<std::vector<Frame>> decode_frames(std::string_view content, std::size_t bodies) {
  using Frames = Result<std::vector<Frame>>;
  ByteReader in(content);
  const std::size_t count = in.get<std::uint32_t>();
  if (in.get<std::uint32_t>() != bodies) return Frames::failure("frames of another number of bodies");
  const std::size_t least = sizeof(double) + sizeof(std::uint64_t) + bodies * (1 + 13 * sizeof(double));
  if (!in.fits(count, least)) return Frames::failure("frames that do not fill their chunk");
  std::vector<Frame> frames(count);
  for (Frame& frame : frames) frame.time = in.get<double>();
  for (Frame& frame : frames) {
    for (std::size_t i = 0; i < bodies; ++i) frame.frozen.push_back(in.get<std::uint8_t>());
  }
  const std::vector<NumberRow<13>> rows = get_table<13>(in, count * bodies, bodies);
  if (in.ok()) {
    for (std::size_t i = 0; i < rows.size(); ++i) frames[i / bodies].bodies.push_back(to_state(rows[i]));
  }
  get_contacts(in, bodies, frames);
  if (!in.ok() || !in.at_end()) return Frames::failure("frames that do not fill their chunk");
  return frames;
}

std::string encode_steps(const std::vector<StepReport>& steps) {
  ByteWriter out;
  out.put(static_cast<std::uint32_t>(steps.size()));
  std::vector<NumberRow<24>> rows;
  rows.reserve(steps.size());
  for (const StepReport& step : steps) rows.push_back(to_row(step));
  put_table(out, rows, 1);
  return out.take();
}

Result<std::vector<StepReport>> decode_steps(std::string_view content) {
  ByteReader in(content);
  const std::size_t count = in.get<std::uint32_t>();
  std::vector<StepReport> steps;
  for (const NumberRow<24>& row : get_table<24>(in, count, 1)) steps.push_back(to_report(row));
  if (!in.ok() || !in.at_end()) return Result<std::vector<StepReport>>::failure("steps that do not fill their chunk");
  return steps;
}

}  // namespace carom
