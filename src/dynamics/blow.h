// One blow at one point: collisions and microcollisions.
//
// B. Mirtich and J. Canny 1994. A collision is resolved by the impact law, friction included (section 4). One that
// approaches more slowly than a body that falls through the collision envelope, √(2 g ε_c), is a microcollision: what
// is left of a contact that lasts. There the slip is turned round where friction can do that (section 4.5: such an
// impulse does no work, and what friction can hold does not creep), not the slip as it is but half of what the last hop
// has added to it: the same in a steady hop, and what makes hops differ is forgotten. Where friction cannot do all of
// it, it does what it can, or the bodies slide. Where faces lie on each other, a blow at one point would set them
// rocking, and bodies that rock creep: there one impulse is looked for that does this and stops the rocking at once. It
// is applied if its line of action passes through the patch.
//
// The normal velocity after a microcollision is that of an artificial restitution e(δ) that depends on the distance δ
// (M. Lin's slides on physically based modelling, "micro-collisions"): whatever the approach was, the bodies part at
// √(2 a h), a the acceleration that pulls them together and h the height of a hop, or up to two where they overlap. So
// what slides does not sink, and hops neither grow nor die. Without it, as published, the contact velocity is turned
// round as it is, and where that is not possible the impact law and the material decide.
#pragma once

#include <optional>
#include <span>

#include "carom/contact/impact.h"
#include "dynamics/state.h"
#include "math/dense_lu.h"

namespace carom {

/// How blows are resolved, and the lengths of a contact, in metres.
struct BlowRules {
  ImpactLaw law = ImpactLaw::Poisson;
  bool reverse = true;     ///< microcollisions by section 4.5 where friction allows
  bool artificial = true;  ///< e(δ) in microcollisions; off: only for bodies that overlap
  Real envelope = 0;       ///< ε_c
  Real micro_speed = 0;    ///< m/s: √(2 g ε_c)
  Real floor = 0;          ///< bodies that come together collide at this distance
  Real tolerance = 0;      ///< … and up to this much earlier
  Real hop = 0;            ///< height of a hop of bodies in contact
};

/// Where two bodies meet.
struct BlowPoint {
  Vec3 point;    ///< m, world
  Vec3 normal;   ///< unit, from a to b
  Real gap = 0;  ///< m
};

/// What brings two bodies together. Of two that fly, one may rest on the other: both fall, but the lower one not for
/// long, and gravity is what they will be pressed together by.
struct Pull {
  Vec3 accelerations;  ///< m/s², of a less that of b
  Vec3 gravity;        ///< m/s²
  /// What is known of the flight since their last blow, if there was one and they were on their own since.
  struct Flight {
    Real time = 0;  ///< s; zero: nothing is known
    Vec3 parting;   ///< m/s: velocity of b against a at its beginning
  };
  Flight since;
  /// m/s², along the normal, from what is known of the last flight if anything: on a body that rolls or spins it is not
  /// gravity alone. `velocity` is that of b against a now.
  Real along(const Vec3& normal, const Vec3& velocity) const;
};

/// m/s: of b against a at a point.
Vec3 velocity_between(const Body& a, const Body& b, const Vec3& point);
/// m/s: how fast two bodies close in on each other there.
Real approach_at(const Body& a, const Body& b, const BlowPoint& at);
/// m/s: how fast they are to part after a microcollision, `pull` being the acceleration that brings them together.
Real hop_speed(const BlowRules& rules, const BlowPoint& at, Real pull);

/// Changes the bodies' velocities. Handles and time are left for the caller to fill in. Requires an approach and a body
/// that takes impulses; in a microcollision with e(δ) no approach, but that they part more slowly than they are to.
ImpactEvent strike(const BlowRules& rules, const Material& material, const BlowPoint& at, const Pull& pull, Body& a,
                   Body& b);

/// A microcollision of a whole patch, points of one normal; none if one impulse inside friction cone and patch cannot
/// do it, and then nothing has changed.
std::optional<ImpactEvent> strike_patch(const BlowRules& rules, const Material& material,
                                        std::span<const BlowPoint> points, const Pull& pull, DenseLu& lu, Body& a,
                                        Body& b);

}  // namespace carom
