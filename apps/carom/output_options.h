// The options that several commands share: output files, the same for a run and for a recording of one, and threads.
#pragma once

#include <string>
#include <vector>

#include "study/output_settings.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own name
class App;
}

namespace carom::program {

void add_output_options(CLI::App& command, OutputSettings& settings);

/// The number of threads that `--threads` asks for: 0 stands for all cores.
int usable_threads(int asked);
inline constexpr int kMostThreads = 1024;

/// Announces files that are complete.
void print_written(const std::vector<std::string>& paths);

}  // namespace carom::program
