// FCLib's problems through the program: `carom solve` and `carom compare` on .hdf5 files.
#include <gtest/gtest.h>

#include <fstream>

#include <nlohmann/json.hpp>

#include "program.h"

namespace carom::test {
namespace {

using Json = nlohmann::json;

const std::string kCollection = CAROM_TEST_DATA_DIR "/../../examples/fclib/";

/// A build without HDF5 refuses the file, and says how to get it.
class FclibFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    const Outcome outcome = run({"compare", kCollection + "Box_Stacks-i0122-82-5.hdf5", "--solvers", "sequential"});
    if (contains(outcome.err, "built without the HDF5"))
      GTEST_SKIP() << "SKIPPED: this build of Carom has no HDF5 (Debian: libhdf5-dev, then configure again)";
  }
  Outcome run(const std::vector<std::string>& arguments) const { return run_program(arguments, folder_.path()); }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

TEST_F(FclibFiles, ExactSolvesTheWholeCollectionToEightDigits) {
  for (const char* name : {"Box_Stacks-i0122-82-5", "spheres-in-a-box-98-i10000-256-10", "Capsules-i125-1213"}) {
    const Outcome outcome =
        run({"solve", kCollection + name + ".hdf5", "--solver", "exact", "--tolerance", "1e-8", "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const Json answer = Json::parse(outcome.out);
    EXPECT_EQ(answer["solver"], "exact");
    EXPECT_LE(answer["report"]["residual_model"], 1e-8) << name;
    EXPECT_EQ(answer["report"]["converged"], true);
    EXPECT_EQ(answer["impulses"].size(), answer["contact_velocities"].size());
    EXPECT_EQ(answer["file_answers"].size(), 2U);
  }
}

TEST_F(FclibFiles, AConvergedAnswerOfAFileHasTheSameVelocities) {
  // The collection's only file that brings velocities from a converged run; its own tolerance was 1e-8.
  const Outcome outcome =
      run({"solve", kCollection + "Capsules-i125-1213.hdf5", "--solver", "exact", "--tolerance", "1e-10", "--json"});
  const Json answer = Json::parse(outcome.out);
  EXPECT_EQ(answer["file_answers"][0]["name"], "solution");
  EXPECT_LE(answer["file_answers"][0]["velocity_distance"], 1e-6);
}

TEST_F(FclibFiles, AnAnswerIsAWarmStart) {
  const std::string file = kCollection + "Box_Stacks-i0122-82-5.hdf5";
  const Outcome cold = run({"solve", file, "--solver", "exact", "--json"});
  std::ofstream(folder().file("cold.json")) << cold.out;
  const Outcome warm = run({"solve", file, "--solver", "exact", "--warm", "cold.json", "--json"});
  EXPECT_EQ(warm.status, 0) << warm.err;
  EXPECT_LT(Json::parse(warm.out)["report"]["iterations"], Json::parse(cold.out)["report"]["iterations"]);
}

TEST_F(FclibFiles, TheTextSaysWhatWasFoundAndWhatTheFileHas) {
  const Outcome outcome = run({"solve", kCollection + "Box_Stacks-i0122-82-5.hdf5", "--solver", "exact"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part : {"82 contacts", "solved", "residual", "solution", "guesses/1", "max(|q|, |r|, |u|)"})
    EXPECT_TRUE(contains(outcome.out, part)) << part << " not in: " << outcome.out;
}

TEST_F(FclibFiles, SolversThatNeedBodiesRefuseAMatrix) {
  const Outcome outcome = run({"solve", kCollection + "Box_Stacks-i0122-82-5.hdf5", "--solver", "sequential"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(contains(outcome.err, "given as a matrix")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "exact does")) << outcome.err;
}

TEST_F(FclibFiles, CompareRunsThoseThatCanAndNamesTheOthers) {
  const std::string file = kCollection + "Box_Stacks-i0122-82-5.hdf5";
  const Outcome text = run({"compare", file});
  EXPECT_EQ(text.status, 0) << text.err;
  for (const char* part : {"exact", "(file) solution", "do not take a matrix", "sequential"})
    EXPECT_TRUE(contains(text.out, part)) << part << " not in: " << text.out;
  const Outcome json = run({"compare", file, "--solvers", "exact,sequential", "--json"});
  const Json rows = Json::parse(json.out)["solvers"];
  EXPECT_EQ(rows[0]["report"]["converged"], true);
  EXPECT_TRUE(contains(rows[1]["refusal"], "given as a matrix"));
  EXPECT_EQ(run({"compare", file, "--html", "c.html"}).status, 2);
}

}  // namespace
}  // namespace carom::test
