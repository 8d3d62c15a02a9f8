// How far an answer is from what its solver claims. Coulomb's law is measured for every method alike
// (carom/contact/measures.h); this is the other question: whether the method has done what it set out to do.
#pragma once

#include "carom/contact/problem.h"
#include "carom/contact/solution.h"
#include "carom/solvers/solver.h"

namespace carom {

/// m/s. `resting_speed` is what the solver was given: slower contacts do not bounce.
Real model_residual(SolverModel model, const ContactProblem& problem, const ContactSolution& solution,
                    Real resting_speed);

/// How much faster than its target a contact still approaches, m/s, at the velocities that the solver gives.
Real approach_left(const ContactProblem& problem, const ContactSolution& solution);

/// True where a contact is closed, approaches and has restitution: then the law is not Coulomb's alone.
bool restitution_acts(const ContactProblem& problem);

/// A dynamic body, or a frozen one that the solver has revived.
bool is_moved(const ContactProblem& problem, const ContactSolution& solution, std::size_t body);

}  // namespace carom
