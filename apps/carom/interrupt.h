// Ctrl-C: the work under way comes to an orderly end.
#pragma once

#include <atomic>

namespace carom::program {

/// From now on the first SIGINT or SIGTERM sets the flag; a second one ends the program at once. A limit on file sizes
/// becomes an error of the write, with a message, instead of the end of the program.
const std::atomic<bool>& catch_interrupts();

}  // namespace carom::program
