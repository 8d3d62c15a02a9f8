// A made-up run for the tests of exported files: every shape, bodies that stay, slide, turn and tumble, frames at
// irregular times, orientations that change their sign at will.
#pragma once

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "io/frame.h"
#include "support/random.h"

namespace carom::test {

struct ExportRun {
  Cast cast;
  std::vector<Frame> frames;

  Pose pose(std::size_t frame, std::size_t body) const {
    return shape_pose(cast.bodies[body], frames[frame].bodies[body]);
  }
  void feed(RunOutput& output) const {
    for (const Frame& frame : frames) {
      output.add_step({});
      output.add_frame(frame);
    }
    output.finish();
  }
};

inline void add_body(Cast& cast, std::string name, BodyType type, ShapePtr shape, const Vec3& center_local = {}) {
  CastBody body;
  body.name = std::move(name);
  body.type = type;
  body.shape = std::move(shape);
  body.center_local = center_local;
  cast.bodies.push_back(std::move(body));
}

/// Bodies: 0 and 1 fixed, 2 tumbles, 3 stands still, 4 slides, 5 tumbles about a point that is not its middle, 6 turns.
inline ExportRun make_export_run(int frame_count = 40) {
  ExportRun run;
  Cast& cast = run.cast;
  cast.scene = "made up";
  cast.description = "Says \"hello\" and \\ \n goodbye";
  cast.version = "1.2.3";
  cast.dt = 0.01;
  add_body(cast, "ground", BodyType::Fixed, Shape::plane({0, 0.1, 1}, -0.2));
  add_body(cast, "wall", BodyType::Fixed, Shape::box({4, 1, 2}));
  add_body(cast, "cube[0]", BodyType::Dynamic, Shape::box({1, 1, 1}));
  add_body(cast, "cube[1]", BodyType::Dynamic, Shape::box({1, 1, 1}));
  add_body(cast, "ball", BodyType::Dynamic, Shape::sphere(0.4));
  add_body(cast, "3 \"odd\" names/ü", BodyType::Dynamic, Shape::capsule(0.2, 1), {0.1, 0, 0.2});
  add_body(cast, "platter", BodyType::Kinematic, Shape::box({2, 2, 0.1}));

  for (int i = 0; i < frame_count; ++i) {
    Frame frame;
    frame.time = i / 30.0 + 0.004 * (i % 3);
    frame.bodies.resize(cast.bodies.size());
    frame.frozen.assign(cast.bodies.size(), 0);
    const Real t = frame.time;
    frame.bodies[1] = {{0, 3, 1}, turn({0, 0, 1}, 20), {}, {}};
    frame.bodies[2] = {{t, 0.1, 5 - t * t}, turn({1, 2, 3}, 400 * t), {}, {}};
    frame.bodies[3] = {{1, 2, 0.5}, turn({0, 0, 1}, 10), {}, {}};
    frame.bodies[4] = {{-1, 1 - t / 3, 0.4}, {}, {}, {}};
    frame.bodies[5] = {{0.3 * t, 4, 5}, turn({3, -1, 0.2}, -700 * t), {}, {}};
    frame.bodies[6] = {{5, 5, 0.05}, turn({0, 0, 1}, 90 * t), {}, {}};
    if (i % 2 == 1)
      for (BodyState& body : frame.bodies) {
        Quat& q = body.orientation;
        q = {-q.w, -q.x, -q.y, -q.z};
      }
    run.frames.push_back(std::move(frame));
  }
  return run;
}

/// A folder that is gone afterwards.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "carom-export-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~ScratchFolder() { std::filesystem::remove_all(folder_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string path(const char* name) const { return (folder_ / name).string(); }
  /// How many files there are.
  std::size_t count() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace carom::test
