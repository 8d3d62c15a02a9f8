// `carom reproduce` as a user sees it.
#include <gtest/gtest.h>

#include "program.h"
#include "study/reproduce.h"

namespace carom::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> paper_names() {
  std::vector<std::string> names;
  for (const PaperPlan& paper : paper_registry()) names.push_back(paper.name);
  return names;
}

class ReproducePaper : public testing::TestWithParam<std::string> {};

TEST_P(ReproducePaper, TinyRunWritesAWholeReport) {
  const TemporaryFolder folder;
  const std::string name = GetParam();
  const Outcome outcome = run_program({"reproduce", name, "--tiny", "--out", "reports"}, folder.path());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string page = read_file(folder.path() / "reports" / (name + ".html"));
  EXPECT_FALSE(contains(page, "http")) << "a page needs nothing from elsewhere";
  // Prose has no such words; numbers that went wrong would show as them.
  EXPECT_FALSE(contains(page, ">nan<") || contains(page, " nan ") || contains(page, ">inf<"));
  std::size_t verdicts = 0;
  for (std::size_t at = page.find("class=\"verdict\""); at != std::string::npos;
       at = page.find("class=\"verdict\"", at + 1))
    ++verdicts;
  EXPECT_EQ(verdicts, find_paper(name)->sections.size());
  for (const SectionPlan& section : find_paper(name)->sections) EXPECT_TRUE(contains(outcome.out, section.title));
  std::size_t tables = 0;
  for (const auto& entry : fs::directory_iterator(folder.path() / "reports"))
    if (entry.path().extension() == ".csv") {
      ++tables;
      EXPECT_GT(lines_of(read_file(entry.path())).size(), 1U) << entry.path();
    }
  EXPECT_GE(tables, find_paper(name)->sections.size()) << "every section measures something";
}

INSTANTIATE_TEST_SUITE_P(Papers, ReproducePaper, testing::ValuesIn(paper_names()),
                         [](const auto& paper) { return paper.param; });

TEST(Reproduce, UnknownPaperSaysWhichThereAre) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program({"reproduce", "newton"}, folder.path());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(contains(outcome.err, "found \"newton\", expected one of ")) << outcome.err;
  for (const std::string& name : paper_names()) EXPECT_TRUE(contains(outcome.err, name));
  EXPECT_TRUE(folder.is_empty());
}

TEST(Reproduce, TwoSettingsAtOnceAreRefused) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_program({"reproduce", "lembcke", "--tiny", "--full"}, folder.path()).status, 2);
  EXPECT_TRUE(folder.is_empty());
}

TEST(Reproduce, FolderThatCannotBeMadeIsRefusedBeforeTheWork) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program({"reproduce", "lembcke", "--tiny", "--out", "/dev/null/reports"}, folder.path());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(contains(outcome.err, "/dev/null/reports")) << outcome.err;
}

}  // namespace
}  // namespace carom::test
