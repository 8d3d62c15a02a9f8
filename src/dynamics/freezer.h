// Freezing: bodies that have come to rest are left out until something revives them.
//
// H. Schmidl, V. Milenkovic, "A fast impulsive contact suite for rigid body simulation", 2004, section 5.2. A body is
// quiet while its kinetic energy is below that of one step of free fall (eq. 15) and a fixed or frozen body supports
// it. When it has been quiet for more than c_f steps it is frozen: no gravity, no motion, no contacts with others that
// do not move. What goes beyond the paper, unless freezing is to be literal: support is a contact that carries some of
// the body's weight; a body on which forces do not balance is not quiet: it may be slow because it turns back; nor is
// one that is picking up speed, however slowly, nor one that a kinematic body pushes on, nor one in a crowd (others
// that move push it), unless it is much slower than eq. 15 asks; frozen bodies do not yield in the contact stage (there
// the paper's sink); and a frozen body is revived when what supports it leaves, when a force field comes to act
// otherwise on it, when a kinematic body pushes it, or when bodies that move have come to push it much otherwise than
// when it froze: that it holds has been seen under that load alone.
#pragma once

#include <vector>

#include "base/bytes.h"
#include "dynamics/resting_step.h"

namespace carom {

struct Freezing {
  bool on = false;
  int steps = 0;  ///< c_f; 0: as many as make half a second, at least 30
  bool literal = false;
  Real crowd = 0.03;  ///< share of eq. 15 below which a body in a crowd is quiet
};

class Freezer {
 public:
  explicit Freezer(const Freezing& settings) : settings_(settings) {}

  /// Before detection: revives bodies whose support was moved, removed or edited, or that a force field moves.
  void revive_unsupported(RestingStep& step);
  /// After detection: revives what kinematic bodies run into, and what that is pushed against.
  void revive_pushed(RestingStep& step);
  /// After collisions: what stands on nothing but bodies that have just been revived is revived too, with what
  /// collisions gave it.
  void follow_collisions(RestingStep& step);
  /// After the contact stage, while what contacts carried before is still known: finds frozen bodies that the next step
  /// has to revive because they are pushed otherwise.
  void weigh(RestingStep& step);
  /// After the contact stage: counts who is quiet, and freezes. Returns the momentum that this takes away, N s.
  Vec3 update(RestingStep& step);

  void save(ByteWriter& out) const;
  bool restore(ByteReader& in, std::size_t bodies);

 private:
  /// What a frozen body stands on, and where that was.
  struct Support {
    std::int32_t body = 0;
    Vec3 position;
    Quat orientation;
  };
  struct Resident {
    std::int32_t quiet = 0;         // steps in a row
    Real least_energy = 0;          // J, since they began
    bool moved = false;             // in the last step, and ended it with
    Vec3 velocity, spin;            // m/s, 1/s
    std::vector<Support> supports;  // of a frozen body
    bool field_known = false;       // of a frozen body: what the field did to it when it froze
    AppliedForce field;
    Vec3 load;                          // N, of a frozen body: how pushes of bodies that move have changed since
    Real bears = 0;                     // N: what such a change may be
    Vec3 place;                         // m: where it froze
    std::vector<std::int32_t> carries;  // frozen bodies that stand on this one, or did
  };
  /// A body that a kinematic one drives, or that one itself.
  struct Push {
    std::int32_t body = 0;
    Vec3 velocity, turning;  // m/s, 1/s
    Real least = 0;          // m/s: what it pushes more slowly it does not drive on
  };

  int steps_needed(Real dt) const;
  void revive_left_alone(RestingStep& step);
  void look_around(const RestingStep& step);
  bool is_quiet(const RestingStep& step, std::int32_t body);
  void note_supports(const RestingStep& step);
  void note_loads(const RestingStep& step);
  void revive_carried(RestingStep& step, std::int32_t body);
  void find_pushed(const RestingStep& step);
  bool has_moved(const RestingStep& step, const Support& support) const;
  Resident& resident(std::int32_t body) { return residents_[static_cast<std::size_t>(body)]; }

  Freezing settings_;
  std::vector<Resident> residents_;        // per body
  std::vector<char> supported_, crowded_;  // per body, of the step under way
  std::vector<char> driven_;               // likewise: kinematic bodies push it on
  std::vector<Real> acting_;               // N, likewise: all that contacts do to it, added up without direction
  std::vector<std::int32_t> freezing_;     // bodies, of the step under way
  std::vector<std::int32_t> unsupported_;  // likewise
  std::vector<std::int32_t> overloaded_;   // frozen bodies that the next step revives
  std::vector<Push> pushes_;               // of the step under way
};

}  // namespace carom
