// Carom's solvers in a program that uses Bullet: what differs from any other Bullet program are the lines with carom.
#include <btBulletDynamicsCommon.h>
#include <carom/bullet.h>

#include <cstdio>
#include <deque>

int main() {
  carom::BulletSettings settings;  // the suite `exact`; as an example, with another tolerance
  settings.contacts = {"exact", {{"tolerance", "1e-9"}}};
  carom::BulletSolver solver(settings);

  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broadphase;
  btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
  world.setGravity({0, 0, -9.81F});

  btBoxShape ground({20, 20, 1}), cube({0.5, 0.5, 0.5});
  std::deque<btRigidBody> bodies;
  const auto add = [&](btCollisionShape& shape, btScalar mass, btScalar height) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0) shape.calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, &shape, inertia);
    info.m_startWorldTransform.setOrigin({0, 0, height});
    info.m_friction = 0.5;
    world.addRigidBody(&bodies.emplace_back(info));
  };
  add(ground, 0, -1);
  for (int i = 0; i < 10; ++i) add(cube, 1000, static_cast<btScalar>(i) + 0.5F);

  const btScalar dt = 1.0F / 64;
  for (int step = 0; step < 64; ++step) world.stepSimulation(dt, 0);
  const carom::BulletReport report = solver.report();

  // Impulses are where Bullet's own solver leaves them.
  double load = 0;
  for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
    const btPersistentManifold* manifold = dispatcher.getManifoldByIndexInternal(i);
    if (manifold->getBody0() != &bodies[0] && manifold->getBody1() != &bodies[0]) continue;
    for (int k = 0; k < manifold->getNumContacts(); ++k) load += manifold->getContactPoint(k).getAppliedImpulse() / dt;
  }
  std::printf("after a second: top at %.4f m, force under the lowest %.1f N\n",
              static_cast<double>(bodies.back().getWorldTransform().getOrigin().z()), load);
  std::printf("%d contacts, %d iterations, distance from Coulomb's law %.0e, %s\n", report.contacts, report.iterations,
              report.residual_coulomb, report.converged ? "converged" : "not converged");
  for (btRigidBody& body : bodies) world.removeRigidBody(&body);
}
