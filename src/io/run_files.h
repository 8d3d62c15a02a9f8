// The tables that a run writes. Columns are part of the file format.
#pragma once

#include <string>
#include <vector>

#include "io/csv_file.h"
#include "io/frame.h"

namespace carom {

/// What the tables have in common.
class TableFile : public RunOutput {
 public:
  TableFile(const std::string& path, std::string_view columns) : file_(path, columns) {}
  void add_frame(const Frame& /*frame*/) override {}
  void add_step(const StepReport& /*report*/) override {}
  void finish() override { file_.flush(); }
  std::string error() const override { return file_.error(); }

 protected:
  CsvFile& file() { return file_; }

 private:
  CsvFile file_;
};

/// One row a body and frame.
class TrajectoryFile final : public TableFile {
 public:
  TrajectoryFile(const std::string& path, const Cast& cast);
  void add_frame(const Frame& frame) override;

 private:
  std::vector<std::string> names_;
};

/// One row a step.
class MetricsFile final : public TableFile {
 public:
  explicit MetricsFile(const std::string& path);
  void add_step(const StepReport& report) override;
};

/// One row a contact and frame: the contacts of the step that ended at the frame's time.
class ContactsFile final : public TableFile {
 public:
  ContactsFile(const std::string& path, const Cast& cast);
  void add_frame(const Frame& frame) override;

 private:
  std::vector<std::string> names_;
};

/// One row an impact, of every step whether or not it ends at a frame.
class EventsFile final : public TableFile {
 public:
  EventsFile(const std::string& path, const Cast& cast);
  /// A step's rows reach the file at once: what led to a crash is what the table is wanted for.
  void add_events(const StepEvents& events) override;

 private:
  std::vector<std::string> names_;
};

const char* mode_name(ContactMode mode);

}  // namespace carom
