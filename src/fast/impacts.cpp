#include "fast/impacts.h"

#include <algorithm>
#include <cmath>

namespace carom::fast {
namespace {

using Triple = std::array<float, 3>;

float dot(const float* a, std::size_t stride, const Triple& b) {
  return a[0] * b[0] + a[stride] * b[1] + a[2 * stride] * b[2];
}

/// One lane of a batch.
class Lane {
 public:
  Lane(const Batches& batches, std::int32_t place)
      : at_(batches.batch(static_cast<std::size_t>(place) / batches.lanes) +
            static_cast<std::size_t>(place) % batches.lanes),
        stride_(batches.lanes) {}

  float get(std::size_t field) const { return at_[field * stride_]; }
  Triple get3(std::size_t field) const { return {get(field), get(field + 1), get(field + 2)}; }

  /// The velocity of a component of the relative motion.
  float component(std::size_t c, const Triple* axis, const Motion& base, const Motion& probe) const {
    float sum = turning(row_of(c), base.turning) + turning(row_of(c) + 3, probe.turning);
    if (axis != nullptr)
      for (std::size_t i = 0; i < 3; ++i) sum += (*axis)[i] * (probe.linear[i] - base.linear[i]);
    return sum;
  }
  void turn(std::size_t component, const Triple& impulse, Triple& base, Triple& probe) const {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t row = row_of(component + k);
      for (std::size_t i = 0; i < 3; ++i) {
        base[i] += impulse[k] * get(row + i);
        probe[i] += impulse[k] * get(row + 3 + i);
      }
    }
  }
  /// What the group of the matrix at `field` gains from impulses along it.
  Triple answer(std::size_t field, const Triple& j) const {
    return {get(field) * j[0] + get(field + 1) * j[1] + get(field + 2) * j[2],
            get(field + 1) * j[0] + get(field + 3) * j[1] + get(field + 4) * j[2],
            get(field + 2) * j[0] + get(field + 4) * j[1] + get(field + 5) * j[2]};
  }

 private:
  float turning(std::size_t row, const Triple& rate) const { return dot(at_ + row * stride_, stride_, rate); }

  const float* at_;
  std::size_t stride_;
};

Triple cross(const Triple& a, const Triple& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
void add(Triple& to, const Triple& more) {
  for (std::size_t i = 0; i < 3; ++i) to[i] += more[i];
}

/// The normal group of a patch, and what follows for its points.
struct Approach {
  std::array<float, Record::kMaxPoints> velocity{};  // m/s, of each point along the normal
  std::array<bool, Record::kMaxPoints> meets{};      // bounces within reach
  float fastest = 0;                                 // m/s, towards each other; 0: nothing bounces
  float soon = 1e9F;                                 // substeps until a point comes within reach; huge: none approaches
};

float at_point(const Lane& lane, const Triple& group, std::size_t i) {
  return group[0] + lane.get(kY + i) * group[1] - lane.get(kX + i) * group[2];
}
Triple normal_group(const Lane& lane, const Triple& normal, const Motion& base, const Motion& probe) {
  return {lane.component(0, &normal, base, probe), lane.component(1, nullptr, base, probe),
          lane.component(2, nullptr, base, probe)};
}

Approach approach(const Lane& lane, const ImpactSettings& settings, float slow, const Motion& base, const Motion& probe,
                  const Motion& base_shift, const Motion& probe_shift) {
  constexpr float kAhead = 2;     // substeps
  constexpr float kTogether = 2;  // that many times as far: points that meet with the first
  const Triple normal = lane.get3(kNormal);
  const Triple group = normal_group(lane, normal, base, probe);
  const Triple moved = normal_group(lane, normal, base_shift, probe_shift);
  Approach result;
  bool due = false;
  for (std::size_t i = 0; i < Record::kMaxPoints; ++i) {
    const float u = at_point(lane, group, i), gap = lane.get(kGap + i) + at_point(lane, moved, i);
    result.velocity[i] = u;
    if (u >= -slow) continue;
    const float way = kAhead * settings.h * -u;
    result.meets[i] = gap <= kTogether * way;
    if (gap > way) {
      result.soon = std::min(result.soon, (gap - way) / (settings.h * -u));
      continue;
    }
    due = true;
    result.fastest = std::max(result.fastest, -u);
  }
  if (!due) result.fastest = 0;
  return result;
}

}  // namespace

void Impacts::begin(const Batches& batches, std::span<const Record> records, std::span<const std::int32_t> active,
                    std::span<const std::uint8_t> flags, std::size_t motions) {
  patches_.clear();
  waiting_.clear();
  bounces_.clear();
  if (std::find(flags.begin(), flags.end(), std::uint8_t{1}) == flags.end()) return;
  first_.assign(motions, -1);
  of_place_.assign(flags.size(), -1);
  for (const std::int32_t index : active) {
    const Record& record = records[static_cast<std::size_t>(index)];
    if (record.restitution == 0) continue;
    const auto place = static_cast<std::size_t>(record.place);
    const auto patch = static_cast<std::int32_t>(patches_.size());
    Patch& p = patches_.emplace_back();
    p.place = record.place;
    p.restitution = record.restitution;
    p.motions = {batches.read_base[place], batches.read_probe[place]};
    for (std::size_t side = 0; side < 2; ++side) {
      std::int32_t& head = first_[static_cast<std::size_t>(p.motions[side])];
      p.next[side] = head;
      head = patch;
    }
    if (flags[place] != 0) wait(patch);
  }
}

void Impacts::wait(std::int32_t patch) {
  Patch& p = patches_[static_cast<std::size_t>(patch)];
  if (!p.waits) waiting_.push_back(patch);
  p.waits = true;
}

void Impacts::run(int substep, const Batches& batches, const ImpactSettings& settings, std::span<Motion> motions,
                  std::span<Motion> starts, std::span<const Motion> shifts, std::span<const Motion> gains) {
  const auto look_at = [&](const Patch& p) {
    const auto a = static_cast<std::size_t>(p.motions[0]), b = static_cast<std::size_t>(p.motions[1]);
    return approach(Lane(batches, p.place), settings, settings.least_rebound / p.restitution, motions[a], motions[b],
                    shifts[a], shifts[b]);
  };
  const auto queue = [&](float speed, std::int32_t patch) {
    queue_.push_back({speed, patch});
    std::push_heap(queue_.begin(), queue_.end());
  };
  queue_.clear();
  for (const std::int32_t index : waiting_) {
    Patch& p = patches_[static_cast<std::size_t>(index)];
    if (p.due > substep) continue;
    const Approach now = look_at(p);
    if (now.fastest > 0) queue(now.fastest, index);
    // Others may speed it up meanwhile, by no more than forces do: half of the way is safe.
    constexpr float kSafe = 0.5F, kLongest = 1000;
    p.due = substep + 1 + static_cast<std::int32_t>(kSafe * std::min(now.soon, kLongest));
  }
  // Bounces that hand an approach to and fro between walls end here; the sweeps stop what is left.
  std::size_t most = 64 * waiting_.size();
  while (!queue_.empty() && most-- > 0) {
    std::pop_heap(queue_.begin(), queue_.end());
    const Due due = queue_.back();
    queue_.pop_back();
    Patch& p = patches_[static_cast<std::size_t>(due.patch)];
    if (look_at(p).fastest != due.speed) continue;  // changed since, and queued again then
    resolve(p, batches, settings, motions, starts, shifts, gains);
    for (const std::int32_t motion : p.motions) {
      if (motion == 0) continue;
      for (std::int32_t k = first_[static_cast<std::size_t>(motion)]; k >= 0;) {
        Patch& other = patches_[static_cast<std::size_t>(k)];
        const std::int32_t next = other.next[other.motions[0] == motion ? 0 : 1];
        const Approach now = look_at(other);
        if (now.fastest > 0) queue(now.fastest, k);
        if (now.fastest > 0 || now.soon < 1e9F) {
          wait(k);
          other.due = substep + 1;
        }
        k = next;
      }
    }
  }
}

/// Newton's law at the points of a patch together, then friction within their cones.
void Impacts::resolve(Patch& patch, const Batches& batches, const ImpactSettings& settings, std::span<Motion> motions,
                      std::span<Motion> starts, std::span<const Motion> shifts, std::span<const Motion> gains) {
  constexpr int kPasses = 8;
  const Lane lane(batches, patch.place);
  const auto a = static_cast<std::size_t>(patch.motions[0]), b = static_cast<std::size_t>(patch.motions[1]);
  const Approach before = approach(lane, settings, settings.least_rebound / patch.restitution, motions[a], motions[b],
                                   shifts[a], shifts[b]);
  const Triple n = lane.get3(kNormal), t1 = lane.get3(kTangent), t2 = cross(n, t1);
  Triple group = normal_group(lane, n, motions[a], motions[b]);
  const Triple pull = normal_group(lane, n, gains[a], gains[b]);
  const Triple moved = normal_group(lane, n, shifts[a], shifts[b]);

  std::array<Triple, Record::kMaxPoints> impulses{};
  std::array<float, Record::kMaxPoints> wanted{};
  for (std::size_t i = 0; i < Record::kMaxPoints; ++i) {
    if (!before.meets[i]) continue;
    const float gap = std::max(0.0F, lane.get(kGap + i) + at_point(lane, moved, i));
    const float on_the_way = -2 * at_point(lane, pull, i) / settings.h * gap;
    const float e2 = patch.restitution * patch.restitution;
    const float squared = e2 * (before.velocity[i] * before.velocity[i] + on_the_way) - on_the_way;
    wanted[i] = std::sqrt(std::max(0.0F, squared));
  }
  Triple pressed{};
  for (int pass = 0; pass < kPasses; ++pass) {
    for (std::size_t i = 0; i < Record::kMaxPoints; ++i) {
      if (!before.meets[i]) continue;
      const float next =
          std::max(0.0F, impulses[i][0] - (at_point(lane, group, i) - wanted[i]) * lane.get(kInverse + i));
      const float change = next - impulses[i][0];
      impulses[i][0] = next;
      const Triple j{change, lane.get(kY + i) * change, -lane.get(kX + i) * change};
      add(pressed, j);
      add(group, lane.answer(kNormalMatrix, j));
    }
  }
  const auto give = [&](const Triple& linear, std::size_t component, const Triple& impulse) {
    Motion change_a, change_b;
    lane.turn(component, impulse, change_a.turning, change_b.turning);
    for (std::size_t i = 0; i < 3; ++i) {
      change_a.linear[i] = -motions[a].inverse_mass * linear[i];
      change_b.linear[i] = motions[b].inverse_mass * linear[i];
    }
    for (const auto& [body, change] : {std::pair{a, change_a}, std::pair{b, change_b}}) {
      if (motions[body].inverse_mass == 0) continue;
      for (Motion* m : {&motions[body], &starts[body]}) {
        add(m->linear, change.linear);
        add(m->turning, change.turning);
      }
    }
  };
  give({pressed[0] * n[0], pressed[0] * n[1], pressed[0] * n[2]}, 0, pressed);

  Triple sliding{lane.component(3, &t1, motions[a], motions[b]), lane.component(4, &t2, motions[a], motions[b]),
                 lane.component(5, nullptr, motions[a], motions[b])};
  Triple rubbed{};
  const float mu = lane.get(kFriction);
  for (int pass = 0; pass < kPasses; ++pass) {
    for (std::size_t i = 0; i < Record::kMaxPoints; ++i) {
      if (impulses[i][0] <= 0) continue;
      const float x = lane.get(kX + i), y = lane.get(kY + i), step = lane.get(kStep + i);
      float f1 = impulses[i][1] - step * (sliding[0] - y * sliding[2]);
      float f2 = impulses[i][2] - step * (sliding[1] + x * sliding[2]);
      const float length = std::sqrt(f1 * f1 + f2 * f2), most = mu * impulses[i][0];
      const float scale = length > most ? most / length : 1;
      f1 *= scale;
      f2 *= scale;
      const float change1 = f1 - impulses[i][1], change2 = f2 - impulses[i][2];
      impulses[i][1] = f1;
      impulses[i][2] = f2;
      const Triple j{change1, change2, x * change2 - y * change1};
      add(rubbed, j);
      add(sliding, lane.answer(kTangentMatrix, j));
    }
  }
  Triple force{};
  for (std::size_t i = 0; i < 3; ++i) force[i] = rubbed[0] * t1[i] + rubbed[1] * t2[i];
  give(force, 3, rubbed);

  if (patch.bounce < 0) {
    patch.bounce = of_place_[static_cast<std::size_t>(patch.place)] = static_cast<std::int32_t>(bounces_.size());
    bounces_.push_back({patch.place, {}});
  }
  Bounce& bounce = bounces_[static_cast<std::size_t>(patch.bounce)];
  for (std::size_t i = 0; i < Record::kMaxPoints; ++i) add(bounce.impulses[i], impulses[i]);
}

}  // namespace carom::fast
