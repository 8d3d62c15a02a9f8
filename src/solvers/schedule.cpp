#include "solvers/schedule.h"

#include <array>
#include <bit>

namespace carom {

void Schedule::build(const ContactProblem& problem) {
  find_groups(problem);
  colour_groups(problem.bodies.size());
}

void Schedule::find_groups(const ContactProblem& problem) {
  const auto moves = [&](std::int32_t body) {
    return takes_impulse(problem.bodies[static_cast<std::size_t>(body)].role);
  };
  found_.clear();
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactPoint& c = problem.contacts[i];
    const auto index = static_cast<std::int32_t>(i);
    const bool same = i > 0 && found_.back().a == c.a && found_.back().b == c.b &&
                      problem.contacts[i - 1].normal == c.normal && problem.contacts[i - 1].tangent == c.tangent;
    if (same) {
      found_.back().last = index + 1;
    } else {
      found_.push_back({c.a, c.b, index, index + 1, moves(c.a), moves(c.b)});
    }
  }
}

void Schedule::colour_groups(std::size_t bodies) {
  // First fit, in problem order.
  used_.assign(bodies, 0);
  colour_of_.resize(found_.size());
  std::array<std::size_t, kColours + 1> sizes{};
  for (std::size_t g = 0; g < found_.size(); ++g) {
    const ContactGroup& group = found_[g];
    std::uint64_t& used_a = used_[static_cast<std::size_t>(group.a)];
    std::uint64_t& used_b = used_[static_cast<std::size_t>(group.b)];
    const std::uint64_t taken = (group.a_moves ? used_a : 0) | (group.b_moves ? used_b : 0);
    const auto colour = static_cast<std::size_t>(std::countr_one(taken));
    if (colour < kColours) {
      used_a |= std::uint64_t{1} << colour;
      used_b |= std::uint64_t{1} << colour;
    }
    colour_of_[g] = static_cast<std::uint8_t>(colour);
    ++sizes[colour];
  }

  // Groups and contacts in colour order, so that a sweep walks straight through memory.
  colours_.clear();
  std::array<std::size_t, kColours + 1> next{};
  std::size_t total = 0;
  for (std::size_t colour = 0; colour <= kColours; ++colour) {
    next[colour] = total;
    total += sizes[colour];
    if (sizes[colour] > 0) colours_.push_back({next[colour], total, colour < kColours});
  }
  groups_.resize(found_.size());
  for (std::size_t g = 0; g < found_.size(); ++g) groups_[next[colour_of_[g]]++] = found_[g];
  source_.clear();
  for (ContactGroup& group : groups_) {
    const auto first = static_cast<std::int32_t>(source_.size());
    for (std::int32_t i = group.first; i < group.last; ++i) source_.push_back(i);
    group.first = first;
    group.last = static_cast<std::int32_t>(source_.size());
  }
}

}  // namespace carom
