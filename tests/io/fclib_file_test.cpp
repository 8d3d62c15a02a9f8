// FCLib's files: the problems of the collection, small ones written here in each form, and broken ones.
#include "carom/io/fclib_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>

#include "io/text_file.h"
#include "support/random.h"

#ifdef CAROM_HDF5
#include <hdf5.h>
#endif

namespace carom {
namespace {

namespace fs = std::filesystem;

const std::string kCollection = CAROM_TEST_DATA_DIR "/../../examples/fclib/";

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

#ifndef CAROM_HDF5

TEST(Fclib, ABuildWithoutHdf5SaysWhatIsMissing) {
  const Result<FclibFile> file = load_fclib(kCollection + "Box_Stacks-i0122-82-5.hdf5");
  ASSERT_FALSE(file);
  EXPECT_TRUE(contains(file.message(), "libhdf5-dev")) << file.message();
}

#else

/// Data sets of a file to be, by their paths.
struct Content {
  std::map<std::string, std::vector<double>> reals;
  std::map<std::string, std::vector<int>> integers;
  std::vector<std::string> groups;
};

void write_data(hid_t file, const std::string& name, hid_t type, std::size_t count, const void* data) {
  const hsize_t size = count;
  const hid_t create = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(create, 1);
  const hid_t space = H5Screate_simple(1, &size, nullptr);
  const hid_t set = H5Dcreate2(file, name.c_str(), type, space, create, H5P_DEFAULT, H5P_DEFAULT);
  if (count > 0) H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
  H5Dclose(set);
  H5Sclose(space);
  H5Pclose(create);
}

/// In the folder for temporary files, by a name that no other test uses at the same time.
std::string own_path(const std::string& name) {
  return testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name() + "_" + name;
}

/// A file in the folder for temporary ones, gone with the object.
class Written {
 public:
  explicit Written(const Content& content) : path_(own_path("fclib_file_test.hdf5")) {
    const hid_t file = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (const auto& [name, values] : content.reals)
      write_data(file, name, H5T_NATIVE_DOUBLE, values.size(), values.data());
    for (const auto& [name, values] : content.integers)
      write_data(file, name, H5T_NATIVE_INT, values.size(), values.data());
    for (const std::string& name : content.groups)
      H5Gclose(H5Gcreate2(file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(file);
  }
  ~Written() { fs::remove(path_); }
  Written(const Written&) = delete;
  Written& operator=(const Written&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

enum class Storage { Triplets, Columns, Rows };

/// A dense matrix, row after row, as FCLib stores a sparse one.
void put_matrix(Content& content, const std::string& name, const std::vector<std::vector<double>>& rows,
                Storage storage) {
  const int m = static_cast<int>(rows.size()), n = static_cast<int>(rows[0].size());
  std::vector<int> p, i;
  std::vector<double> x;
  const bool by_rows = storage == Storage::Rows;
  if (storage != Storage::Triplets) p.push_back(0);
  for (int a = 0; a < (by_rows ? m : n); ++a) {
    for (int b = 0; b < (by_rows ? n : m); ++b) {
      const double value = by_rows ? rows[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)]
                                   : rows[static_cast<std::size_t>(b)][static_cast<std::size_t>(a)];
      if (value == 0) continue;
      i.push_back(b);
      x.push_back(value);
      if (storage == Storage::Triplets) p.push_back(a);
    }
    if (storage != Storage::Triplets) p.push_back(static_cast<int>(x.size()));
  }
  const int nz = storage == Storage::Triplets ? static_cast<int>(x.size()) : (by_rows ? -2 : -1);
  content.integers[name + "/m"] = {m};
  content.integers[name + "/n"] = {n};
  content.integers[name + "/nz"] = {nz};
  content.integers[name + "/nzmax"] = {static_cast<int>(x.size())};
  content.integers[name + "/p"] = p;
  content.integers[name + "/i"] = i;
  content.reals[name + "/x"] = x;
}

/// Two contacts that feel each other a little. W is not quite symmetric, so that a transposed one would show.
const std::vector<std::vector<double>> kW{{2, 0.1, 0, 0.5, 0, 0}, {0.1001, 3, 0, 0, 0.2, 0}, {0, 0, 4, 0, 0, 0},
                                          {0.5, 0, 0, 2, 0, 0.3}, {0, 0.2, 0, 0, 3, 0},      {0, 0, 0, 0.3, 0, 4}};

Content local_content(Storage storage) {
  Content content;
  content.integers["fclib_local/spacedim"] = {3};
  content.reals["fclib_local/vectors/q"] = {-1, 0.1, 0.2, -2, 0.3, 0.4};
  content.reals["fclib_local/vectors/mu"] = {0.5, 0.7};
  put_matrix(content, "fclib_local/W", kW, storage);
  return content;
}

/// One contact of one body of mass 2 with one direction more than it needs.
Content global_content(Storage storage) {
  Content content;
  content.integers["fclib_global/spacedim"] = {3};
  content.reals["fclib_global/vectors/f"] = {2, 4, 6, 8};
  content.reals["fclib_global/vectors/w"] = {0.5, 0, 0};
  content.reals["fclib_global/vectors/mu"] = {0.5};
  put_matrix(content, "fclib_global/M", {{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 4}}, storage);
  put_matrix(content, "fclib_global/H", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 0}}, storage);
  return content;
}

TEST(Fclib, TheProblemsOfTheCollectionAreRead) {
  const auto expect = [](const std::string& name, std::size_t contacts, bool global, std::size_t size) {
    const Result<FclibFile> file = load_fclib(kCollection + name);
    ASSERT_TRUE(file) << file.message();
    EXPECT_EQ(file.value().problem.contact_count(), contacts);
    EXPECT_EQ(file.value().global, global);
    EXPECT_EQ(file.value().global_size, size);
    EXPECT_EQ(check(file.value().problem), "");
    EXPECT_FALSE(file.value().title.empty());
    EXPECT_EQ(file.value().answers.size(), 2U);
    for (const FclibAnswer& answer : file.value().answers) EXPECT_EQ(answer.velocity.size(), 3 * contacts);
  };
  expect("Box_Stacks-i0122-82-5.hdf5", 82, true, 450);
  expect("spheres-in-a-box-98-i10000-256-10.hdf5", 256, true, 588);
  expect("Capsules-i125-1213.hdf5", 286, false, 0);
}

TEST(Fclib, EveryStorageOfAMatrixGivesTheSameProblem) {
  for (const Storage storage : {Storage::Triplets, Storage::Columns, Storage::Rows}) {
    const Written written(local_content(storage));
    const Result<FclibFile> file = load_fclib(written.path());
    ASSERT_TRUE(file) << file.message();
    std::vector<Real> u(6);
    const std::vector<Real> j{1, 2, 3, 4, 5, 6};
    velocities_of(file.value().problem, j, u);
    for (std::size_t row = 0; row < 6; ++row) {
      Real expected = file.value().problem.q[row];
      for (std::size_t k = 0; k < 6; ++k) expected += kW[row][k] * j[k];
      EXPECT_NEAR(u[row], expected, 1e-14);
    }
    EXPECT_EQ(file.value().problem.mu, (std::vector<Real>{0.5, 0.7}));
  }
}

TEST(Fclib, TheGlobalFormIsReducedAsItIsDefined) {
  for (const Storage storage : {Storage::Triplets, Storage::Columns, Storage::Rows}) {
    const Written written(global_content(storage));
    const Result<FclibFile> file = load_fclib(written.path());
    ASSERT_TRUE(file) << file.message();
    // W = Hᵀ M⁻¹ H = diag(1/2, 1/2 + 1/4, 1/2); q = Hᵀ M⁻¹ f + w = (1 + 0.5, 2 + 2, 3).
    const Mat3& w = diagonal_block(file.value().problem, 0);
    EXPECT_NEAR(w(0, 0), 0.5, 1e-15);
    EXPECT_NEAR(w(1, 1), 0.75, 1e-15);
    EXPECT_NEAR(w(2, 2), 0.5, 1e-15);
    EXPECT_NEAR(file.value().problem.q[0], 1.5, 1e-15);
    EXPECT_NEAR(file.value().problem.q[1], 4, 1e-15);
    EXPECT_NEAR(file.value().problem.q[2], 3, 1e-15);
  }
}

TEST(Fclib, AnswersComeAlong) {
  Content content = local_content(Storage::Triplets);
  content.reals["solution/r"] = {1, 2, 3, 4, 5, 6};
  content.integers["guesses/number_of_guesses"] = {1};
  content.reals["guesses/1/r"] = {0, 0, 0, 0, 0, 0};
  content.reals["guesses/1/u"] = {6, 5, 4, 3, 2, 1};
  const Written written(content);
  const Result<FclibFile> file = load_fclib(written.path());
  ASSERT_TRUE(file) << file.message();
  ASSERT_EQ(file.value().answers.size(), 2U);
  EXPECT_EQ(file.value().answers[0].name, "solution");
  EXPECT_EQ(file.value().answers[0].impulse[5], 6);
  EXPECT_TRUE(file.value().answers[0].velocity.empty());
  EXPECT_EQ(file.value().answers[1].name, "guesses/1");
  EXPECT_EQ(file.value().answers[1].velocity[0], 6);
}

struct Break {
  const char* message;
  std::function<void(Content&)> how;
};

void expect_refused(Content content, const Break& wrong) {
  wrong.how(content);
  const Written written(content);
  testing::internal::CaptureStderr();
  const Result<FclibFile> file = load_fclib(written.path());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "HDF5 prints nothing of its own";
  ASSERT_FALSE(file) << wrong.message;
  EXPECT_TRUE(file.message().starts_with(written.path() + ": ")) << file.message();
  EXPECT_TRUE(contains(file.message(), wrong.message)) << wrong.message << " not in: " << file.message();
}

TEST(Fclib, BrokenLocalProblemsAreRefusedWithTheirPlace) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Break> breaks{
      {"found neither fclib_local nor fclib_global", [](Content& c) { c = {}; }},
      {"fclib_local/spacedim: found no such data set", [](Content& c) { c.integers.erase("fclib_local/spacedim"); }},
      {"fclib_local/spacedim: found 2, expected 3", [](Content& c) { c.integers["fclib_local/spacedim"] = {2}; }},
      {"fclib_local/spacedim: found 2 numbers", [](Content& c) { c.integers["fclib_local/spacedim"] = {3, 3}; }},
      {"fclib_local/vectors/mu: found no such data set", [](Content& c) { c.reals.erase("fclib_local/vectors/mu"); }},
      {"mu[1]: expected a number that is not negative",
       [](Content& c) { c.reals["fclib_local/vectors/mu"] = {0.5, -0.1}; }},
      {"fclib_local/vectors/q: found 5 numbers, expected 6",
       [](Content& c) { c.reals["fclib_local/vectors/q"].pop_back(); }},
      {"q[2]: found a number that is not finite", [](Content& c) { c.reals["fclib_local/vectors/q"][2] = kNan; }},
      {"W: found a number that is not finite", [](Content& c) { c.reals["fclib_local/W/x"][0] = kNan; }},
      {"fclib_local/W/x: found no such data set", [](Content& c) { c.reals.erase("fclib_local/W/x"); }},
      {"fclib_local/W: found 13 values", [](Content& c) { c.reals["fclib_local/W/x"].pop_back(); }},
      {"fclib_local/W: found a 9 by 6 matrix, expected 6 by 6",
       [](Content& c) { c.integers["fclib_local/W/m"] = {9}; }},
      {"fclib_local/W/nz: found -7", [](Content& c) { c.integers["fclib_local/W/nz"] = {-7}; }},
      {"fclib_local/W: found 14 values and 14 indices, expected 1000",
       [](Content& c) { c.integers["fclib_local/W/nz"] = {1000}; }},
      {"W: found the place (6, 0)", [](Content& c) { c.integers["fclib_local/W/i"][0] = 6; }},
      {"entry 0: found the place (-1, 0)", [](Content& c) { c.integers["fclib_local/W/i"][0] = -1; }},
      {"W is far from symmetric", [](Content& c) { c.reals["fclib_local/W/x"][1] = 2; }},
      {"fclib_local/W/i: found data of another type",
       [](Content& c) {
         c.integers.erase("fclib_local/W/i");
         c.reals["fclib_local/W/i"] = {1};
       }},
      {"fclib_local/W/i: found something else than a data set",
       [](Content& c) {
         c.integers.erase("fclib_local/W/i");
         c.groups = {"fclib_local/W/i"};
       }},
      {"fclib_local/R: found bilateral constraints", [](Content& c) { c.groups = {"fclib_local/R"}; }},
      {"solution/r: found 1 numbers, expected 6", [](Content& c) { c.reals["solution/r"] = {1}; }}};
  for (const Break& wrong : breaks) expect_refused(local_content(Storage::Triplets), wrong);
}

TEST(Fclib, BrokenCompressedMatricesAreRefusedWithTheirPlace) {
  const std::vector<Break> breaks{
      {"fclib_local/W/p: found 6 numbers, expected 7", [](Content& c) { c.integers["fclib_local/W/p"].pop_back(); }},
      {"do not rise from 0", [](Content& c) { c.integers["fclib_local/W/p"][0] = -1; }},
      {"do not rise from 0", [](Content& c) { c.integers["fclib_local/W/p"][3] = 1000000000; }},
      {"do not rise from 0", [](Content& c) { c.integers["fclib_local/W/p"].back() = 15; }}};
  for (const Break& wrong : breaks)
    for (const Storage storage : {Storage::Columns, Storage::Rows}) expect_refused(local_content(storage), wrong);
}

TEST(Fclib, BrokenGlobalProblemsAreRefusedWithTheirPlace) {
  const std::vector<Break> breaks{
      {"fclib_global/vectors/w: found 2 numbers, expected 3",
       [](Content& c) { c.reals["fclib_global/vectors/w"].pop_back(); }},
      {"fclib_global/M: found a 4 by 4 matrix, expected 3 by 3",
       [](Content& c) { c.reals["fclib_global/vectors/f"].pop_back(); }},
      {"M: found a matrix that is not positive definite", [](Content& c) { c.reals["fclib_global/M/x"][1] = -2; }},
      {"M: found a matrix that is not symmetric", [](Content& c) { c.integers["fclib_global/M/i"][0] = 1; }},
      {"fclib_global/G: found bilateral constraints", [](Content& c) { c.groups = {"fclib_global/G"}; }},
      {"fclib_global/H/m: found no such data set", [](Content& c) { c.integers.erase("fclib_global/H/m"); }}};
  for (const Break& wrong : breaks) expect_refused(global_content(Storage::Triplets), wrong);
}

std::string bytes_of(const std::string& path) { return read_text_file(path).value(); }

/// The message, or empty where the bytes make a problem.
std::string message_of(const std::string& bytes) {
  const std::string path = own_path("fclib_bytes_test.hdf5");
  std::ofstream(path, std::ios::binary) << bytes;
  const Result<FclibFile> file = load_fclib(path);
  fs::remove(path);
  return file ? std::string() : file.message();
}

TEST(Fclib, FilesThatAreNoneAreRefused) {
  EXPECT_TRUE(contains(message_of(""), "found no HDF5 file"));
  EXPECT_TRUE(contains(message_of("{\"carom_problem\": 1}"), "found no HDF5 file"));
  EXPECT_TRUE(contains(load_fclib("/tmp/no/such.hdf5").message(), "No such file"));
  EXPECT_TRUE(contains(load_fclib("/tmp/").message(), "directory"));
}

TEST(Fclib, FilesThatAreCutShortAreRefused) {
  const std::string whole = bytes_of(kCollection + "Box_Stacks-i0122-82-5.hdf5");
  for (std::size_t tenth = 0; tenth < 10; ++tenth) {
    const std::string message = message_of(whole.substr(0, tenth * whole.size() / 10));
    EXPECT_TRUE(contains(message, "found no HDF5 file") || contains(message, "cut short")) << tenth << ": " << message;
  }
}

TEST(Fclib, DamagedValuesAreReadOrRefusedAndNeverMore) {
  // Values of data sets: the reader of HDF5's own structures is not ours to test.
  test::Random random(9);
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    Content content = local_content(random.coin() ? Storage::Rows : Storage::Triplets);
    for (auto& [name, values] : content.integers)
      if (random.integer(0, 6) == 0)
        values[static_cast<std::size_t>(random.integer(0, static_cast<int>(values.size()) - 1))] ^=
            1 << random.integer(0, 31);
    const Written damaged(content);
    refused += load_fclib(damaged.path()) ? 0 : 1;
  }
  EXPECT_GT(refused, 100);
}

#endif

}  // namespace
}  // namespace carom
