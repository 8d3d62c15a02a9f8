// Typed generational handles: small values that name an object owned by a World.
#pragma once

#include <compare>
#include <cstdint>

namespace carom {

/// Names a slot and the generation that was living in it. A default handle is null and names nothing.
template <class Tag>
struct Handle {
  std::uint32_t index = 0;       ///< slot + 1; zero is null
  std::uint32_t generation = 0;  ///< bumped when the slot is reused, so that old handles go stale

  constexpr explicit operator bool() const { return index != 0; }
  constexpr auto operator<=>(const Handle&) const = default;
};

using BodyHandle = Handle<struct BodyTag>;
using MaterialHandle = Handle<struct MaterialTag>;

}  // namespace carom
