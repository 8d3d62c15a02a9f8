// The examples in docs/contact-files.md and docs/validation.md stay true: they read.
#include <gtest/gtest.h>

#include <filesystem>

#include "carom/io/cases_file.h"
#include "carom/io/impact_file.h"
#include "carom/io/problem_file.h"
#include "io/text_file.h"

namespace carom {
namespace {

/// The JSON blocks of a page, in order.
std::vector<std::string> examples(const char* page) {
  const auto path = std::filesystem::path(CAROM_SCENES_DIR).parent_path() / "docs" / page;
  const Result<std::string> text = read_text_file(path.string());
  EXPECT_TRUE(text) << text.message();
  std::vector<std::string> blocks;
  const std::string opening = "```json\n";
  for (std::size_t start = text.value().find(opening); start != std::string::npos;) {
    start += opening.size();
    const std::size_t end = text.value().find("```", start);
    blocks.push_back(text.value().substr(start, end - start));
    start = text.value().find(opening, end);
  }
  return blocks;
}

TEST(ContactDocs, ExamplesAreAProblemAndAnImpact) {
  const std::vector<std::string> blocks = examples("contact-files.md");
  ASSERT_EQ(blocks.size(), 2U);
  const Result<ContactProblem> problem = parse_problem(blocks[0], "problem"),
                               impact = parse_impact(blocks[1], "impact");
  EXPECT_TRUE(problem) << problem.message();
  EXPECT_TRUE(impact) << impact.message();
}

TEST(ContactDocs, ExampleOfValidationIsAFileOfCases) {
  const std::vector<std::string> blocks = examples("validation.md");
  ASSERT_EQ(blocks.size(), 1U);
  const Result<CaseFile> cases = parse_cases(blocks[0], "cases");
  ASSERT_TRUE(cases) << cases.message();
  EXPECT_EQ(cases.value().cases.at(0).scores.at(0).expected, CaseValue(3.2));
}

}  // namespace
}  // namespace carom
