#include "io/csv_file.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "io/run_files.h"
#include "io/text_file.h"

namespace carom {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test, gone afterwards.
class CsvFileTest : public ::testing::Test {
 protected:
  CsvFileTest() {
    std::string pattern = (fs::temp_directory_path() / "carom-io-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~CsvFileTest() override { fs::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

TEST(CsvField, QuotesOnlyWhereNeeded) {
  EXPECT_EQ(csv_field("cube[3]"), "cube[3]");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
}

TEST_F(CsvFileTest, NumbersReadBackBitForBit) {
  const double values[] = {0.1, 1.0 / 3, -0.0, 5e-324, 1.7976931348623157e308, 123456789012345678.0, 2.5e-7};
  CsvFile file(path("x.csv"), "value");
  for (const double value : values) file.print("{}\n", value);
  file.flush();
  ASSERT_EQ(file.error(), "");
  std::ifstream in(path("x.csv"));
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "value");
  for (const double value : values) {
    std::getline(in, line);
    const double read = std::strtod(line.c_str(), nullptr);
    EXPECT_EQ(read, value) << line;
    EXPECT_EQ(std::signbit(read), std::signbit(value)) << line;
  }
}

TEST_F(CsvFileTest, SlowRowsAreInTheFileBeforeItsEnd) {
  CsvFile file(path("x.csv"), "value,other");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  file.print("1,");
  EXPECT_EQ(read_text_file(path("x.csv")).value(), "") << "half a row";
  file.print("2\n");
  EXPECT_EQ(read_text_file(path("x.csv")).value(), "value,other\n1,2\n");
}

TEST_F(CsvFileTest, ChecksEveryFileAndLeavesNothingBehind) {
  ASSERT_EQ(write_text_file(path("old.csv"), "kept"), "");
  const std::string error = check_writable({path("new.csv"), path("old.csv"), path("no/such/folder.csv")});
  EXPECT_NE(error.find("no/such/folder.csv: cannot open the file for writing"), std::string::npos) << error;
  EXPECT_FALSE(fs::exists(path("new.csv")));
  EXPECT_EQ(read_text_file(path("old.csv")).value(), "kept");
  EXPECT_EQ(check_writable({path("new.csv"), path("old.csv")}), "");
  EXPECT_FALSE(fs::exists(path("new.csv")));
}

TEST_F(CsvFileTest, AFullDiskIsNoticed) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "SKIPPED: no /dev/full on this system, so a full disk cannot be played";
  CsvFile file("/dev/full", "value");
  for (int i = 0; i < 100'000; ++i) file.print("{}\n", i);
  file.flush();
  EXPECT_NE(file.error().find("/dev/full: cannot write the file"), std::string::npos) << file.error();
  EXPECT_NE(write_text_file("/dev/full", "x"), "");
}

TEST_F(CsvFileTest, TrajectoryQuotesNamesAndWritesOneRowABody) {
  World world;
  BodyDef def;
  def.shape = Shape::sphere(1);
  def.name = "odd, name";
  def.pose.position = {1, 2, 0.1};
  def.velocity = {0, 0, -3};
  world.add_body(def);
  TrajectoryFile trajectory(path("t.csv"), make_cast(world));
  Frame frame;
  capture(world, false, frame);
  trajectory.add_frame(frame);
  trajectory.finish();
  EXPECT_EQ(
      read_text_file(path("t.csv")).value(),
      "time,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,frozen\n0,\"odd, name\",1,2,0.1,1,0,0,0,0,0,-3,0,0,0,0\n");
}

}  // namespace
}  // namespace carom
