// A run as binary glTF 2.0: every body a node with its mesh, moving ones animated. docs/export.md says what readers
// see.
#pragma once

#include <cstdint>
#include <string>

#include "io/frame.h"
#include "io/pose_tracks.h"

namespace carom {

class GltfFile final : public RunOutput {
 public:
  /// The format counts its bytes in 32 bits.
  static constexpr std::uint64_t kLargestFile = 0xFFFFFFFF;

  /// Nothing is opened before `finish`. A file that would get larger than `largest_file` bytes is an error.
  GltfFile(std::string path, const Cast& cast, std::uint64_t largest_file = kLargestFile);

  void add_frame(const Frame& frame) override;
  void add_step(const StepReport& /*report*/) override {}
  void finish() override;
  std::string error() const override { return error_; }

 private:
  void note_too_large(std::uint64_t size);

  std::string path_;
  Cast cast_;
  PoseTracks tracks_;
  std::uint64_t largest_file_;
  std::string error_;
};

}  // namespace carom
