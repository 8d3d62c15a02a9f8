// FCLib's files: groups `fclib_local` (W, vectors/q, vectors/mu) or `fclib_global` (M, H, vectors/f, vectors/w,
// vectors/mu), and beside them `solution` and `guesses`. A matrix is a group of m, n (its size), nz (how many triplets
// there are, −1 for columns, −2 for rows compressed), p, i and x: of triplets i is the row and p the column, as in
// CSparse.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "carom/io/fclib_file.h"
#include "io/fclib_hdf5.h"

namespace carom {
namespace {

using Loaded = Result<FclibFile>;

/// Reads one thing after the other; the first that is wrong is kept, and nothing is read after it.
class Reader {
 public:
  Reader(std::string path, const Hdf5File& file) : path_(std::move(path)), file_(file) {}

  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  bool has(const std::string& name) const { return file_.has(name); }
  std::string text(const std::string& name) const { return file_.text(name); }
  void fail(const std::string& name, const std::string& message) {
    if (ok()) error_ = path_ + ": " + name + ": " + message;
  }

  std::vector<Real> reals(const std::string& name) { return taken(ok() ? file_.reals(name) : kNoReals); }
  std::vector<std::int64_t> integers(const std::string& name) {
    return taken(ok() ? file_.integers(name) : kNoIntegers);
  }
  std::int64_t integer(const std::string& name) {
    const std::vector<std::int64_t> values = integers(name);
    if (ok() && values.size() != 1) fail(name, fmt::format("found {} numbers, expected one", values.size()));
    return ok() ? values[0] : 0;
  }
  /// A vector of a given length.
  std::vector<Real> vector(const std::string& name, std::size_t size) {
    std::vector<Real> values = reals(name);
    if (ok() && values.size() != size) fail(name, fmt::format("found {} numbers, expected {}", values.size(), size));
    return values;
  }
  std::vector<MatrixEntry> matrix(const std::string& name, std::size_t rows, std::size_t columns);

 private:
  inline static const Result<std::vector<Real>> kNoReals{std::vector<Real>{}};
  inline static const Result<std::vector<std::int64_t>> kNoIntegers{std::vector<std::int64_t>{}};

  template <class T>
  std::vector<T> taken(const Result<std::vector<T>>& values) {
    if (values) return values.value();
    error_ = values.message();
    return {};
  }
  /// Where each entry's outer index comes from: as it stands for triplets, from the pointers for compressed ones.
  std::vector<std::int64_t> expanded(const std::string& name, const std::vector<std::int64_t>& pointers,
                                     std::size_t outer, std::size_t entries);

  std::string path_;
  const Hdf5File& file_;
  std::string error_;
};

std::vector<std::int64_t> Reader::expanded(const std::string& name, const std::vector<std::int64_t>& pointers,
                                           std::size_t outer, std::size_t entries) {
  std::vector<std::int64_t> indices;
  if (pointers.size() != outer + 1) {
    fail(name, fmt::format("found {} numbers, expected {}", pointers.size(), outer + 1));
    return indices;
  }
  bool rising = pointers.front() == 0 && pointers.back() >= 0 && static_cast<std::size_t>(pointers.back()) <= entries;
  for (std::size_t k = 0; k < outer; ++k) rising = rising && pointers[k] <= pointers[k + 1];
  if (!rising) {
    fail(name, fmt::format("found numbers that do not rise from 0 to at most {}, the number of entries", entries));
    return indices;
  }
  for (std::size_t k = 0; k < outer; ++k)
    indices.insert(indices.end(), static_cast<std::size_t>(pointers[k + 1] - pointers[k]),
                   static_cast<std::int64_t>(k));
  return indices;
}

std::vector<MatrixEntry> Reader::matrix(const std::string& name, std::size_t rows, std::size_t columns) {
  const std::int64_t m = integer(name + "/m"), n = integer(name + "/n"), nz = integer(name + "/nz");
  const std::vector<std::int64_t> p = integers(name + "/p"), i = integers(name + "/i");
  const std::vector<Real> x = reals(name + "/x");
  std::vector<MatrixEntry> entries;
  if (!ok()) return entries;
  if (m != static_cast<std::int64_t>(rows) || n != static_cast<std::int64_t>(columns)) {
    fail(name, fmt::format("found a {} by {} matrix, expected {} by {}", m, n, rows, columns));
    return entries;
  }
  if (nz < -2) {
    fail(name + "/nz", fmt::format("found {}, expected a number of triplets, -1 (columns) or -2 (rows)", nz));
    return entries;
  }
  const std::vector<std::int64_t> outer = nz >= 0 ? p : expanded(name + "/p", p, nz == -1 ? columns : rows, x.size());
  const std::size_t count = nz >= 0 ? static_cast<std::size_t>(nz) : outer.size();
  if (ok() && (x.size() < count || i.size() < count || outer.size() < count))
    fail(name, fmt::format("found {} values and {} indices, expected {} of each", x.size(),
                           std::min(i.size(), outer.size()), count));
  if (!ok()) return entries;
  entries.reserve(count);
  const std::int64_t most = std::numeric_limits<std::int32_t>::max();
  for (std::size_t k = 0; k < count; ++k) {
    const std::int64_t row = nz == -2 ? outer[k] : i[k], column = nz == -2 ? i[k] : outer[k];
    if (row < 0 || row > most || column < 0 || column > most) {
      fail(name, fmt::format("entry {}: found the place ({}, {}), expected rows below {} and columns below {}", k, row,
                             column, rows, columns));
      return entries;
    }
    entries.push_back({static_cast<std::int32_t>(row), static_cast<std::int32_t>(column), x[k]});
  }
  return entries;
}

/// Equality constraints are part of the format, and no part of what Carom's matrix problems can say.
void refuse_bilateral(Reader& reader, const std::string& group, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (reader.has(group + "/" + name))
      reader.fail(group + "/" + name, "found bilateral constraints, which are not supported: contacts alone are");
}

void read_answers(Reader& reader, std::size_t rows, FclibFile& file) {
  std::vector<std::string> names{"solution"};
  if (reader.has("guesses/number_of_guesses")) {
    const std::int64_t count = reader.integer("guesses/number_of_guesses");
    for (std::int64_t k = 1; k <= count && reader.has(fmt::format("guesses/{}", k)); ++k)
      names.push_back(fmt::format("guesses/{}", k));
  }
  for (const std::string& name : names) {
    if (!reader.has(name + "/r")) continue;
    FclibAnswer answer{name, reader.vector(name + "/r", rows), {}};
    if (reader.has(name + "/u")) answer.velocity = reader.vector(name + "/u", rows);
    file.answers.push_back(std::move(answer));
  }
}

Result<MatrixProblem> read_problem(Reader& reader, const std::string& group, FclibFile& file) {
  if (const std::int64_t dimension = reader.integer(group + "/spacedim"); reader.ok() && dimension != 3)
    reader.fail(group + "/spacedim",
                fmt::format("found {}, expected 3: contacts in the plane are not supported", dimension));
  std::vector<Real> mu = reader.reals(group + "/vectors/mu");
  const std::size_t rows = 3 * mu.size();
  if (file.global) {
    refuse_bilateral(reader, group, {"G", "vectors/b"});
    GlobalMatrixProblem problem;
    problem.f = reader.reals(group + "/vectors/f");
    problem.w = reader.vector(group + "/vectors/w", rows);
    problem.mass = reader.matrix(group + "/M", problem.f.size(), problem.f.size());
    problem.h = reader.matrix(group + "/H", problem.f.size(), rows);
    problem.mu = std::move(mu);
    file.global_size = problem.f.size();
    return reader.ok() ? reduced(problem) : Result<MatrixProblem>::failure({});
  }
  refuse_bilateral(reader, group, {"V", "R", "vectors/s"});
  std::vector<Real> q = reader.vector(group + "/vectors/q", rows);
  const std::vector<MatrixEntry> w = reader.matrix(group + "/W", rows, rows);
  return reader.ok() ? matrix_problem(w, std::move(q), std::move(mu)) : Result<MatrixProblem>::failure({});
}

}  // namespace

bool is_hdf5_path(const std::string& path) { return path.ends_with(".hdf5") || path.ends_with(".h5"); }

Loaded load_fclib(const std::string& path) {
  const auto opened = Hdf5File::open(path);
  if (!opened) return Loaded::failure(opened.message());
  Reader reader(path, *opened.value());
  FclibFile file;
  file.global = reader.has("fclib_global");
  const std::string group = file.global ? "fclib_global" : "fclib_local";
  if (!reader.has(group))
    return Loaded::failure(path + ": found neither fclib_local nor fclib_global, expected a problem of FCLib");
  file.title = reader.text(group + "/info/title");
  file.description = reader.text(group + "/info/description");
  Result<MatrixProblem> problem = read_problem(reader, group, file);
  if (!reader.ok()) return Loaded::failure(reader.error());
  if (!problem) return Loaded::failure(path + ": " + group + ": " + problem.message());
  file.problem = std::move(problem.value());
  read_answers(reader, 3 * file.problem.contact_count(), file);
  if (!reader.ok()) return Loaded::failure(reader.error());
  return file;
}

}  // namespace carom
