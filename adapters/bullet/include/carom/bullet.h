// Carom's contact solvers inside Bullet: a btConstraintSolver that hands Bullet's manifolds to any solver of Carom's
// registry and its impulses back. Works with Bullet in single and in double precision; Carom itself computes in double.
//
//   carom::BulletSolver solver;
//   btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
//
// Bullet goes on to find contacts, to integrate poses and to put bodies to sleep. docs/plug-in.md goes through what is
// handed over, in which order, and what stays with Bullet's own solver.
#pragma once

#include <BulletDynamics/ConstraintSolver/btConstraintSolver.h>
#include <LinearMath/btScalar.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "carom/contact.h"

namespace carom {

/// A solver by its name, with options as text: {"exact", {{"tolerance", "1e-6"}}}. `none` is no solver.
struct BulletMethod {
  std::string name;
  std::vector<std::pair<std::string, std::string>> options;
};

/// What is worth asking for: impulses and poses are kept in Bullet's precision.
inline constexpr const char* kBulletTolerance = sizeof(btScalar) == 8 ? "1e-8" : "1e-6";
inline constexpr const char* kBulletPositionTolerance = sizeof(btScalar) == 8 ? "1e-6" : "1e-4";

/// Who does what in a step. A fresh one is Carom's suite `exact`. What Bullet has a setting for is taken from the
/// world's btContactSolverInfo: m_erp2 (share of an overlap that is taken back in a step), m_linearSlop (overlap that
/// is left alone), m_restitutionVelocityThreshold (slower impacts do not bounce), SOLVER_USE_WARMSTARTING.
struct BulletSettings {
  /// Contacts, without restitution, on the velocities that forces have changed.
  BulletMethod contacts{"exact", {{"tolerance", kBulletTolerance}, {"iterations", "2000"}, {"dense", "80"}}};
  /// Collisions, with restitution, on the velocities before forces; `none`: nothing bounces.
  BulletMethod collisions{"pq", {}};
  /// What is left of them.
  BulletMethod collisions_left{"exact", {{"iterations", "2000"}, {"dense", "80"}}};
  /// How far poses may move, and overlaps that are taken back; `none`: poses follow velocities alone.
  BulletMethod positions{"qp", {{"tolerance", kBulletPositionTolerance}, {"iterations", "2000"}}};
  /// Bodies at rest are left out until something revives them, while others of their island still move.
  bool freezing = false;
  int quiet_steps = 0;  ///< a body freezes after more quiet steps than this; 0: half a second of them, at least 30
  Real envelope = 0;  ///< m: bodies this close touch (ε_c); 0: a ten-thousandth of the smallest width of a moving body
};

/// What the last step did, over all its groups of bodies. Bullet calls a solver once for each group.
struct BulletReport {
  int groups = 0;              ///< that Carom solved
  int passed_on = 0;           ///< that Bullet's own solver got
  std::string passed_on_why;   ///< the first reason for that
  int contacts = 0;            ///< points handed to Carom
  int collisions = 0;          ///< of them, those in a collision stage that had something to do
  int frozen = 0;              ///< bodies that are frozen at the end of the step
  int iterations = 0;          ///< of the contact stage, summed
  bool converged = true;       ///< every contact stage met its tolerance
  Real residual_model = 0;     ///< largest, in units of v_ref: optimality of the solver's own model
  Real residual_coulomb = 0;   ///< largest, in units of v_ref: distance from Coulomb's law
  Real approach_left = 0;      ///< m/s: fastest approach that the collision stage left over
  Real worst_penetration = 0;  ///< m: deepest point that Bullet handed over
  double seconds = 0;          ///< in Carom, from manifolds to velocities
};

/// The solver for a btDiscreteDynamicsWorld. One instance serves one world, on one thread.
class BulletSolver final : public btConstraintSolver {
 public:
  /// Throws `Error` where a solver or option does not exist, or a solver cannot do what its stage asks for.
  explicit BulletSolver(const BulletSettings& settings = {});
  ~BulletSolver() override;
  BulletSolver(const BulletSolver&) = delete;
  BulletSolver& operator=(const BulletSolver&) = delete;

  /// Of the step that was done last, or of the one that is being done.
  const BulletReport& report() const;

  // Bullet's side, in Bullet's spelling. The world calls these.
  void prepareSolve(int body_count, int manifold_count) override;
  btScalar solveGroup(btCollisionObject** bodies, int body_count, btPersistentManifold** manifolds, int manifold_count,
                      btTypedConstraint** constraints, int constraint_count, const btContactSolverInfo& info,
                      btIDebugDraw* debug_drawer, btDispatcher* dispatcher) override;
  void allSolved(const btContactSolverInfo& info, btIDebugDraw* debug_drawer) override;
  void reset() override;
  /// None of Bullet's own.
  btConstraintSolverType getSolverType() const override;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace carom
