// What a problem asks for, and who refuses it.
#include <algorithm>
#include <array>
#include <optional>

#include "carom/solvers/solver.h"

namespace carom {
namespace {

constexpr std::array kNames{"friction",
                            "static friction above the dynamic",
                            "restitution",
                            "a normal target",
                            "a tangential target",
                            "rows",
                            "rolling friction",
                            "spinning friction"};

bool asks_for(const ContactPoint& c, Feature feature) {
  switch (feature) {
    case Feature::Friction:
      return c.mu_static > 0;
    case Feature::StaticFriction:
      return c.mu_static > c.mu;
    case Feature::Restitution:
      return c.restitution > 0;
    case Feature::GapTarget:
      return c.target != 0;
    case Feature::TangentTarget:
      return c.mu_static > 0 && (c.tangent_target[0] != 0 || c.tangent_target[1] != 0);
    case Feature::RollingFriction:
      return c.rolling_friction > 0;
    case Feature::SpinningFriction:
      return c.spinning_friction > 0;
    case Feature::Rows:
      break;
  }
  return false;
}

/// The path of the first thing that asks for the feature.
std::optional<std::string> first_asking(const ContactProblem& problem, Feature feature) {
  if (feature == Feature::Rows)
    return problem.row_blocks.empty() ? std::nullopt : std::optional<std::string>("rows[0]");
  const auto found = std::find_if(problem.contacts.begin(), problem.contacts.end(),
                                  [&](const ContactPoint& c) { return asks_for(c, feature); });
  if (found == problem.contacts.end()) return {};
  return "contacts[" + std::to_string(found - problem.contacts.begin()) + "]";
}

}  // namespace

const std::vector<Feature>& features() {
  static const std::vector<Feature> all{Feature::Friction,        Feature::StaticFriction,  Feature::Restitution,
                                        Feature::GapTarget,       Feature::TangentTarget,   Feature::Rows,
                                        Feature::RollingFriction, Feature::SpinningFriction};
  return all;
}

const char* feature_name(Feature feature) { return kNames.at(static_cast<std::size_t>(feature)); }

std::string refusal(const SolverInfo& solver, const ContactProblem& problem) {
  for (const Feature feature : features()) {
    if (std::find(solver.honours.begin(), solver.honours.end(), feature) != solver.honours.end()) continue;
    if (const auto where = first_asking(problem, feature)) {
      // A joint's row asks for nothing but itself.
      const std::string what =
          feature == Feature::Rows ? " is a row block" : std::string(" asks for ") + feature_name(feature);
      return solver.name + ": " + *where + what + ", which this solver does not do";
    }
  }
  return {};
}

std::string refusal(const SolverInfo& solver, const Options& options, const ContactProblem& problem) {
  if (std::string reason = refusal(solver, problem); !reason.empty()) return reason;
  if (solver.limit == nullptr) return {};
  const std::string reason = solver.limit(options, problem);
  return reason.empty() ? reason : solver.name + ": " + reason;
}

SolverModel solver_model(const SolverInfo& solver, const Options& options) {
  return solver.model_of != nullptr ? solver.model_of(options) : solver.model;
}

}  // namespace carom
