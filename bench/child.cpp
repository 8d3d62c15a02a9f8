#include "child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <new>

#include <fmt/format.h>

namespace carom::bench {
namespace {

struct Order {
  int steps = 0;
  double seconds = 0;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <std::size_t N>
void put_text(std::array<char, N>& to, const std::string& text) {
  const std::size_t length = std::min(text.size(), N - 1);
  std::copy_n(text.begin(), length, to.begin());
  to[length] = '\0';
}

/// All of it or nothing.
bool read_whole(int file, void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = read(file, at, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

/// The last line of what was printed: most engines say there why they give up.
std::string last_line_of(int file) {
  std::array<char, 400> text{};
  const off_t end = lseek(file, 0, SEEK_END);
  const off_t from = std::max<off_t>(0, end - static_cast<off_t>(text.size()) + 1);
  const ssize_t got = pread(file, text.data(), text.size() - 1, from);
  std::string tail(text.data(), static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  while (!tail.empty() && (tail.back() == '\n' || tail.back() == ' ')) tail.pop_back();
  return tail.substr(tail.find_last_of('\n') + 1);
}

}  // namespace

/// In memory that both processes see; the poses of the steps of a turn follow.
struct Child::Shared {
  std::array<char, 200> settings{};
  std::array<char, 400> not_run{};
  std::array<char, 400> error{};
  std::atomic<int> steps{0};  // finished in this turn
  std::array<StepCost, kMostSteps> costs{};
  bool has_own = false;
  OwnReport own;
};

Child::Child(const Contender& contender, const Scene& scene)
    : bodies_(scene.bodies.size()), bytes_(sizeof(Shared) + kMostSteps * bodies_ * sizeof(Pose)) {
  void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  require(memory != MAP_FAILED, "carom_bench: no memory to share with a child process");
  shared_ = new (memory) Shared;
  int orders[2], replies[2];
  require(pipe2(orders, O_CLOEXEC) == 0 && pipe2(replies, O_CLOEXEC) == 0, "carom_bench: no pipe to a child process");
  complaints_ = memfd_create("complaints", MFD_CLOEXEC);
  const pid_t parent = getpid();
  process_ = fork();
  require(process_ >= 0, "carom_bench: no child process can be started");
  if (process_ == 0) {
    // Whatever ends the parent ends the child.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    close(orders[1]);
    close(replies[0]);
    orders_ = orders[0];
    replies_ = replies[1];
    serve(contender, scene);
  }
  close(orders[0]);
  close(replies[1]);
  orders_ = orders[1];
  replies_ = replies[0];
}

Child::~Child() {
  stop("ended");
  close(orders_);
  close(replies_);
  close(complaints_);
  munmap(shared_, bytes_);
}

void Child::serve(const Contender& contender, const Scene& scene) const {
  // What engines print would spoil the table.
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
  if (complaints_ >= 0) dup2(complaints_, STDERR_FILENO);
  const char done = 'd';
  for (const std::string& entry : contender.environment) {
    const std::size_t equals = entry.find('=');
    setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
  }
  try {
    const std::unique_ptr<Engine> engine = contender.make();
    put_text(shared_->not_run, engine->load(scene));
    put_text(shared_->settings, engine->settings());
    if (write(replies_, &done, 1) != 1) _exit(1);
    std::vector<Pose> poses;
    for (Order order; read_whole(orders_, &order, sizeof order);) {
      const double start = wall_seconds();
      for (int step = 0; step < order.steps; ++step) {
        const double cpu = cpu_seconds(), wall = wall_seconds();
        engine->step(scene.dt);
        shared_->costs[static_cast<std::size_t>(step)] = {wall_seconds() - wall, cpu_seconds() - cpu};
        engine->poses(poses);
        std::copy(poses.begin(), poses.end(), slot(step));
        shared_->steps.store(step + 1, std::memory_order_release);
        if (wall_seconds() - start > order.seconds) break;
      }
      if (const std::optional<OwnReport> own = engine->own_report()) {
        shared_->own = *own;
        shared_->has_own = true;
      }
      if (write(replies_, &done, 1) != 1) _exit(1);
    }
  } catch (const std::exception& error) {
    put_text(shared_->error, error.what());
    _exit(1);
  }
  _exit(0);
}

Pose* Child::slot(int step) const {
  return reinterpret_cast<Pose*>(reinterpret_cast<char*>(shared_) + sizeof(Shared)) +
         static_cast<std::size_t>(step) * bodies_;
}

bool Child::wait_until_loaded(double limit) { return wait_for_reply(limit, "the scene was not loaded"); }

bool Child::take_turn(int steps, double seconds, double limit) {
  if (!end_.empty()) return false;
  shared_->steps.store(0);
  const Order order{std::min(steps, kMostSteps), seconds};
  // A child that has died makes the pipe refuse: no reply will come then either.
  std::signal(SIGPIPE, SIG_IGN);
  const ssize_t sent = write(orders_, &order, sizeof order);
  return wait_for_reply(sent == sizeof order ? limit : 0, "a turn was not finished");
}

bool Child::wait_for_reply(double limit, const std::string& what) {
  if (!end_.empty()) return false;
  const double until = wall_seconds() + limit;
  while (true) {
    pollfd file{replies_, POLLIN, 0};
    const double left = std::max(0.0, until - wall_seconds());
    const int ready = poll(&file, 1, static_cast<int>(1e3 * std::min(left, 1e5)) + 1);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      stop(fmt::format("stopped: {} within {:g} s", what, limit));
      return false;
    }
    char reply = 0;
    if (read_whole(replies_, &reply, 1)) return true;
    stop(reason_of_death());
    return false;
  }
}

std::string Child::reason_of_death() {
  int status = 0;
  if (waitpid(process_, &status, 0) != process_) return "crashed";
  process_ = -1;
  const std::string told = shared_->error[0] != '\0' ? std::string(shared_->error.data()) : last_line_of(complaints_);
  const std::string how = WIFSIGNALED(status)
                              ? fmt::format("crashed: signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                              : fmt::format("ended itself with status {}", WEXITSTATUS(status));
  return told.empty() ? how : how + ": " + told;
}

void Child::stop(const std::string& reason) {
  if (end_.empty()) end_ = reason;
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

std::span<const StepCost> Child::costs() const {
  const int steps = std::clamp(shared_->steps.load(std::memory_order_acquire), 0, kMostSteps);
  return {shared_->costs.data(), static_cast<std::size_t>(steps)};
}

const std::vector<Pose>& Child::poses(int index) {
  poses_.assign(slot(index), slot(index) + bodies_);
  return poses_;
}

std::string Child::not_run() const { return shared_->not_run.data(); }
std::string Child::settings() const { return shared_->settings.data(); }
std::optional<OwnReport> Child::own_report() const {
  return shared_->has_own ? std::optional(shared_->own) : std::nullopt;
}

}  // namespace carom::bench
