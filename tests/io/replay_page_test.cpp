#include "io/replay_page.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "io/export_run.h"
#include "io/replay_bytes.h"
#include "io/text_file.h"
#include "support/random.h"

namespace carom {
namespace {

/// A thousand cubes of half a metre that never rest: they fly at a few metres a second under gravity, tumble, and each
/// is struck about three times a second, which gives it a new velocity and a new spin. Harder to pack than any heap.
class Swarm {
 public:
  explicit Swarm(int bodies) : random_(7) {
    cast_.scene = "swarm";
    cast_.gravity = {0, 0, -9.81};
    cast_.dt = 1.0 / 60;
    for (int i = 0; i < bodies; ++i) {
      CastBody body;
      body.name = "cube[" + std::to_string(i) + "]";
      body.type = BodyType::Dynamic;
      body.shape = Shape::box({0.5, 0.5, 0.5});
      body.mass = 125;
      body.inertia_local = Mat3::diagonal({5.2, 5.2, 5.2});
      cast_.bodies.push_back(body);
      frame_.bodies.push_back({random_.vector(6), random_.rotation(), random_.vector(3), random_.vector(6)});
    }
    frame_.frozen.assign(cast_.bodies.size(), 0);
  }

  const Cast& cast() const { return cast_; }
  const Frame& frame() const { return frame_; }

  void advance(Real dt) {
    frame_.time += dt;
    for (BodyState& body : frame_.bodies) {
      if (random_.uniform(0, 1) < 3 * dt) {
        body.velocity = random_.vector(4);
        body.angular_velocity = random_.vector(8);
      }
      body.velocity += dt * cast_.gravity;
      if (body.position.z < -6) body.velocity.z = std::abs(body.velocity.z);
      body.position += dt * body.velocity;
      const Vec3 turned = 0.5 * dt * body.angular_velocity;
      body.orientation = normalized(Quat{1, turned.x, turned.y, turned.z} * body.orientation);
    }
    frame_.contacts.clear();
    for (int i = 0; i < 2000; ++i) {
      FrameContact contact;
      contact.a = random_.integer(0, static_cast<int>(cast_.bodies.size()) - 1);
      contact.b = random_.integer(0, static_cast<int>(cast_.bodies.size()) - 1);
      contact.point = frame_.bodies[contact.b].position + random_.vector(0.25);
      contact.impulse = random_.scale(0.1, 1000) * random_.unit();
      frame_.contacts.push_back(contact);
    }
  }

 private:
  test::Random random_;
  Cast cast_;
  Frame frame_;
};

TEST(ReplayPage, AThousandBodiesThatNeverRestFitInEightMegabytes) {
  if (!replay_page_available()) GTEST_SKIP() << replay_page_missing_message();
  const test::ScratchFolder scratch;
  const std::string path = scratch.path("swarm.html");
  Swarm swarm(1000);
  ReplayPage page(path, swarm.cast());
  page.add_frame(swarm.frame());
  for (int i = 1; i <= 600; ++i) {
    for (int k = 0; k < 2; ++k) {
      StepReport report;
      report.time = i / 30.0 + k / 60.0;
      report.kinetic_energy = 1e5 + i;
      page.add_step(report);
    }
    swarm.advance(1.0 / 30);
    page.add_frame(swarm.frame());
  }
  page.finish();
  ASSERT_EQ(page.error(), "");
  const auto size = std::filesystem::file_size(path);
  RecordProperty("bytes", std::to_string(size));
  EXPECT_LE(size, 8'000'000U);
}

TEST(ReplayPage, RunWithoutAnythingIsStillAPage) {
  if (!replay_page_available()) GTEST_SKIP() << replay_page_missing_message();
  const test::ScratchFolder scratch;
  ReplayPage page(scratch.path("empty.html"), Cast{});
  page.finish();
  EXPECT_EQ(page.error(), "");
  EXPECT_TRUE(std::filesystem::exists(scratch.path("empty.html")));
}

TEST(ReplayPage, NamesFromTheSceneCannotBecomeMarkup) {
  if (!replay_page_available()) GTEST_SKIP() << replay_page_missing_message();
  const test::ScratchFolder scratch;
  const std::string path = scratch.path("page.html");
  test::ExportRun run = test::make_export_run();
  run.cast.scene = "</title><script>alert(1)</script>";
  ReplayPage page(path, run.cast);
  run.feed(page);
  ASSERT_EQ(page.error(), "");
  const std::string text = read_text_file(path).value();
  EXPECT_EQ(text.find("<script>alert"), std::string::npos);
  EXPECT_NE(text.find("&lt;/title>&lt;script>alert(1)&lt;/script>"), std::string::npos);
}

TEST(ReplayPage, FolderThatDoesNotExistIsReported) {
  if (!replay_page_available()) GTEST_SKIP() << replay_page_missing_message();
  const test::ExportRun run = test::make_export_run();
  ReplayPage page("/nowhere/at/all/page.html", run.cast);
  run.feed(page);
  EXPECT_NE(page.error().find("/nowhere/at/all/page.html"), std::string::npos) << page.error();
}

TEST(ReplayPage, BuildWithoutThePageSaysWhatIsMissing) {
  if (replay_page_available()) GTEST_SKIP() << "this build has the page";
  const test::ScratchFolder scratch;
  ReplayPage page(scratch.path("page.html"), Cast{});
  page.finish();
  EXPECT_NE(page.error().find("CAROM_WEB"), std::string::npos) << page.error();
  EXPECT_FALSE(std::filesystem::exists(scratch.path("page.html")));
}

TEST(ReplayBytes, Base64MatchesTheExamplesOfRfc4648) {
  EXPECT_EQ(replay::base64(""), "");
  EXPECT_EQ(replay::base64("f"), "Zg==");
  EXPECT_EQ(replay::base64("fo"), "Zm8=");
  EXPECT_EQ(replay::base64("foo"), "Zm9v");
  EXPECT_EQ(replay::base64("foob"), "Zm9vYg==");
  EXPECT_EQ(replay::base64("\xff\xef\xbe"), "/+++");
}

}  // namespace
}  // namespace carom
