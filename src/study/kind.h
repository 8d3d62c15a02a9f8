// Kinds of validation cases: each builds what a case's setup describes, runs it and measures. None knows what is
// expected.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "carom/base/options.h"
#include "carom/io/cases_file.h"
#include "carom/math/types.h"
#include "io/json_view.h"
#include "study/artifact.h"

namespace carom {

/// Options of a suite by name, where they are not its own.
using SuiteOptions = std::vector<std::pair<std::string, OptionValue>>;

/// What a case is run with.
struct KindInput {
  std::string id;             ///< of the case: what artifacts are named after
  JsonView setup;             ///< complaints about it are located
  Real dt = 0;                ///< s: the step of fixed-step suites
  std::string suite;          ///< of the kinds that run a scene
  SuiteOptions options = {};  ///< of the suite; they win over those of the kind
  double time_limit = 0;      ///< s of wall time for each scene that is run; 0: none
};

/// What was measured, by key.
struct Measurements {
  std::map<std::string, CaseValue> values;
  std::vector<Artifact> artifacts;
  bool ran = false;      ///< a scene was run: what it did not show (a body that never stopped) is a miss
  bool gave_up = false;  ///< the time limit ended a scene

  void add(const std::string& key, CaseValue value) { values.insert_or_assign(key, std::move(value)); }
  void keep(const std::string& name, std::string text) { artifacts.push_back({name, std::move(text)}); }
};

struct KindInfo {
  std::string name;
  bool runs_scenes = false;  ///< measured with each suite asked for; else by the laws and solvers that its keys name
  void (*measure)(const KindInput& input, Measurements& out);
};

/// Every kind there is.
const std::vector<KindInfo>& kind_registry();
/// Null if there is none of that name.
const KindInfo* find_kind(std::string_view name);

/// A member that must be there. Where it is not, that is complained of, and what comes back reads as nothing.
JsonView need(const JsonView& view, std::string_view key);

// The kinds, by file.
std::vector<KindInfo> impact_kinds();
std::vector<KindInfo> office_toy_kinds();
std::vector<KindInfo> free_kinds();
std::vector<KindInfo> slope_kinds();
std::vector<KindInfo> pile_kinds();
std::vector<KindInfo> ball_kinds();
std::vector<KindInfo> hit_kinds();
std::vector<KindInfo> qp_kinds();
std::vector<KindInfo> lcp_kinds();
std::vector<KindInfo> lean_kinds();
std::vector<KindInfo> hourglass_kinds();
std::vector<KindInfo> freezing_kinds();
std::vector<KindInfo> top_kinds();
std::vector<KindInfo> tip_kinds();

/// What the laws say is `jamb` where they have no answer.
inline constexpr const char* kJamb = "jamb";

}  // namespace carom
