#include "interrupt.h"

#include <csignal>

namespace carom::program {
namespace {

std::atomic<bool> stop_requested{false};

extern "C" void request_stop(int /*signal*/) { stop_requested.store(true); }

}  // namespace

const std::atomic<bool>& catch_interrupts() {
  std::signal(SIGXFSZ, SIG_IGN);
  struct sigaction action{};
  action.sa_handler = request_stop;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
  return stop_requested;
}

}  // namespace carom::program
