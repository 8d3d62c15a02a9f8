// How a body turns that nothing acts on.
//
// Its angular momentum L stays, and so does the kinetic energy H = ½ Σ n_i L_i², n_i the inverse principal moments and
// L_i the components of L along the principal axes. With the third axis the odd one, a = ½ (n_1 + n_2) and
// d = ½ (n_1 − n_2),
//   H = ½ a |L|² + ½ (n_3 − a) L_3²  +  ½ d L_1²  −  ½ d L_2²,
// and the motion of each part by itself is known in closed form: the first is that of a top (L. D. Landau and E. M.
// Lifshitz, "Mechanics", section 33), a turn about L and one about the body's own axis; the others are turns about a
// principal axis. A symmetric sequence of them is of second order, three such, the middle one backwards, of the fourth
// (M. Suzuki, H. Yoshida 1990). Tops, rods and discs are exact at any speed. With three moments what H is off by is
// taken back by a small turn along its gradient, δH = δθ·(ω × L): so both L and H stay, at any speed, and only how far
// the body has got on its way is approximate. (Turning by the angular velocity found half way, by looking again and
// again, does not converge for a thin rod that turns by a few hundredths of a radian, and its energy explodes.)
#pragma once

#include "dynamics/state.h"

namespace carom {

/// Where the body is turned after a time of dt; angular momentum and energy stay what they are.
Quat orientation_in_flight(const Body& body, Real dt);

}  // namespace carom
