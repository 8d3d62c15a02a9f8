// Papers reproduced: the experiments that each reports, run again. A paper is a list of sections; sections know nothing
// of each other and may run on different threads, and nothing that they measure, save times, depends on that.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "study/paper_report.h"

namespace carom {

/// How much is spent: sizes and durations. Tiny shows that everything runs and says little about the papers.
enum class Effort : std::uint8_t { Tiny, Quick, Full };
const char* effort_name(Effort effort);  ///< "tiny", "quick", "full"

/// What a section works with.
class SectionWork {
 public:
  SectionWork(Effort effort, std::function<void(double)> progress) : effort_(effort), progress_(std::move(progress)) {}

  Effort effort() const { return effort_; }
  template <class T>
  T pick(const T& tiny, const T& quick, const T& full) const {
    return effort_ == Effort::Tiny ? tiny : effort_ == Effort::Quick ? quick : full;
  }
  /// How much of the section is done, from 0 to 1.
  void show(double share) const { progress_(share); }
  /// The same for one of several equal parts.
  void show(std::size_t part, std::size_t parts, double share = 0) const {
    progress_((static_cast<double>(part) + share) / static_cast<double>(parts));
  }

 private:
  Effort effort_;
  std::function<void(double)> progress_;
};

struct SectionPlan {
  std::string title;
  double weight = 1;  ///< seconds that it takes in the quick setting, about: for the progress bar
  void (*make)(const SectionWork& work, ReportSection& section);
};

struct PaperPlan {
  std::string name, title, citation, introduction;
  std::vector<SectionPlan> sections;
};

/// Every paper there is.
const std::vector<PaperPlan>& paper_registry();
/// Null if there is none of that name.
const PaperPlan* find_paper(std::string_view name);

// The papers, by file.
PaperPlan schmidl_paper();
PaperPlan bender_paper();
PaperPlan lembcke_paper();
PaperPlan lin_paper();
PaperPlan mirtich_paper();

struct ReproduceSettings {
  std::vector<const PaperPlan*> papers;
  Effort effort = Effort::Quick;
  int threads = 1;  ///< sections that run at the same time
};

/// Called from the thread that called `reproduce`: the share of all work that is done, and what is being done.
using ReproduceProgress = std::function<void(double share, const std::string& what)>;

/// Runs all sections of all papers. A section that fails (`carom::Error`) ends it all with its message.
std::vector<PaperReport> reproduce(const ReproduceSettings& settings, const ReproduceProgress& progress);

}  // namespace carom
