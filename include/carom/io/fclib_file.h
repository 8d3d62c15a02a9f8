// Frictional contact problems of the FCLib collection (`*.hdf5`), the field's own test problems.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "carom/base/error.h"
#include "carom/contact/matrix_problem.h"

namespace carom {

/// An answer that a file brings along: its solution, or a guess to start from.
struct FclibAnswer {
  std::string name;            ///< "solution", "guesses/1", …
  std::vector<Real> impulse;   ///< r, three numbers a contact
  std::vector<Real> velocity;  ///< u, as many; empty where the file has none. Some files have u, and zeros for r
};

struct FclibFile {
  MatrixProblem problem;
  bool global = false;          ///< the file has M, H, f and w; the matrix problem is reduced from them
  std::size_t global_size = 0;  ///< rows of M
  std::string title, description;
  std::vector<FclibAnswer> answers;
};

/// True where a path ends like that of an HDF5 file.
bool is_hdf5_path(const std::string& path);

/// Reads a problem in local form (W, q, mu) or global form (M, H, f, w, mu), matrices as triplets or compressed by
/// columns or rows. The message of a failure names the file, the data set, what was found and what is expected; in a
/// build without HDF5 (`CAROM_HDF5`) it says so.
Result<FclibFile> load_fclib(const std::string& path);

}  // namespace carom
