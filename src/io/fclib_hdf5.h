// The one place where the HDF5 library comes in: data sets of a file as plain vectors, errors as messages.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "carom/base/error.h"

namespace carom {

class Hdf5File {
 public:
  /// The message of a failure names the file and says why.
  static Result<std::shared_ptr<const Hdf5File>> open(const std::string& path);
  virtual ~Hdf5File() = default;

  /// A group or data set, by its path in the file.
  virtual bool has(const std::string& name) const = 0;
  /// A data set as a flat list. The message of a failure names the file and the data set.
  virtual Result<std::vector<double>> reals(const std::string& name) const = 0;
  virtual Result<std::vector<std::int64_t>> integers(const std::string& name) const = 0;
  /// Empty where there is none.
  virtual std::string text(const std::string& name) const = 0;
};

}  // namespace carom
