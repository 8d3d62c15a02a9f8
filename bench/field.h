// Who takes part: engines, their settings, suites and options, and what of it suits a scene.
#pragma once

#include <string>
#include <vector>

#include "engine.h"

namespace carom::bench {

/// Every suite there is, those for everyday use first.
std::vector<std::string> all_suites();
/// Of a quick run: the suites for everyday use, and the one that the paper on freezing is about.
std::vector<std::string> quick_suites();
/// Carom, and every engine that the benchmark knows.
std::vector<std::string> all_engines();
/// Of the table in docs/performance.md: the first of Carom's suites for everyday use, and every other engine.
std::vector<std::string> docs_engines();

struct Field {
  /// `carom` or a peer in all its variants; or one variant of it, `carom-exact` or `box3d-tuned`, with settings for it
  /// alone: `carom-exact:freezing=true:NAME=value`. Names in capitals are environment variables of its process.
  std::vector<std::string> engines = all_engines();
  std::vector<std::string> suites = all_suites();  ///< of `carom`
  std::vector<int> threads{1, 2};                  ///< of Carom
  std::vector<std::string> efforts{"default", "accurate"};
  std::vector<std::string> set;  ///< options for every suite of Carom, key=value
  bool freezing = true;          ///< each suite of `carom` with freezing as well
};

/// One entry of `Field::engines`.
struct EngineChoice {
  std::string name;     ///< "carom" or that of a peer
  std::string variant;  ///< a suite of Carom, a setting of a peer; empty: all that the field allows
  std::vector<std::string> set, environment;
};
/// Throws with the names that there are where there is no such engine, variant or form.
EngineChoice parse_choice(const std::string& entry);

/// Throws where an entry names something that there is not, or an option that its suite does not take. Options for all
/// suites must be known to one of them. `scene` is any scene.
void require_known(const Field& field, const Scene& scene);

/// Every way of running the scene that the field allows and that suits it: more threads only where there are many
/// bodies, freezing only under gravity and for the suites meant for use, suites made for few bodies only with few.
/// What an entry names alone is run as it says.
std::vector<Contender> contenders_for(const Scene& scene, const Field& field);

/// Engines of the field that were not there when the benchmark was built.
std::vector<Peer> missing_engines(const Field& field);

}  // namespace carom::bench
