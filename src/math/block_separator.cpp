#include "math/block_separator.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace carom {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

constexpr std::size_t kLandmarks = 5;
/// So many of the starts, the best ones, are worth improving.
constexpr std::size_t kImproved = 3;
constexpr int kPasses = 6;
/// Moves in a row that may fail to improve a separator.
constexpr int kPatience = 60;
/// A half below this share of the bodies is none.
constexpr double kSmallestHalf = 0.1;
constexpr double kNever = 1e200;

}  // namespace

Separator::Separator(const BodyGraph& graph)
    : graph_(graph),
      side_(graph.begin.size() - 1, Out),
      distance_(side_.size(), -1),
      touching_(side_.size()),
      locked_(side_.size(), 0) {}

std::span<const std::int32_t> Separator::neighbours(std::int32_t body) const {
  const auto begin = at(graph_.begin[at(body)]), end = at(graph_.begin[at(body) + 1]);
  return std::span(graph_.neighbours).subspan(begin, end - begin);
}

void Separator::begin(std::span<const std::int32_t> bodies) {
  bodies_ = bodies;
  for (const std::int32_t body : bodies_) {
    side_[at(body)] = Left;
    distance_[at(body)] = -1;
  }
}

/// Distances within the set of bodies that are not out, to those that have none yet.
void Separator::search(std::int32_t from) {
  found_.assign(1, from);
  distance_[at(from)] = 0;
  for (std::size_t k = 0; k < found_.size(); ++k)
    for (const std::int32_t next : neighbours(found_[k]))
      if (side_[at(next)] != Out && distance_[at(next)] < 0) {
        distance_[at(next)] = distance_[at(found_[k])] + 1;
        found_.push_back(next);
      }
}

void Separator::search_anew(std::int32_t from) {
  for (const std::int32_t body : bodies_) distance_[at(body)] = -1;
  search(from);
}

std::vector<std::vector<std::int32_t>> Separator::components(std::span<const std::int32_t> bodies) {
  begin(bodies);
  std::vector<std::vector<std::int32_t>> parts;
  for (const std::int32_t body : bodies) {
    if (distance_[at(body)] >= 0) continue;
    search(body);
    parts.push_back(found_);
    std::sort(parts.back().begin(), parts.back().end());
  }
  forget(bodies);
  return parts;
}

void Separator::divide(std::span<const std::int32_t> bodies) {
  begin(bodies);
  set_landmarks();
  std::vector<Start> starts;
  for (std::size_t a = 0; a < landmarks_.size(); ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      starts.push_back({0, a, b});
      halve(starts.back());
      starts.back().cost = cost();
    }
  std::sort(starts.begin(), starts.end(), [](const Start& a, const Start& b) {
    return std::tie(a.cost, a.from, a.against) < std::tie(b.cost, b.from, b.against);
  });
  starts.resize(std::min(starts.size(), kImproved));

  double least = std::numeric_limits<double>::infinity();
  best_.resize(bodies_.size());
  for (const Start& start : starts) {
    halve(start);
    refine();
    if (cost() >= least) continue;
    least = cost();
    for (std::size_t k = 0; k < bodies_.size(); ++k) best_[k] = side_[at(bodies_[k])];
  }
  for (std::size_t k = 0; k < bodies_.size(); ++k) side_[at(bodies_[k])] = best_[k];
}

void Separator::forget(std::span<const std::int32_t> bodies) {
  for (const std::int32_t body : bodies) side_[at(body)] = Out;
}

/// Bodies that are each as far as can be from all before them, and the distances from them.
void Separator::set_landmarks() {
  search(bodies_.front());
  std::int32_t landmark = found_.back();
  std::vector<std::int32_t> nearest(bodies_.size(), std::numeric_limits<std::int32_t>::max());
  landmarks_.resize(kLandmarks);
  for (std::vector<std::int32_t>& distances : landmarks_) {
    search_anew(landmark);
    distances.resize(bodies_.size());
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      distances[k] = distance_[at(bodies_[k])];
      nearest[k] = std::min(nearest[k], distances[k]);
    }
    landmark = bodies_[static_cast<std::size_t>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin())];
  }
}

/// The half of the bodies nearer to one landmark than to the other, or nearest to one, goes left; what touches it from
/// the right is the separator.
void Separator::halve(const Start& start) {
  const std::vector<std::int32_t>&from = landmarks_[start.from], &against = landmarks_[start.against];
  const bool alone = start.from == start.against;
  const auto key = [&](std::size_t k) { return alone ? from[k] : from[k] - against[k]; };
  // Counted into place: keys are small.
  std::int32_t low = 0, high = 0;
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    low = std::min(low, key(k));
    high = std::max(high, key(k));
  }
  first_.assign(at(high - low) + 2, 0);
  for (std::size_t k = 0; k < bodies_.size(); ++k) ++first_[at(key(k) - low) + 1];
  for (std::size_t k = 1; k < first_.size(); ++k) first_[k] += first_[k - 1];
  sorted_.resize(bodies_.size());
  for (std::size_t k = 0; k < bodies_.size(); ++k) sorted_[at(first_[at(key(k) - low)]++)] = bodies_[k];

  const std::size_t half = sorted_.size() / 2;
  for (std::size_t k = 0; k < sorted_.size(); ++k) side_[at(sorted_[k])] = k < half ? Left : Right;
  sizes_ = {static_cast<int>(half), static_cast<int>(sorted_.size() - half), 0};
  for (std::size_t k = half; k < sorted_.size(); ++k)
    for (const std::int32_t next : neighbours(sorted_[k]))
      if (side_[at(next)] == Left) {
        side_[at(sorted_[k])] = Middle;
        --sizes_[Right];
        ++sizes_[Middle];
        break;
      }
}

/// Size of the separator, with something added for unlike halves: they only put the work off.
double Separator::cost() const {
  const double smaller = std::min(sizes_[Left], sizes_[Right]), total = static_cast<double>(bodies_.size());
  if (smaller < kSmallestHalf * total) return kNever;
  return sizes_[Middle] * (1 + 0.3 * (1 - 2 * smaller / total));
}

/// Passes over the separator until one of them gains nothing.
void Separator::refine() {
  for (const std::int32_t body : bodies_) {
    touching_[at(body)] = {};
    for (const std::int32_t next : neighbours(body))
      if (const Side side = side_[at(next)]; side == Left || side == Right) ++touching_[at(body)][side];
  }
  for (int pass = 0; pass < kPasses && improve(); ++pass) {
  }
}

/// Bodies leave the separator one by one, each once, also where that makes it larger; the best of all states is kept.
bool Separator::improve() {
  middle_.clear();
  for (const std::int32_t body : bodies_) {
    locked_[at(body)] = 0;
    if (side_[at(body)] == Middle) middle_.push_back(body);
  }
  changes_.clear();
  const double before = cost();
  double best = before;
  std::size_t keep = 0;
  for (int idle = 0; idle < kPatience; ++idle) {
    const auto [body, to] = best_move();
    if (body < 0) break;
    locked_[at(body)] = 1;
    changes_.push_back({body, Middle});
    put(body, to);
    const Side other = to == Left ? Right : Left;
    for (const std::int32_t next : neighbours(body))
      if (side_[at(next)] == other) {
        changes_.push_back({next, other});
        put(next, Middle);
        if (locked_[at(next)] == 0) middle_.push_back(next);
      }
    std::erase(middle_, body);
    if (cost() < best) {
      best = cost();
      keep = changes_.size();
      idle = 0;
    }
  }
  for (; changes_.size() > keep; changes_.pop_back()) put(changes_.back().body, changes_.back().from);
  return best < before;
}

/// Out of the separator goes what pulls the fewest others in; among equals, to the smaller half.
std::pair<std::int32_t, Separator::Side> Separator::best_move() const {
  std::pair<std::int32_t, Side> best{-1, Left};
  int best_gain = std::numeric_limits<int>::min();
  const Side smaller = sizes_[Left] < sizes_[Right] ? Left : Right;
  for (const std::int32_t body : middle_)
    for (const Side to : {Left, Right}) {
      const int gain = (to == smaller ? 1 : 0) - 2 * touching_[at(body)][to == Left ? Right : Left];
      if (gain > best_gain) {
        best_gain = gain;
        best = {body, to};
      }
    }
  return best;
}

void Separator::put(std::int32_t body, Side to) {
  const Side from = side_[at(body)];
  for (const std::int32_t next : neighbours(body)) {
    if (from != Middle) --touching_[at(next)][from];
    if (to != Middle) ++touching_[at(next)][to];
  }
  --sizes_[from];
  ++sizes_[to];
  side_[at(body)] = to;
}

}  // namespace carom
