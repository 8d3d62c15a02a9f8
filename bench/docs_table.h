// The table of docs/performance.md: one row a scene, one column an engine, the scenes where Carom loses first.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report.h"

namespace carom::bench {

/// More would not be read.
inline constexpr std::size_t kMostDocsScenes = 12;

/// How Carom's first contender stands against all others on one scene.
struct Standing {
  /// The worst comes first.
  enum class Kind : unsigned char { Unfinished, BehindInBoth, Slower, LessAccurate, Ahead };
  Kind kind = Kind::Ahead;
  double times = 1;  ///< slower, or where it is not slower: less accurate
  std::string text;  ///< of the table's last column
};
Standing standing_of(const SceneResult& result);

/// Markdown: the circumstances, the table and the settings of every engine in it. `missing` were not there.
std::string docs_table(std::span<const SceneResult> results, const Circumstances& where,
                       const std::vector<Peer>& missing);

}  // namespace carom::bench
