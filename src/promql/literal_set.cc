#include "promql/literal_set.h"

#include <algorithm>
#include <cctype>

namespace schedlens::promql {
namespace {

using Texts = std::vector<std::string>;

constexpr std::size_t kMostTexts = 256;
constexpr int kDeepestGroup = 16;

bool IsLiteral(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':' || c == '/' ||
         c == '-';
}

/// Goes through a pattern once; `failed` stays set from where it is no set of literals.
class LiteralExpansion {
 public:
  explicit LiteralExpansion(std::string_view pattern) : pattern_(pattern) {}

  std::optional<Texts> All() {
    Texts texts = Alternatives(0);
    if (failed_ || at_ < pattern_.size()) return std::nullopt;
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    return texts;
  }

 private:
  bool Take(char c) {
    if (at_ == pattern_.size() || pattern_[at_] != c) return false;
    ++at_;
    return true;
  }

  /// Up to the end or a parenthesis that closes.
  Texts Alternatives(int depth) {
    Texts all;
    do {
      const Texts more = Sequence(depth);
      all.insert(all.end(), more.begin(), more.end());
      failed_ = failed_ || all.size() > kMostTexts;
    } while (!failed_ && Take('|'));
    return all;
  }

  Texts Sequence(int depth) {
    Texts texts = {""};
    while (!failed_ && at_ < pattern_.size() && pattern_[at_] != '|' && pattern_[at_] != ')') {
      Texts next = Item(depth);
      if (Take('?')) next.emplace_back();
      failed_ = failed_ || next.size() * texts.size() > kMostTexts;
      if (!failed_) texts = Joined(texts, next);
    }
    return texts;
  }

  Texts Item(int depth) {
    const char c = pattern_[at_++];
    if (IsLiteral(c)) return {std::string(1, c)};
    failed_ = c != '(' || depth == kDeepestGroup;
    if (failed_) return {};
    if (Take('?')) failed_ = !Take(':');
    Texts texts = Alternatives(depth + 1);
    failed_ = failed_ || !Take(')');
    return texts;
  }

  static Texts Joined(const Texts& heads, const Texts& tails) {
    Texts all;
    all.reserve(heads.size() * tails.size());
    for (const std::string& head : heads) {
      for (const std::string& tail : tails) all.push_back(head + tail);
    }
    return all;
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace

std::optional<std::vector<std::string>> LiteralSet(std::string_view pattern) {
  return LiteralExpansion(pattern).All();
}

}  // namespace schedlens::promql
