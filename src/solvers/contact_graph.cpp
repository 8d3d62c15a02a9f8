#include "solvers/contact_graph.h"

#include <algorithm>
#include <cmath>

#include "solvers/body_contacts.h"

namespace carom {
namespace {

constexpr std::int32_t kNone = -1;

bool moves(const ContactProblem& problem, std::size_t body) { return takes_impulse(problem.bodies[body].role); }

/// Which bodies that take impulses touch one that does not.
std::vector<char> grounded_bodies(const ContactProblem& problem) {
  std::vector<char> grounded(problem.bodies.size(), 0);
  for (const ContactPoint& c : problem.contacts) {
    const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
    if (moves(problem, a) && !moves(problem, b)) grounded[a] = 1;
    if (moves(problem, b) && !moves(problem, a)) grounded[b] = 1;
  }
  return grounded;
}

/// Levels along what bodies rest on. Circles are found by R. Tarjan, "Depth-first search and linear graph algorithms",
/// 1972, which gives them in the order that levels need: what others rest on comes first.
class RestingOrder {
 public:
  RestingOrder(const ContactProblem& problem, const Vec3& up)
      : problem_(problem),
        up_(up),
        grounded_(grounded_bodies(problem)),
        visits_(problem.bodies.size()),
        levels_{std::vector<std::int32_t>(problem.bodies.size(), 0), 0} {
    contacts_.build(problem);
  }

  ContactLevels find() {
    for (std::size_t i = 0; i < visits_.size(); ++i)
      if (moves(problem_, i) && visits_[i].order == kNone) search(i);
    // Last of all, bodies that hang in the air.
    for (std::size_t i = 0; i < visits_.size(); ++i)
      if (levels_.of_body[i] == kNone) levels_.of_body[i] = levels_.count + 1;
    for (const std::int32_t level : levels_.of_body) levels_.count = std::max(levels_.count, level);
    return std::move(levels_);
  }

 private:
  struct Visit {
    std::int32_t order = kNone;  // in which bodies were found
    std::int32_t lowest = 0;     // order of the first body found that it leads back to
    std::size_t next = 0;        // contact to follow next
    bool open = false;           // its circle is not complete yet
  };

  /// The body that `body` rests on at a contact, if it does. A side so steep that friction alone would have to carry
  /// supports nothing: in a heap such contacts point up and down at random and would make one circle of it all.
  bool rests_on(std::size_t body, const ContactPoint& c, std::size_t& below) const {
    constexpr Real kSteep = 0.1;  // sine of the slope
    below = other_body(c, body);
    const Real lift = dot(c.normal, up_) * (static_cast<std::size_t>(c.b) == body ? 1 : -1);
    return lift > kSteep && moves(problem_, below);
  }

  void open(std::size_t body) {
    visits_[body] = {found_, found_, 0, true};
    ++found_;
    path_.push_back(body);
    open_.push_back(body);
  }

  /// Depth first, with the path on a stack of its own: towers may be tall.
  void search(std::size_t root) {
    open(root);
    while (!path_.empty()) {
      const std::size_t body = path_.back();
      Visit& visit = visits_[body];
      const auto contacts = contacts_.of(body);
      if (visit.next < contacts.size()) {
        std::size_t below = 0;
        if (!rests_on(body, problem_.contacts[contacts[visit.next++]], below)) continue;
        if (visits_[below].order == kNone) {
          open(below);
        } else if (visits_[below].open) {
          visit.lowest = std::min(visit.lowest, visits_[below].order);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) {
        Visit& above = visits_[path_.back()];
        above.lowest = std::min(above.lowest, visit.lowest);
      }
      if (visit.lowest == visit.order) close(body);
    }
  }

  /// The bodies opened since `first` make a circle, or are `first` alone: one level for all.
  void close(std::size_t first) {
    const auto begin = std::find(open_.rbegin(), open_.rend(), first).base() - 1;
    std::int32_t level = kNone;
    for (auto it = begin; it != open_.end(); ++it) {
      if (grounded_[*it] != 0) level = std::max(level, 1);
      for (const std::size_t contact : contacts_.of(*it)) {
        std::size_t below = 0;
        // Inside the circle levels are still zero; below bodies in the air there is nothing.
        if (rests_on(*it, problem_.contacts[contact], below) && levels_.of_body[below] > 0)
          level = std::max(level, levels_.of_body[below] + 1);
      }
    }
    for (auto it = begin; it != open_.end(); ++it) {
      levels_.of_body[*it] = level;
      visits_[*it].open = false;
    }
    open_.erase(begin, open_.end());
    levels_.count = std::max(levels_.count, level);
  }

  const ContactProblem& problem_;
  Vec3 up_;
  BodyContacts contacts_;
  std::vector<char> grounded_;
  std::vector<Visit> visits_;  // per body
  ContactLevels levels_;
  std::int32_t found_ = 0;
  std::vector<std::size_t> path_, open_;
};

/// Levels by the shortest way, for problems where no direction is up.
ContactLevels shortest_ways(const ContactProblem& problem) {
  ContactLevels levels{std::vector<std::int32_t>(problem.bodies.size(), 0), 0};
  BodyContacts contacts;
  contacts.build(problem);
  const std::vector<char> grounded = grounded_bodies(problem);
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < grounded.size(); ++i)
    if (grounded[i] != 0) front.push_back(i);
  while (!front.empty()) {
    ++levels.count;
    for (const std::size_t body : front) levels.of_body[body] = levels.count;
    std::vector<std::size_t> next;
    for (const std::size_t body : front) {
      for (const std::size_t contact : contacts.of(body)) {
        const std::size_t other = other_body(problem.contacts[contact], body);
        if (!moves(problem, other) || levels.of_body[other] != 0) continue;
        levels.of_body[other] = kNone;  // found once is enough
        next.push_back(other);
      }
    }
    front = std::move(next);
  }
  bool in_the_air = false;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    if (!moves(problem, i) || levels.of_body[i] != 0) continue;
    levels.of_body[i] = levels.count + 1;
    in_the_air = true;
  }
  if (in_the_air) ++levels.count;
  return levels;
}

}  // namespace

Vec3 up_direction(const ContactProblem& problem) {
  if (problem.down != Vec3{}) return -problem.down;
  Vec3 sum;
  Real count = 0;
  for (const ContactPoint& c : problem.contacts) {
    const bool a_moves = moves(problem, static_cast<std::size_t>(c.a));
    if (a_moves == moves(problem, static_cast<std::size_t>(c.b))) continue;
    sum += a_moves ? -c.normal : c.normal;
    ++count;
  }
  constexpr Real kLittle = 0.01;  // of all contacts: less is chance, not a floor
  return norm(sum) > kLittle * count ? normalized(sum) : Vec3{};
}

ContactLevels contact_levels(const ContactProblem& problem) {
  const Vec3 up = up_direction(problem);
  return up == Vec3{} ? shortest_ways(problem) : RestingOrder(problem, up).find();
}

std::vector<Real> contact_heights(const ContactProblem& problem, const Vec3& up) {
  BodyContacts contacts;
  contacts.build(problem);
  // Of centres of mass, from body to body: x_b = x_a + r_a − r_b.
  std::vector<Real> height(problem.bodies.size(), 0);
  std::vector<char> known(problem.bodies.size(), 0);
  std::vector<std::size_t> open;
  for (std::size_t root = 0; root < problem.bodies.size(); ++root) {
    if (!moves(problem, root) || known[root] != 0) continue;
    known[root] = 1;
    open.push_back(root);
    while (!open.empty()) {
      const std::size_t body = open.back();
      open.pop_back();
      for (const std::size_t contact : contacts.of(body)) {
        const ContactPoint& c = problem.contacts[contact];
        const std::size_t other = other_body(c, body);
        if (!moves(problem, other) || known[other] != 0) continue;
        known[other] = 1;
        height[other] = height[body] + dot(up, c.ra - c.rb) * (static_cast<std::size_t>(c.a) == body ? 1 : -1);
        open.push_back(other);
      }
    }
  }
  std::vector<Real> heights;
  for (const ContactPoint& c : problem.contacts) {
    const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
    heights.push_back(moves(problem, b) ? height[b] + dot(up, c.rb) : height[a] + dot(up, c.ra));
  }
  return heights;
}

}  // namespace carom
