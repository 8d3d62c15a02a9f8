// The tables that a run writes. Columns are part of the file format.
#pragma once

#include <string>
#include <vector>

#include "carom/dynamics/world.h"
#include "io/csv_file.h"

namespace carom {

/// One row a body and sample.
class TrajectoryFile {
 public:
  TrajectoryFile(const std::string& path, const World& world);
  void sample(const World& world);
  CsvFile& file() { return file_; }

 private:
  CsvFile file_;
  std::vector<BodyHandle> bodies_;
  std::vector<std::string> names_;
};

/// One row a step.
class MetricsFile {
 public:
  explicit MetricsFile(const std::string& path);
  void add(const StepReport& report);
  CsvFile& file() { return file_; }

 private:
  CsvFile file_;
};

/// One row a contact and sample: the contacts of the step that ended at the world's time.
class ContactsFile {
 public:
  explicit ContactsFile(const std::string& path);
  void sample(const World& world);
  CsvFile& file() { return file_; }

 private:
  CsvFile file_;
};

const char* mode_name(ContactMode mode);

}  // namespace carom
