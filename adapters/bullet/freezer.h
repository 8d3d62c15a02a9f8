// Freezing inside Bullet's islands (Schmidl and Milenkovic 2004, section 5.2; docs/step.md#freezing has the rules).
//
// Bullet puts an island to sleep when all of it rests. A frozen body rests while others of its island still move: it
// takes no gravity and does not move, contacts among frozen and fixed bodies are left out, and what strikes it or takes
// its support away revives it. Frozen bodies keep still in Bullet because their velocities are zero.
#pragma once

#include <btBulletDynamicsCommon.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "group.h"

namespace carom {

class BulletFreezer {
 public:
  /// `quiet_steps`: a body freezes when it was quiet for more steps than this; 0: as many as make half a second, at
  /// least 30.
  explicit BulletFreezer(int quiet_steps) : quiet_steps_(quiet_steps) {}

  /// Forgets bodies that have been in no group since the last call: removed ones, and those that Bullet sleeps.
  void begin_step();

  /// Gives frozen bodies of a fresh group their role, after reviving those that the caller has moved, pushed or thrown,
  /// and those whose support has gone. `envelope` is ε_c.
  void hold_frozen(BulletGroup& group, Real envelope);

  /// After collisions: revives what stands on nothing but bodies that have just been revived.
  void revive_left_alone(BulletGroup& group);

  /// After the contact stage: counts quiet steps and freezes. Velocities of what freezes become zero.
  void update(BulletGroup& group);

 private:
  /// What a frozen body stands on, and where that was.
  struct Carrier {
    const btCollisionObject* object = nullptr;
    btVector3 origin;
    bool touches = false;  ///< and has not moved, as of this step
  };
  struct Resident {
    std::uint64_t seen = 0;  ///< the last step in which a group had the body
    int quiet = 0;           ///< steps
    bool frozen = false;
    Real least_energy = 0;  ///< J, since it became quiet
    btTransform pose;       ///< when it froze
    btVector3 force{0, 0, 0}, torque{0, 0, 0};
    std::vector<Carrier> carriers;
  };

  static bool was_disturbed(const btRigidBody& body, const Resident& resident, Real envelope);
  void look_at_carriers(const BulletGroup& group, Real envelope);
  void look_around(const BulletGroup& group);
  bool is_quiet(const BulletGroup& group, std::size_t body);
  void freeze(BulletGroup& group, std::size_t body);

  int quiet_steps_;
  std::uint64_t step_ = 0;
  // Looked up by body and never walked in an order that could matter.
  std::unordered_map<const btRigidBody*, Resident> residents_;
  std::vector<Resident*> here_;            // by body of the group; null for those that take no impulses
  std::vector<char> supported_, crowded_;  // by body of the group
};

}  // namespace carom
