// From the contact points of two shapes to a record that follows its bodies.
#pragma once

#include <span>

#include "collision/manifold.h"
#include "fast/body_view.h"
#include "fast/records.h"

namespace carom::fast {

/// Of the manifold's points at most four: the deepest, and those that span the widest patch. Impulses are zero.
Record make_record(const Manifold& manifold, const BodyView& a, const BodyView& b);

/// Takes the impulses of an earlier record of the same two bodies over to the points that lie nearest, if they are no
/// farther away than `reach`.
void take_impulses(const Record& from, Real reach, const BodyView& base_of_from, const BodyView& probe_of_from,
                   const BodyView& base, const BodyView& probe, Record& to);

}  // namespace carom::fast
