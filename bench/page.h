// The benchmark as one page: losses first, then the plot that matters for each scene, error against time, and the
// figures behind it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report.h"

namespace carom::bench {

/// `missing` are the engines that were not there.
std::string bench_page(std::span<const SceneResult> results, const Circumstances& where,
                       const std::vector<Peer>& missing);

}  // namespace carom::bench
