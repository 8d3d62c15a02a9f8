// Bad input through the program: the specified message, exit status 2, nothing written.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include <nlohmann/json.hpp>

#include "program.h"

namespace carom::test {
namespace {

namespace fs = std::filesystem;

/// The message begins with the file as it was given and names every part expected of it.
void expect_refused(const std::string& scene, const std::vector<std::string>& parts) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program({"run", scene, "--trajectory", "t.csv", "--metrics", "m.csv", "--contacts",
                                       "c.csv", "--dump-problem", "p.json", "--at", "0", "--json"},
                                      folder.path());
  EXPECT_EQ(outcome.status, 2) << scene << "\n" << outcome.err;
  EXPECT_EQ(outcome.out, "") << scene;
  EXPECT_TRUE(contains(outcome.err, "carom run: " + scene + ": ")) << outcome.err;
  EXPECT_EQ(lines_of(outcome.err).size(), 1U) << "one error, one line: " << outcome.err;
  for (const std::string& part : parts) EXPECT_TRUE(contains(outcome.err, part)) << part << " not in: " << outcome.err;
  EXPECT_TRUE(folder.is_empty()) << scene << " left something behind";
}

TEST(BrokenScenes, EveryStoredOneIsRefusedWithItsPath) {
  const fs::path data = fs::path(CAROM_TEST_DATA_DIR) / "broken_scenes";
  std::ifstream file(data / "expected.json");
  const nlohmann::json expected = nlohmann::json::parse(file);
  EXPECT_GE(expected.size(), 40U);
  for (const auto& [name, parts] : expected.items())
    expect_refused((data / name).string(), parts.get<std::vector<std::string>>());

  std::set<std::string> stored;
  for (const auto& entry : fs::directory_iterator(data))
    if (entry.path().filename() != "expected.json") stored.insert(entry.path().filename().string());
  for (const std::string& name : stored) EXPECT_TRUE(expected.contains(name)) << name << " has no expectation";
}

TEST(BrokenScenes, DeepNestingIsRefused) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("lists.scene.json")) << R"({"carom": 1, "bodies": )" << std::string(100'000, '[');
  expect_refused(folder.file("lists.scene.json"), {"bodies[0][0]", "nesting deeper than 64"});
  std::ofstream objects(folder.file("objects.scene.json"));
  for (int i = 0; i < 100'000; ++i) objects << R"({"bodies":)";
  objects.close();
  expect_refused(folder.file("objects.scene.json"), {"bodies.bodies", "nesting deeper than 64"});
  std::ofstream(folder.file("closed.scene.json")) << std::string(100'000, '[') << std::string(100'000, ']');
  expect_refused(folder.file("closed.scene.json"), {"nesting deeper than 64"});
}

TEST(BrokenScenes, MissingFileIsRefused) {
  expect_refused("no/such/file.scene.json", {"No such file"});
  expect_refused("missing.scene.json", {"No such file"});
}

TEST(BrokenScenes, DirectoryIsRefused) { expect_refused("/tmp/", {"directory"}); }

TEST(BrokenScenes, UnreadableFileIsRefused) {
  // Opens, but its first byte cannot be read, not even by root.
  expect_refused("/proc/self/mem", {"cannot read the file"});
  if (geteuid() == 0) return;  // root may read everything else
  const TemporaryFolder folder;
  std::ofstream(folder.file("secret.scene.json")) << "{}";
  fs::permissions(folder.file("secret.scene.json"), fs::perms::none);
  expect_refused(folder.file("secret.scene.json"), {"Permission denied"});
}

TEST(BrokenScenes, LargeBinaryFileIsRefused) {
  const TemporaryFolder folder;
  std::string noise(4'000'000, '\0');
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<char>((i * 2654435761U) >> 13);
  std::ofstream(folder.file("noise.scene.json"), std::ios::binary) << noise;
  expect_refused(folder.file("noise.scene.json"), {});
}

/// Whatever is cut off or altered in a scene, the program either runs it or refuses it: it never dies.
TEST(BrokenScenes, NoMutationOfASceneCrashes) {
  const std::string text = read_file(fs::path(CAROM_SCENES_DIR) / "cradle.scene.json");
  const TemporaryFolder folder;
  std::uint32_t random = 12345;
  for (int i = 0; i < 60; ++i) {
    std::string mutant = text;
    for (int k = 0; k < 3; ++k) {
      random = random * 1664525U + 1013904223U;
      mutant[(random >> 8) % mutant.size()] = static_cast<char>(random >> 24);
    }
    std::ofstream(folder.file("mutant.scene.json"), std::ios::binary) << mutant;
    const Outcome outcome =
        run_program({"run", folder.file("mutant.scene.json"), "--duration", "0.05", "--quiet"}, folder.path());
    EXPECT_TRUE(outcome.status == 0 || outcome.status == 2 || outcome.status == 3) << outcome.status << "\n" << mutant;
  }
}

}  // namespace
}  // namespace carom::test
