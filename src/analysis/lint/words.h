#ifndef SCHEDLENS_ANALYSIS_LINT_WORDS_H_
#define SCHEDLENS_ANALYSIS_LINT_WORDS_H_

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace schedlens {

/// Whether `word` is one of `words`; none is in an empty list.
inline bool Contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The label of a bucket.
inline constexpr char kLe[] = "le";

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_LINT_WORDS_H_
