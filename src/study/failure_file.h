// What is left when a simulation fails: the last good state and what led to it.
#pragma once

#include <deque>
#include <string>

#include "carom/dynamics/world.h"
#include "carom/io/scene.h"

namespace carom {

/// `reports` are the last steps taken, the oldest first, then the one that failed. Empty when written, else why not.
[[nodiscard]] std::string write_failure(const std::string& path, const Scene& scene, const Options& options, Real dt,
                                        const World& world, const std::deque<StepReport>& reports);

}  // namespace carom
