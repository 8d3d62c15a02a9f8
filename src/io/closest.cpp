#include "io/closest.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace carom {
namespace {

std::string lower_case(std::string_view word) {
  std::string out(word);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// Fewest insertions, deletions, replacements and swaps of neighbours that turn a into b.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::vector<std::string> closest_words(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongest = 64;  // nobody mistypes a word into a page of text
  constexpr std::size_t kMost = 3;
  if (word.empty() || word.size() > kLongest) return {};
  const std::string typed = lower_case(word);
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& candidate : candidates) {
    const std::string wanted = lower_case(candidate);
    std::size_t distance = edit_distance(typed, wanted);
    // The beginning of a word counts as close: "cube" stands for "cubejam".
    if (typed.size() >= 3 && wanted.starts_with(typed)) distance = 1;
    if (distance <= 1 + std::max(typed.size(), wanted.size()) / 4) found.emplace_back(distance, candidate);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(found.size(), kMost); ++i) words.push_back(found[i].second);
  return words;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::vector<std::string> words = closest_words(word, candidates);
  return words.empty() ? std::string() : "; did you mean " + joined(words) + "?";
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

}  // namespace carom
