// "Did you mean ...?"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace carom {

/// The candidates that a mistyped word is likely to stand for, the likeliest first; at most three.
std::vector<std::string> closest_words(std::string_view word, const std::vector<std::string>& candidates);

/// `; did you mean "mass"?`, or empty where nothing is close.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// `a, b, c`
std::string joined(const std::vector<std::string>& words);

}  // namespace carom
