#include "io/whole_file.h"

#include <gtest/gtest.h>

#include "io/export_run.h"
#include "io/text_file.h"

namespace carom {
namespace {

namespace fs = std::filesystem;

TEST(WholeFile, OldContentStaysUntilTheNewOneIsWhole) {
  const test::ScratchFolder scratch;
  const std::string path = scratch.path("file");
  ASSERT_EQ(write_text_file(path, "old"), "");
  {
    WholeFile abandoned(path);
    abandoned.write("half of it");
    EXPECT_EQ(read_text_file(path).value(), "old");
  }
  EXPECT_EQ(read_text_file(path).value(), "old");
  EXPECT_EQ(scratch.count(), 1U);

  WholeFile file(path);
  file.write("new ");
  file.write(std::string("and\0whole", 9));
  EXPECT_EQ(file.commit(), "");
  EXPECT_EQ(read_text_file(path).value(), std::string("new and\0whole", 13));
  EXPECT_EQ(scratch.count(), 1U);
}

TEST(WholeFile, ALinkStaysALink) {
  const test::ScratchFolder scratch;
  ASSERT_EQ(write_text_file(scratch.path("real"), "old"), "");
  fs::create_symlink("real", scratch.path("link"));
  WholeFile file(scratch.path("link"));
  file.write("new");
  EXPECT_EQ(file.commit(), "");
  EXPECT_TRUE(fs::is_symlink(scratch.path("link")));
  EXPECT_EQ(read_text_file(scratch.path("real")).value(), "new");
}

TEST(WholeFile, AFullDiskIsNoticedAndADeviceStaysADevice) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  WholeFile file("/dev/full");
  file.write(std::string(100'000, 'x'));
  EXPECT_NE(file.commit().find("/dev/full: cannot write the file"), std::string::npos);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST(WholeFile, AMissingFolderIsNamed) {
  const test::ScratchFolder scratch;
  WholeFile file(scratch.path("no/file"));
  file.write("x");
  const std::string error = file.commit();
  EXPECT_NE(error.find("no/file: cannot open the file for writing"), std::string::npos) << error;
}

}  // namespace
}  // namespace carom
