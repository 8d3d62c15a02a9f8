// The reader of pages itself.
#include "document.h"

#include <gtest/gtest.h>

namespace carom::test {
namespace {

TEST(DocumentReader, FindsCommandsWithoutPromptsAndRemarks) {
  const Document page = read_document(
      "Text with `carom list --all` and [a link](other.md).\n"
      "```\ncarom run stack --quiet   # ten cubes\nnothing\n./dev test\n```\n"
      "```json\ncarom run no\n```\n"
      "```console\n$ carom run x.json\ncarom run: x.json: no\n$ tail -1 x.csv\n3\n```\n");
  ASSERT_EQ(page.commands.size(), 4U);
  EXPECT_EQ(page.commands[0].text, "carom run stack --quiet");
  EXPECT_EQ(page.commands[0].line, 3);
  EXPECT_EQ(page.commands[1].text, "./dev test");
  EXPECT_EQ(page.commands[2].text, "carom run x.json");
  EXPECT_EQ(page.commands[2].shown, std::vector<std::string>{"carom run: x.json: no"});
  EXPECT_EQ(page.commands[3].shown, std::vector<std::string>{"3"});
  ASSERT_EQ(page.mentions.size(), 1U);
  EXPECT_EQ(page.mentions[0].text, "carom list --all");
  EXPECT_EQ(page.links, std::vector<std::string>{"other.md"});
}

TEST(DocumentReader, ObeysComments) {
  const Document page = read_document(
      "<!-- file: a.json -->\n```json\n{}\n```\n<!-- file: b.json\n[]\n-->\n"
      "<!-- test: as written, output, status 2, with cases/c.json as d.json -->\n```\n$ carom run a.json\n```\n"
      "```\n$ carom list\n```\n<!-- test: quickly -->\n<!-- test: compile -->\n```cpp\nint i;\n```\n");
  ASSERT_EQ(page.files.size(), 3U);
  EXPECT_EQ(page.files[0].content, "{}\n");
  EXPECT_EQ(page.files[1].content, "[]\n");
  EXPECT_EQ(page.files[2].source, "cases/c.json");
  ASSERT_EQ(page.commands.size(), 2U);
  EXPECT_TRUE(page.commands[0].as_written && page.commands[0].check_output);
  EXPECT_EQ(page.commands[0].status, 2);
  EXPECT_EQ(page.commands[0].files, 3U);
  EXPECT_FALSE(page.commands[1].as_written) << "a comment speaks of one block";
  ASSERT_EQ(page.snippets.size(), 1U);
  EXPECT_EQ(page.snippets[0].text, "int i;\n");
  EXPECT_EQ(page.snippets[0].line, 18);
  EXPECT_EQ(page.mistakes, std::vector<std::string>{"line 15: quickly"});
}

TEST(DocumentReader, CutsSimulatedTimesAndStudies) {
  EXPECT_EQ(shortened("carom run stack --duration 60 --html a.html", 0.2),
            "carom run stack --duration 0.2 --html a.html");
  EXPECT_EQ(shortened("carom run stack --dump-problem p --at 2", 0.2),
            "carom run stack --dump-problem p --at 0.1 --duration 0.2");
  EXPECT_EQ(shortened("carom compare p.problem.json", 0.2), "carom compare p.problem.json");
  EXPECT_EQ(shortened("carom reproduce all --full", 0.2), "carom reproduce all --tiny");
  EXPECT_EQ(shortened("carom validate --kind pile", 0.2), "carom validate --kind pile");
  EXPECT_EQ(shortened("tail -1 x.csv | cut -c1", 0.2), "tail -1 x.csv | cut -c1");
}

}  // namespace
}  // namespace carom::test
