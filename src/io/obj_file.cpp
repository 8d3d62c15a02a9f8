// The format: "Advanced Visualizer Manual", appendix B1, Wavefront Technologies. A loader library was considered: those
// at hand pass over lines they do not understand, and a file that is not an OBJ at all would give an empty shape
// without a word.
#include "io/obj_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "io/json_document.h"
#include "io/text_file.h"

namespace carom {
namespace {

/// What may begin a line besides v and f.
constexpr std::string_view kPassedOver[] = {
    "vt",       "vn",     "vp",         "l",         "p",     "o",     "g",      "s",     "usemtl",
    "mtllib",   "cstype", "deg",        "bmat",      "step",  "curv",  "curv2",  "surf",  "parm",
    "trim",     "hole",   "scrv",       "sp",        "end",   "con",   "mg",     "bevel", "c_interp",
    "d_interp", "lod",    "shadow_obj", "trace_obj", "ctech", "stech", "usemap", "maplib"};

constexpr std::string_view kBlank = " \t\r\v\f";

class ObjReader {
 public:
  ObjReader(std::string_view text, const std::string& origin) : rest_(text), origin_(origin) {}

  Result<std::vector<Vec3>> read() {
    while (!rest_.empty() && error_.empty()) {
      line_ = take_line();
      const std::string_view keyword = take_word();
      if (keyword.empty() || keyword.front() == '#') continue;
      if (keyword == "v")
        read_vertex();
      else if (keyword == "f")
        read_face();
      else if (std::find(std::begin(kPassedOver), std::end(kPassedOver), keyword) == std::end(kPassedOver))
        complain("the keyword \"" + printable(keyword) + "\"", "one that OBJ files know, such as v or f");
    }
    if (error_.empty() && points_.empty()) error_ = origin_ + ": found no vertices, expected lines \"v x y z\"";
    // A face may name vertices that come after it.
    if (error_.empty() && highest_ > points_.size())
      error_ = fmt::format("{}:{}: found a face with vertex {}, expected at most {}, the number of vertices", origin_,
                           highest_line_, highest_, points_.size());
    if (!error_.empty()) return Result<std::vector<Vec3>>::failure(error_);
    return std::move(points_);
  }

 private:
  std::string_view take_line() {
    ++line_number_;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return line;
  }

  std::string_view take_word() {
    line_.remove_prefix(std::min(line_.find_first_not_of(kBlank), line_.size()));
    const std::string_view word = line_.substr(0, std::min(line_.find_first_of(kBlank), line_.size()));
    line_.remove_prefix(word.size());
    return word;
  }

  void complain(const std::string& found, const std::string& expected) {
    if (error_.empty()) error_ = fmt::format("{}:{}: found {}, expected {}", origin_, line_number_, found, expected);
  }

  /// Three coordinates; a weight or a colour may follow.
  void read_vertex() {
    std::array<Real, 7> values{};
    std::size_t count = 0;
    for (std::string_view word = take_word(); !word.empty() && word.front() != '#'; word = take_word(), ++count) {
      Real value = 0;
      if (word.size() > 1 && word.front() == '+' && word[1] != '-') word.remove_prefix(1);  // which from_chars refuses
      const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (status != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) {
        complain("\"" + printable(word) + "\"", "a finite number");
        return;
      }
      if (count < values.size()) values[count] = value;
    }
    if (count < 3 || count > values.size())
      complain(fmt::format("a vertex of {} numbers", count), "three coordinates, with a weight or a colour at most");
    else
      points_.push_back({values[0], values[1], values[2]});
  }

  /// Corners `7`, `7/1`, `7//2` or `7/1/2`, counted from 1, or back from the last vertex so far.
  void read_face() {
    int count = 0;
    for (std::string_view word = take_word(); !word.empty() && word.front() != '#'; word = take_word(), ++count) {
      std::int64_t index = 0;
      const std::string_view first = word.substr(0, word.find('/'));
      const auto [end, status] = std::from_chars(first.data(), first.data() + first.size(), index);
      if (status != std::errc() || end != first.data() + first.size() || index == 0) {
        complain("the corner \"" + printable(word) + "\"", "the number of a vertex, counted from 1");
        return;
      }
      if (index < 0 && static_cast<std::uint64_t>(-index) > points_.size()) {
        complain(fmt::format("the corner {}", index),
                 fmt::format("at least -{}, the first vertex so far", points_.size()));
        return;
      }
      if (index > 0 && static_cast<std::uint64_t>(index) > highest_)
        highest_ = static_cast<std::uint64_t>(index), highest_line_ = line_number_;
    }
    if (count < 3) complain(fmt::format("a face of {} corners", count), "at least three");
  }

  std::string_view rest_, line_;
  const std::string& origin_;
  std::string error_;
  std::vector<Vec3> points_;
  std::size_t line_number_ = 0;
  std::uint64_t highest_ = 0;  // vertex that a face names, and where
  std::size_t highest_line_ = 0;
};

}  // namespace

Result<std::vector<Vec3>> parse_obj_points(std::string_view text, const std::string& origin) {
  return ObjReader(text, origin).read();
}

Result<std::vector<Vec3>> load_obj_points(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return Result<std::vector<Vec3>>::failure(text.message());
  return parse_obj_points(text.value(), path);
}

}  // namespace carom
