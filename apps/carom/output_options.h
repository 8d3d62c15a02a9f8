// The options for output files, the same for a run and for a recording of one.
#pragma once

#include <string>
#include <vector>

#include "study/output_settings.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own name
class App;
}

namespace carom::program {

void add_output_options(CLI::App& command, OutputSettings& settings);

/// Announces files that are complete.
void print_written(const std::vector<std::string>& paths);

}  // namespace carom::program
