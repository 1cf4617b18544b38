#include "analysis/lint/meant_word.h"

#include <cctype>
#include <string_view>
#include <utility>

#include "model/nearest.h"

namespace schedlens {
namespace {

/// In small letters and without marks: `extensionPoint` and `extension_point` are one word.
std::string Plain(const std::string& word) {
  std::string plain;
  for (const char c : word) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return plain;
}

bool IsNegated(std::string_view word) {
  return word.starts_with("un") || word.starts_with("not") || word.starts_with("non");
}

}  // namespace

std::string MeantWord(const std::string& word, const std::vector<std::string>& known) {
  constexpr std::size_t kShortest = 5;
  constexpr std::size_t kSlip = 2;
  // Two names of one thing: the counter of requests has the one, their durations the other.
  constexpr std::pair<std::string_view, std::string_view> kAlike[] = {{"verb", "method"},
                                                                      {"method", "verb"}};
  for (const std::string& one : known) {
    if (Plain(one) == Plain(word) && !Plain(word).empty()) return one;
    for (const auto& [a, b] : kAlike) {
      if (word == a && one == b) return one;
    }
  }
  std::string best;
  std::size_t distance = kSlip + 1;
  for (const std::string& one : known) {
    if (word.size() < kShortest || one.size() < kShortest || IsNegated(word) != IsNegated(one)) {
      continue;
    }
    const std::size_t edits = EditDistance(word, one);
    if (edits < distance) {
      best = one;
      distance = edits;
    }
  }
  return best;
}

}  // namespace schedlens
