#include "io/obj_file.h"

#include <gtest/gtest.h>

#include <string>

namespace carom {
namespace {

std::vector<Vec3> read(const std::string& text) {
  const auto points = parse_obj_points(text, "rock.obj");
  EXPECT_TRUE(points) << points.message();
  return points ? points.value() : std::vector<Vec3>{};
}

TEST(ObjFile, GivesVerticesInFileOrder) {
  EXPECT_EQ(read("v 1 2 3\nv -0.45 0 +5e-1\n"), (std::vector<Vec3>{{1, 2, 3}, {-0.45, 0, 0.5}}));
}

TEST(ObjFile, PassesOverWhatIsNoVertex) {
  const std::string text =
      "# a tetrahedron\r\nmtllib rock.mtl\r\no rock\r\nv 0 0 0\r\nv  1\t0 0 # a corner\r\n  v 0 1 0 1.0\r\n"
      "v 0 0 1 0.5 0.5 0.5\r\nvn 0 0 1\r\nvt 0 0\r\ng side\r\nusemtl grey\r\ns off\r\n"
      "f 1 2 3\r\nf 1/1 2/1 4/1\r\nf 1//1 3//1 4//1\r\nf -3/1/1 -2/1/1 -1/1/1\r\n\r\nl 1 2\r\n";
  EXPECT_EQ(read(text), (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
}

TEST(ObjFile, FacesMayComeBeforeTheirVertices) { EXPECT_EQ(read("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0").size(), 3U); }

TEST(ObjFile, LastLineNeedsNoEnd) { EXPECT_EQ(read("v 0 0 1").size(), 1U); }

TEST(ObjFile, EveryTruncationIsReadOrRefused) {
  const std::string text = "# rock\nv 0 0 0\nv 1.5 0 0\nv 0 1e0 0\nv 0 0 1\nf 1 2 3\nf 1/2/3 2 4\n";
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const auto points = parse_obj_points(text.substr(0, i), "rock.obj");
    EXPECT_TRUE(points ? !points.value().empty() : points.message().starts_with("rock.obj:")) << i;
  }
}

}  // namespace
}  // namespace carom
