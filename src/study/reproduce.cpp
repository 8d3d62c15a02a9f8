#include "study/reproduce.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "base/stopwatch.h"

namespace carom {
namespace {

/// One section of one paper, on its way.
struct SectionJob {
  const PaperPlan* paper = nullptr;
  const SectionPlan* plan = nullptr;
  ReportSection* section = nullptr;
  double* seconds = nullptr;     // of its paper, summed under the lock
  std::atomic<double> share{0};  // done, from 0 to 1
  std::atomic<bool> running{false};
};

class Reproduction {
 public:
  Reproduction(const ReproduceSettings& settings, const ReproduceProgress& progress)
      : settings_(settings), progress_(progress) {
    std::size_t count = 0;
    for (const PaperPlan* paper : settings.papers) count += paper->sections.size();
    jobs_ = std::vector<SectionJob>(count);
    reports_.reserve(settings.papers.size());
    for (const PaperPlan* paper : settings.papers) add(*paper);
  }

  std::vector<PaperReport> go() {
    // The longest first: no thread is left alone with one at the end.
    std::vector<std::size_t> order(jobs_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return jobs_[i].plan->weight; });
    order_ = std::move(order);
    std::vector<std::thread> workers;
    for (int i = 0; i < std::max(settings_.threads, 1); ++i) workers.emplace_back([this] { work(); });
    wait();
    for (std::thread& worker : workers) worker.join();
    if (failure_) std::rethrow_exception(failure_);
    return std::move(reports_);
  }

 private:
  void add(const PaperPlan& paper) {
    PaperReport& report = reports_.emplace_back();
    report.name = paper.name;
    report.title = paper.title;
    report.citation = paper.citation;
    report.introduction = paper.introduction;
    report.setting = effort_name(settings_.effort);
    report.sections.resize(paper.sections.size());
    for (std::size_t i = 0; i < paper.sections.size(); ++i) {
      SectionJob& job = jobs_[prepared_++];
      job.paper = &paper;
      job.plan = &paper.sections[i];
      job.section = &report.sections[i];
      job.section->title = job.plan->title;
      job.seconds = &report.seconds;
      whole_weight_ += job.plan->weight;
    }
  }

  void work() {
    for (std::size_t i = next_++; i < order_.size() && !failed_; i = next_++) {
      SectionJob& job = jobs_[order_[i]];
      job.running = true;
      Stopwatch watch;
      try {
        job.plan->make(SectionWork(settings_.effort, [&job](double share) { job.share = std::clamp(share, 0.0, 1.0); }),
                       *job.section);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        failed_ = true;
      }
      job.share = 1;
      job.running = false;
      const std::lock_guard lock(mutex_);
      *job.seconds += watch.lap();
      changed_.notify_all();
    }
    const std::lock_guard lock(mutex_);
    ++left_;
    changed_.notify_all();
  }

  /// Shows progress from the calling thread until all workers have left.
  void wait() {
    const int workers = std::max(settings_.threads, 1);
    std::unique_lock lock(mutex_);
    while (left_ < workers) {
      changed_.wait_for(lock, std::chrono::milliseconds(100));
      double share = 0;
      std::string what;
      for (const SectionJob& job : jobs_) {
        share += job.share * job.plan->weight / whole_weight_;
        if (what.empty() && job.running) what = job.paper->name + ": " + job.plan->title;
      }
      if (progress_) progress_(share, what);
    }
  }

  const ReproduceSettings& settings_;
  const ReproduceProgress& progress_;
  std::vector<PaperReport> reports_;
  std::vector<SectionJob> jobs_;
  std::vector<std::size_t> order_;
  std::size_t prepared_ = 0;
  double whole_weight_ = 0;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;  // of what follows, and of the reports' seconds
  std::condition_variable changed_;
  std::exception_ptr failure_;
  int left_ = 0;
};

}  // namespace

const char* effort_name(Effort effort) {
  return effort == Effort::Tiny ? "tiny" : effort == Effort::Quick ? "quick" : "full";
}

const std::vector<PaperPlan>& paper_registry() {
  static const std::vector<PaperPlan> registry{schmidl_paper(), bender_paper(), lembcke_paper(), lin_paper(),
                                               mirtich_paper()};
  return registry;
}

const PaperPlan* find_paper(std::string_view name) {
  for (const PaperPlan& paper : paper_registry())
    if (paper.name == name) return &paper;
  return nullptr;
}

std::vector<PaperReport> reproduce(const ReproduceSettings& settings, const ReproduceProgress& progress) {
  return Reproduction(settings, progress).go();
}

}  // namespace carom
