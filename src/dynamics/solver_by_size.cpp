#include "dynamics/solver_by_size.h"

#include <utility>

namespace carom {
namespace {

class SolverBySize final : public Solver {
 public:
  SolverBySize(std::unique_ptr<Solver> few, std::size_t most_contacts, std::unique_ptr<Solver> many)
      : few_(std::move(few)), most_contacts_(most_contacts), many_(std::move(many)) {}

  void solve(const ContactProblem& problem, const SolveContext& context, ContactSolution& solution) override {
    (problem.contacts.size() <= most_contacts_ ? few_ : many_)->solve(problem, context, solution);
  }

 private:
  std::unique_ptr<Solver> few_;
  std::size_t most_contacts_;
  std::unique_ptr<Solver> many_;
};

}  // namespace

std::unique_ptr<Solver> make_solver_by_size(std::unique_ptr<Solver> few, std::size_t most_contacts,
                                            std::unique_ptr<Solver> many) {
  return std::make_unique<SolverBySize>(std::move(few), most_contacts, std::move(many));
}

}  // namespace carom
