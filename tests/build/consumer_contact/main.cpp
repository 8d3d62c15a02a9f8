// A ball of 2 kg meets the ground at 3 m/s without bounce: every solver has to stop it with an impulse of 6 N s.
#include <carom/contact.h>

#include <cmath>
#include <cstdio>

int main() {
  carom::ContactProblem problem;
  carom::ProblemBody ground, ball;
  ground.role = carom::BodyRole::Fixed;
  ball.inverse_mass = 0.5;
  ball.inverse_inertia = carom::Mat3::identity();
  ball.velocity = {0, 0, -3};
  problem.bodies = {ground, ball};

  carom::ContactPoint contact;
  contact.a = 0, contact.b = 1;
  contact.normal = {0, 0, 1};
  contact.tangent = carom::default_tangent(contact.normal);
  contact.rb = {0, 0, -0.5};
  contact.mu = contact.mu_static = 0.5;
  problem.contacts = {contact};

  int failures = carom::solver_registry().empty() ? 1 : 0;
  for (const carom::SolverInfo& info : carom::solver_registry()) {
    carom::ContactSolution solution;
    info.make(carom::Options(info.options))->solve(problem, {}, solution);
    const double impulse = solution.impulses.at(0).z;
    const double residual = carom::measure(problem, solution).residual_coulomb;
    std::printf("%s: impulse %.9f N s, residual %.1e\n", info.name.c_str(), impulse, residual);
    if (std::abs(impulse - 6) > 1e-6) ++failures;
  }
  return failures;
}
