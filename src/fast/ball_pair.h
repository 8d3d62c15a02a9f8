// A ball and a ball, box or plane: so quickly done that nothing is remembered but impulses.
#pragma once

#include "fast/body_view.h"
#include "fast/records.h"

namespace carom::fast {

inline bool is_ball_pair(const BodyView& a, const BodyView& b) { return (a.ball && b.quick) || (b.ball && a.quick); }

/// A record without impulses, for `place_ball` to place. `a` and `b` are bodies by slot; the contact is named in that
/// order. `view_b` is that of b.
Record make_ball_record(const BodyView& view_b, std::int32_t a, std::int32_t b);

/// Puts normal, anchor and gap (`least_gap`) where the bodies are now. The tangent turns as little as it can, so that
/// friction keeps its direction.
void place_ball(const BodyView& base, const BodyView& ball, Record& record);

}  // namespace carom::fast
