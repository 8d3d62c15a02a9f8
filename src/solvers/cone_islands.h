// The islands of a cone system: bodies that hang together through contacts, each with its contacts a system of its own.
// What takes no impulses (floors, walls, frozen bodies) separates. No island's answer depends on another's, so a solver
// may take them one by one: small ones are solved by what is good at small systems, and the slowest does not keep the
// others waiting. In a pile most bodies are one island; what freezing leaves of it is many.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/cone_system.h"

namespace carom {

class ConeIslands {
 public:
  /// Islands are in the order of their first contacts.
  void find(const ConeSystem& system);
  /// All contacts as one, for methods that solve everything together.
  void take_whole(const ConeSystem& system);

  std::size_t count() const { return firsts_.empty() ? 0 : firsts_.size() - 1; }
  /// Indices of an island's contacts, ascending.
  std::span<const std::size_t> contacts(std::size_t island) const {
    return std::span(members_).subspan(firsts_[island], firsts_[island + 1] - firsts_[island]);
  }

 private:
  std::size_t root(std::int32_t body);

  std::vector<std::int32_t> parent_;  // per body: another of its island, or itself
  std::vector<std::int32_t> island_;  // per body that is a root, or −1
  std::vector<std::size_t> members_;  // contacts, island by island
  std::vector<std::size_t> firsts_;   // of each island in members_, and the end
};

/// Makes systems of some contacts of another and of the bodies that those act on. Costs what there is in the part.
class SystemPart {
 public:
  /// `chosen` are indices of contacts. Bodies are numbered as they are met; `part` keeps its memory.
  void take(const ConeSystem& whole, std::span<const std::size_t> chosen, ConeSystem& part);

 private:
  std::vector<std::int32_t> number_;  // of a body of the whole in the part, else −1
  std::vector<std::int32_t> taken_;   // bodies of the whole
};

}  // namespace carom
