#include "study/reproduce.h"

#include <gtest/gtest.h>

#include <filesystem>

#include <fmt/format.h>

#include "carom/base/error.h"
#include "study/solver_budget.h"
#include "study/trial.h"

namespace carom {
namespace {

namespace fs = std::filesystem;

void make_first(const SectionWork& work, ReportSection& section) {
  section.claim("one < two, says `x`");
  section.add(ReportTable{"t", "caption", {{"a"}, {"b", true}}, {{"1", "x, y"}}});
  section.add(Plot{"p", "caption", {"x"}, {"y"}, {{"s", {{0, 1, {}}, {1, 2, {}}}}}});
  section.conclude(Finding::Agrees, fmt::format("{}", work.pick<std::string>("small", "middle", "large")));
}

void make_second(const SectionWork& work, ReportSection& section) {
  work.show(0.5);
  section.conclude(Finding::Differs, "not the same");
}

void make_broken(const SectionWork& /*work*/, ReportSection& /*section*/) { fail("broken on purpose"); }

PaperPlan plan() {
  return {"paper", "A title & more", "someone, 2000", "about", {{"first", 1, make_first}, {"second", 3, make_second}}};
}

TEST(Reproduce, SectionsKeepTheirOrderOnAnyNumberOfThreads) {
  const PaperPlan paper = plan();
  for (const int threads : {1, 3}) {
    const auto reports = reproduce({{&paper}, Effort::Tiny, threads}, nullptr);
    ASSERT_EQ(reports.size(), 1U);
    ASSERT_EQ(reports[0].sections.size(), 2U);
    EXPECT_EQ(reports[0].sections[0].title, "first");
    EXPECT_EQ(reports[0].sections[0].verdict, "small");
    EXPECT_EQ(reports[0].sections[1].finding, Finding::Differs);
  }
}

TEST(Reproduce, ASectionThatFailsEndsItWithItsMessage) {
  PaperPlan paper = plan();
  paper.sections.push_back({"broken", 1, make_broken});
  try {
    reproduce({{&paper}, Effort::Tiny, 2}, nullptr);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "broken on purpose");
  }
}

TEST(Reproduce, PapersHaveNamesOfTheirOwn) {
  for (const PaperPlan& paper : paper_registry()) {
    EXPECT_EQ(find_paper(paper.name), &paper);
    EXPECT_FALSE(paper.sections.empty()) << paper.name;
  }
  EXPECT_EQ(find_paper("nobody"), nullptr);
}

TEST(PaperReport, TextIsEscapedAndCodeIsMarked) {
  const PaperPlan paper = plan();
  const std::string page = report_html(reproduce({{&paper}, Effort::Quick, 1}, nullptr)[0]);
  EXPECT_NE(page.find("one &lt; two, says <code>x</code>"), std::string::npos);
  EXPECT_NE(page.find("A title &amp; more"), std::string::npos);
  EXPECT_NE(page.find("middle"), std::string::npos);
  EXPECT_EQ(page.find("http"), std::string::npos) << "a page needs nothing from elsewhere";
}

TEST(PaperReport, WritesAPageAndAFileForEachTableAndPlot) {
  const fs::path folder = fs::path(testing::TempDir()) / "carom_paper_report";
  fs::create_directories(folder);
  const PaperPlan paper = plan();
  std::vector<std::string> written;
  EXPECT_EQ(write_report(reproduce({{&paper}, Effort::Tiny, 1}, nullptr)[0], folder.string(), written), "");
  std::vector<std::string> names;
  for (const std::string& path : written) {
    EXPECT_TRUE(fs::exists(path));
    names.push_back(fs::path(path).filename().string());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"paper.html", "paper-t.csv", "paper-p.csv"}));
  fs::remove_all(folder);
}

TEST(PaperReport, TwoTablesOfOneNameAreAMistake) {
  PaperReport report;
  report.name = "paper";
  report.sections.resize(1);
  report.sections[0].add(ReportTable{"t", "", {{"a"}}, {{"1"}}});
  report.sections[0].add(Plot{"t", "", {"x"}, {"y"}, {{"s", {{0, 1, {}}}}}});
  const fs::path folder = fs::path(testing::TempDir()) / "carom_paper_names";
  fs::create_directories(folder);
  std::vector<std::string> written;
  EXPECT_THROW(static_cast<void>(write_report(report, folder.string(), written)), Error);
  fs::remove_all(folder);
}

TEST(PaperReport, PublishedNumbersAreMarkedInTheCsv) {
  EXPECT_EQ(table_csv({"t", "c", {{"a"}, {"b", true}}, {{"1", "x, y"}}}), "a,b (published)\n1,\"x, y\"\n");
}

TEST(Trial, CommandRepeatsTheRun) {
  EXPECT_EQ(command({"stack", "schmidl", {"collisions=qp"}, 1.0 / 30, 5}),
            "carom run stack --suite schmidl --set collisions=qp --dt 0.0333333 --duration 5");
  EXPECT_THROW(Trial({"no such scene"}), Error);
  EXPECT_THROW(Trial({"stack", "", {"no_such=1"}}), Error);
}

/// The cubes of `funnel` come in layers of 81, each at nearly one height.
TEST(Trial, ASmallerSceneKeepsAsManyBodiesAsAskedAndNothingHigher) {
  for (const std::size_t bodies : {1U, 50U, 81U, 100U}) {
    Real highest = -1e9, lowest_left_out = 1e9;
    std::size_t kept = 0;
    const Trial trial({"funnel"}, [&](Scene& scene) {
      std::vector<Real> before;
      for (const SceneBody& body : scene.bodies)
        if (body.def.type == BodyType::Dynamic) before.push_back(body.def.pose.position.z);
      keep_lowest(scene, bodies);
      for (const SceneBody& body : scene.bodies) {
        if (body.def.type != BodyType::Dynamic) continue;
        ++kept;
        highest = std::max(highest, body.def.pose.position.z);
        std::erase(before, body.def.pose.position.z);
      }
      for (const Real z : before) lowest_left_out = std::min(lowest_left_out, z);
    });
    EXPECT_EQ(kept, bodies);
    EXPECT_LE(highest, lowest_left_out);
  }
  // Bodies at one height: the balls of the office toy.
  const Trial toy({"officetoy1"}, [](Scene& scene) { keep_lowest(scene, 3); });
  EXPECT_EQ(toy.world().body_count(), 4U) << "three balls and the floor";
}

/// Balls on a smooth floor that do not press on each other: each contact is a problem of its own.
TEST(SolverBudget, ContactsThatDoNotMeetNeedOneSweep) {
  Trial trial({"officetoy1", "sequential"});
  const auto problems = problems_of(trial, Stage::Contacts, 2);
  ASSERT_EQ(problems.size(), 2U);
  const BudgetMethod method{"plain", "sequential", {"memory=0"}, false};
  EXPECT_EQ(iterations_needed(method, problems, coulomb_error, 1e-9, 100), 1);
}

TEST(SolverBudget, AWarmStartGoesOnWhereTheLastStepStopped) {
  Trial trial({"stack", "exact"});
  for (int i = 0; i < 120; ++i) trial.step();
  const auto problems = problems_of(trial, Stage::Contacts, 8);
  const BudgetMethod cold{"cold", "sequential", {"memory=0"}, false}, warm{"warm", "sequential", {"memory=0"}, true};
  const auto from_nothing = iterations_needed(cold, problems, coulomb_error, 0.1, 10'000);
  const auto from_before = iterations_needed(warm, problems, coulomb_error, 0.1, 10'000);
  ASSERT_TRUE(from_nothing && from_before);
  // At rest all problems are the same: eight steps of b sweeps are one of 8 b, but for the rounding up.
  EXPECT_LE(*from_before, *from_nothing / 8 + 2);
  EXPECT_EQ(iterations_needed(cold, problems, coulomb_error, 1e-3, 2), std::nullopt);
}

}  // namespace
}  // namespace carom
