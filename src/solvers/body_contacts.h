// Which contacts each body has, as lists in one array.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "carom/contact/problem.h"

namespace carom {

class BodyContacts {
 public:
  void build(const ContactProblem& problem) {
    first_.assign(problem.bodies.size() + 1, 0);
    const auto for_each_end = [&](auto&& visit) {
      for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
        visit(static_cast<std::size_t>(problem.contacts[i].a), i);
        visit(static_cast<std::size_t>(problem.contacts[i].b), i);
      }
    };
    for_each_end([&](std::size_t body, std::size_t) { ++first_[body + 1]; });
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    contacts_.resize(2 * problem.contacts.size());
    next_.assign(first_.begin(), first_.end() - 1);
    for_each_end([&](std::size_t body, std::size_t contact) { contacts_[next_[body]++] = contact; });
  }

  /// Ascending.
  std::span<const std::size_t> of(std::size_t body) const {
    return {contacts_.data() + first_[body], first_[body + 1] - first_[body]};
  }

 private:
  std::vector<std::size_t> first_, next_, contacts_;
};

/// The body at the other end of a contact.
inline std::size_t other_body(const ContactPoint& c, std::size_t body) {
  return static_cast<std::size_t>(static_cast<std::size_t>(c.a) == body ? c.b : c.a);
}

}  // namespace carom
