// Carom's contact component inside another engine, here a toy with discs in a plane. The engine keeps its own bodies
// and finds its own contacts; Carom gets the problem of one instant and answers with velocities.
#include <carom/contact.h>

#include <cstdio>
#include <vector>

struct Disc {  // the engine's own layout, z up
  float x, z, radius, mass;
  float vx, vz, spin;
};
struct Touch {
  int below, above;  // -1: the table
};

int main() {
  // A spinning disc falls on one that lies on the table.
  std::vector<Disc> discs{{0, 1, 1, 2, 0, 0, 0}, {1.2F, 2.6F, 1, 1, 0, -3, 4}};
  const std::vector<Touch> touches{{-1, 0}, {0, 1}};

  carom::ContactProblem problem;
  problem.bodies.resize(1 + discs.size());
  problem.bodies[0].role = carom::BodyRole::Fixed;
  for (std::size_t i = 0; i < discs.size(); ++i) {
    carom::ProblemBody& body = problem.bodies[i + 1];
    body.inverse_mass = 1 / discs[i].mass;
    body.inverse_inertia = (2 / (discs[i].mass * discs[i].radius * discs[i].radius)) * carom::Mat3::identity();
    body.velocity = {discs[i].vx, 0, discs[i].vz};
    body.angular_velocity = {0, discs[i].spin, 0};
  }
  for (const Touch& touch : touches) {
    const Disc& above = discs[static_cast<std::size_t>(touch.above)];
    const Disc table{above.x, 0, 0, 0, 0, 0, 0};
    const Disc& below = touch.below < 0 ? table : discs[static_cast<std::size_t>(touch.below)];
    carom::ContactPoint contact;
    contact.a = touch.below + 1, contact.b = touch.above + 1;
    contact.normal = carom::normalized(carom::Vec3{above.x - below.x, 0, above.z - below.z});
    contact.tangent = carom::default_tangent(contact.normal);
    contact.ra = below.radius * contact.normal, contact.rb = -above.radius * contact.normal;
    contact.mu = contact.mu_static = 0.3;
    problem.contacts.push_back(contact);
  }

  const carom::SolverInfo* solver = carom::find_solver("sequential");
  carom::ContactSolution solution;
  solver->make(carom::Options(solver->options))->solve(problem, {}, solution);
  for (std::size_t i = 0; i < discs.size(); ++i) {
    Disc& disc = discs[i];
    disc.vx = static_cast<float>(solution.velocities[i + 1].x);
    disc.vz = static_cast<float>(solution.velocities[i + 1].z);
    disc.spin = static_cast<float>(solution.angular_velocities[i + 1].y);
    std::printf("disc %zu: velocity (%.3f, %.3f) m/s, spin %.3f rad/s\n", i, static_cast<double>(disc.vx),
                static_cast<double>(disc.vz), static_cast<double>(disc.spin));
  }
  std::printf("distance from Coulomb's law: %.0e\n", carom::measure(problem, solution).residual_coulomb);
}
