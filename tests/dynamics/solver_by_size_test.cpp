#include "dynamics/solver_by_size.h"

#include <gtest/gtest.h>

namespace carom {
namespace {

/// Says who it is.
class Named final : public Solver {
 public:
  explicit Named(int name) : name_(name) {}
  void solve(const ContactProblem&, const SolveContext&, ContactSolution& solution) override {
    solution.report.iterations = name_;
  }

 private:
  int name_;
};

TEST(SolverBySize, FewContactsGoToTheFirstAndManyToTheSecond) {
  const auto solver = make_solver_by_size(std::make_unique<Named>(1), 3, std::make_unique<Named>(2));
  for (const auto& [contacts, who] : {std::pair{0U, 1}, {3U, 1}, {4U, 2}, {1U, 1}}) {
    ContactProblem problem;
    problem.contacts.resize(contacts);
    ContactSolution solution;
    solver->solve(problem, {}, solution);
    EXPECT_EQ(solution.report.iterations, who) << contacts;
  }
}

}  // namespace
}  // namespace carom
