// A recording of a real run: whole, cut, damaged, resumed. Frames that come back are the frames that went in.
#include "io/recording.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "io/text_file.h"
#include "study/recording_tools.h"
#include "study/run.h"
#include "study/scene_lookup.h"
#include "support/random.h"

namespace carom {
namespace {

/// Everything of a frame that a wrong byte could change, as one comparable text of bits.
std::string fingerprint(const Frame& frame) {
  std::string bytes;
  const auto add = [&](const auto& value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  for (const BodyState& state : frame.bodies) add(state);
  bytes.append(frame.frozen.begin(), frame.frozen.end());
  for (const FrameContact& c : frame.contacts) {
    add(c.id), add(c.a), add(c.b), add(c.gap), add(c.mode);
    add(c.point), add(c.normal), add(c.impulse), add(c.collision_impulse);
  }
  return bytes;
}

using Frames = std::map<Real, std::string>;  // by time

struct ReadBack {
  bool opened = false;
  Frames frames;
  std::int64_t snapshots = 0;
  RecordingProblems problems;
};

ReadBack read_back(const std::string& path) {
  ReadBack result;
  const Result<Recording> recording = Recording::open(path);
  if (!recording) {
    EXPECT_NE(recording.message(), "");
    return result;
  }
  result.opened = true;
  RecordingVisitor visitor;
  visitor.frame = [&](const Frame& frame) {
    EXPECT_EQ(result.frames.count(frame.time), 0U) << "a frame comes twice";
    result.frames[frame.time] = fingerprint(frame);
  };
  visitor.step = [](const StepReport& /*report*/) {};
  visitor.snapshot = [&](const RecordedSnapshot& /*snapshot*/) { ++result.snapshots; };
  visitor.end = [](const RecordingEnd& /*end*/) {};
  result.problems = recording.value().read(visitor);
  return result;
}

void expect_no_wrong_frame(const ReadBack& result, const Frames& truth) {
  for (const auto& [time, content] : result.frames) {
    const auto found = truth.find(time);
    ASSERT_NE(found, truth.end()) << "a frame at " << time << " s that never was";
    ASSERT_EQ(content, found->second) << "a wrong frame at " << time << " s";
  }
}

class RecordingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() / (std::string("carom_recording_") + test->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  RunSettings settings_for(const Scene& scene, Real duration) const {
    RunSettings settings;
    settings.options = scene_options(scene);
    settings.dt = scene.dt;
    settings.duration = duration;
    settings.record = file("run.carom");
    settings.version = "test";
    return settings;
  }

  /// Short steps apart from each other, so that the file has many chunks.
  void record_stack() {
    const Scene scene = find_scene("stack").value();
    RunSettings settings = settings_for(scene, 0.5);
    settings.snapshot_every = 0.05;
    settings.record_contacts = true;
    ASSERT_EQ(run_scene(scene, settings).message, "");
    bytes_ = read_text_file(settings.record).value();
    truth_ = read_back(settings.record).frames;
    ASSERT_EQ(truth_.size(), 31U);
  }

  /// Writes changed bytes and reads them back.
  ReadBack read_changed(const std::string& bytes) const {
    EXPECT_EQ(write_text_file(file("changed.carom"), bytes), "");
    return read_back(file("changed.carom"));
  }

  std::filesystem::path folder_;
  std::string bytes_;
  Frames truth_;
};

TEST_F(RecordingTest, CutAtEveryChunkBoundaryIsReadUpToThereWithoutComplaint) {
  record_stack();
  const auto chunks = ChunkReader::open(file("run.carom"));
  Chunk chunk;
  std::size_t boundaries = 0, most = 0;
  while (chunks.value()->next(chunk)) {
    const ReadBack result = read_changed(bytes_.substr(0, chunk.end));
    ASSERT_TRUE(result.opened) << "cut at " << chunk.end;
    EXPECT_TRUE(result.problems.damage.empty());
    EXPECT_EQ(result.problems.unfinished_bytes, 0U);
    expect_no_wrong_frame(result, truth_);
    EXPECT_GE(result.frames.size(), most);
    most = result.frames.size();
    ++boundaries;
  }
  EXPECT_EQ(most, truth_.size());
  EXPECT_GT(boundaries, 20U);
}

TEST_F(RecordingTest, CutAtRandomBytesKeepsEveryCompleteFrame) {
  record_stack();
  test::Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const auto size = static_cast<std::size_t>(random.uniform(0, static_cast<Real>(bytes_.size())));
    const ReadBack result = read_changed(bytes_.substr(0, size));
    EXPECT_TRUE(result.problems.damage.empty()) << "cut at " << size;
    expect_no_wrong_frame(result, truth_);
  }
}

TEST_F(RecordingTest, FlippedBitsAreToldOfAndNeverGiveAWrongFrame) {
  record_stack();
  test::Random random(2);
  std::size_t fewest = truth_.size();
  for (int i = 0; i < 1000; ++i) {
    std::string flipped = bytes_;
    const auto at = static_cast<std::size_t>(random.uniform(0, static_cast<Real>(bytes_.size())));
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << random.integer(0, 7)));
    const ReadBack result = read_changed(flipped);
    if (!result.opened) continue;  // the header, and said so
    EXPECT_TRUE(!result.problems.damage.empty() || result.problems.unfinished_bytes > 0) << "flipped in byte " << at;
    expect_no_wrong_frame(result, truth_);
    fewest = std::min(fewest, result.frames.size());
  }
  EXPECT_GT(fewest, truth_.size() / 2) << "one bit costs one chunk";
}

/// States of a run that was resumed in the middle against one that never stopped, step by step.
void expect_same_states(const RunSettings& settings, const Scene& scene, Real from, int steps, int threads) {
  const Result<Recording> recording = Recording::open(settings.record);
  ASSERT_TRUE(recording) << recording.message();
  const Result<RecordedSnapshot> snapshot = recording.value().find_snapshot(from);
  ASSERT_TRUE(snapshot) << snapshot.message();
  const RecordingHeader& header = recording.value().header();
  World resumed = make_world(header.scene, header.options, threads);
  ASSERT_EQ(resumed.restore(snapshot.value().state), "");
  World unbroken = make_world(scene, settings.options);
  for (std::int64_t i = 0; i < snapshot.value().step; ++i) unbroken.step(settings.dt);
  ASSERT_GT(snapshot.value().step, 100);
  for (int i = 0; i < steps; ++i) {
    ASSERT_EQ(resumed.state_hash(), unbroken.state_hash()) << "after " << i << " further steps";
    resumed.step(header.dt);
    unbroken.step(settings.dt);
  }
}

TEST_F(RecordingTest, CubejamResumedInTheMiddleGoesOnBitForBit) {
  const Scene scene = find_scene("cubejam").value();
  const RunSettings settings = settings_for(scene, 4);
  ASSERT_EQ(run_scene(scene, settings).message, "");
  expect_same_states(settings, scene, 2.5, 300, 2);
}

TEST_F(RecordingTest, CradleResumedInTheMiddleGoesOnBitForBit) {
  const Scene scene = find_scene("cradle").value();
  const RunSettings settings = settings_for(scene, 4);
  ASSERT_EQ(run_scene(scene, settings).message, "");
  expect_same_states(settings, scene, 2.5, 300, 1);
}

TEST_F(RecordingTest, ATimeAskedForInWholeSecondsIsThatSnapshots) {
  // Times are sums of steps of 1/60 s, some a hair late.
  const Scene scene = find_scene("slide").value();
  const RunSettings settings = settings_for(scene, 6.5);
  ASSERT_EQ(run_scene(scene, settings).message, "");
  const Result<Recording> recording = Recording::open(settings.record);
  ASSERT_TRUE(recording) << recording.message();
  int late = 0;
  for (const Real second : {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}) {
    const Result<RecordedSnapshot> snapshot = recording.value().find_snapshot(second);
    ASSERT_TRUE(snapshot) << snapshot.message();
    EXPECT_NEAR(snapshot.value().time, second, 1e-9);
    late += snapshot.value().time > second ? 1 : 0;
  }
  EXPECT_GT(late, 0) << "no time was late: this test asks for nothing";
}

TEST_F(RecordingTest, ContinuedInPlaceItEqualsOneThatNeverStopped) {
  const Scene scene = find_scene("stack").value();
  RunSettings settings = settings_for(scene, 2);
  settings.outputs.every = 0.05;
  ASSERT_EQ(run_scene(scene, settings).message, "");
  const Frames unbroken = read_back(settings.record).frames;

  settings.duration = 0.77;
  ASSERT_EQ(run_scene(scene, settings).message, "");
  RunSettings asked;
  asked.record = settings.record;
  Result<RunPlan> plan = plan_resumption(settings.record, {}, 2.0, asked);
  ASSERT_TRUE(plan) << plan.message();
  ASSERT_EQ(check_run(plan.value().settings), "");
  ASSERT_EQ(run_scene(plan.value().scene, plan.value().settings).message, "");
  EXPECT_EQ(read_back(settings.record).frames, unbroken);

  // From the very first snapshot, too.
  plan = plan_resumption(settings.record, 0.0, 2.0, asked);
  ASSERT_TRUE(plan) << plan.message();
  ASSERT_EQ(run_scene(plan.value().scene, plan.value().settings).message, "");
  EXPECT_EQ(read_back(settings.record).frames, unbroken);
}

TEST_F(RecordingTest, KeepsSuiteOptionsAndStepOfTheRun) {
  const Scene scene = find_scene("stack").value();
  RunSettings settings = settings_for(scene, 0.1);
  settings.dt = 0.005;
  ASSERT_EQ(settings.options.set("iterations", 77.0), "");
  ASSERT_EQ(run_scene(scene, settings).message, "");
  const Result<Recording> recording = Recording::open(settings.record);
  ASSERT_TRUE(recording) << recording.message();
  EXPECT_EQ(recording.value().header().options.number("iterations"), 77);
  EXPECT_EQ(recording.value().header().dt, 0.005);
  EXPECT_EQ(recording.value().header().scene.name, "stack");
}

TEST_F(RecordingTest, ContactsOfAnotherOutputStayOutOfIt) {
  const Scene scene = find_scene("stack").value();
  RunSettings settings = settings_for(scene, 1);
  settings.outputs.contacts = file("contacts.csv");  // asks for frames with contacts
  ASSERT_EQ(run_scene(scene, settings).message, "");
  const Result<RecordingContents> contents = survey(settings.record);
  ASSERT_TRUE(contents) << contents.message();
  EXPECT_FALSE(contents.value().has_contacts);
  EXPECT_EQ(contents.value().contacts, 0);
}

TEST_F(RecordingTest, ARunThatIsOverIsNotResumedWithoutMoreTime) {
  const Scene scene = find_scene("stack").value();
  const RunSettings settings = settings_for(scene, 0.2);
  ASSERT_EQ(run_scene(scene, settings).message, "");
  const Result<RunPlan> plan = plan_resumption(settings.record, {}, {}, {});
  ASSERT_TRUE(plan) << plan.message();
  EXPECT_NE(check_run(plan.value().settings).find("longer duration"), std::string::npos);
}

TEST_F(RecordingTest, SurveyCountsWhatIsThere) {
  record_stack();
  const Result<RecordingContents> contents = survey(file("run.carom"));
  ASSERT_TRUE(contents) << contents.message();
  EXPECT_EQ(contents.value().frames, 31);
  EXPECT_EQ(contents.value().steps, 30);
  EXPECT_EQ(contents.value().bodies, 11U);
  EXPECT_GT(contents.value().contacts, 0);
  EXPECT_GT(contents.value().snapshots.size(), 9U);
  EXPECT_EQ(contents.value().end.reason, "complete");
  EXPECT_TRUE(contents.value().damage.empty());
}

}  // namespace
}  // namespace carom
