#include "promql/matcher.h"

#include <re2/re2.h>

#include <cctype>
#include <mutex>
#include <unordered_map>

#include "promql/parser.h"

namespace schedlens::promql {

namespace {

using Texts = std::vector<std::string>;

constexpr std::size_t kMostTexts = 256;
constexpr int kDeepestGroup = 16;

/// The texts that a regular expression matches from end to end, in order, each once: `a_(b|c)?` is
/// `a_`, `a_b` and `a_c`, as most selectors' patterns are. Nothing for a pattern with anything but
/// letters, digits, `_ : / -`, `|`, groups and `?`, one that does not compile, or one with more
/// than 256 texts.
class LiteralExpansion {
 public:
  explicit LiteralExpansion(std::string_view pattern) : pattern_(pattern) {}

  std::optional<Texts> All() {
    Texts texts = Alternatives(0);
    if (failed_ || at_ < pattern_.size()) return std::nullopt;
    std::ranges::sort(texts);
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
    const bool literal = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                         std::string_view("_:/-").find(c) != std::string_view::npos;
    if (literal) return {std::string(1, c)};
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

/// More patterns than this are not kept: the outside world may bring any number of them.
constexpr std::size_t kMost = 256;

/// A finite set of texts is looked up: the automaton of a long pattern takes longer to make than
/// all its matches.
std::shared_ptr<const CompiledPattern> Compile(const std::string& pattern) {
  auto compiled = std::make_shared<CompiledPattern>();
  compiled->literals = LiteralExpansion(pattern).All();
  if (compiled->literals) return compiled;
  RE2::Options options(RE2::Quiet);
  options.set_dot_nl(true);
  compiled->regex = std::make_shared<const RE2>(pattern, options);
  compiled->error = HasAnyByte(pattern) ? "invalid escape sequence: \\C" : compiled->regex->error();
  return compiled;
}

std::shared_ptr<const CompiledPattern> Compiled(const std::string& pattern) {
  static std::mutex mutex;
  static auto* const kept =
      new std::unordered_map<std::string, std::shared_ptr<const CompiledPattern>>();
  const std::lock_guard lock(mutex);
  if (const auto it = kept->find(pattern); it != kept->end()) return it->second;
  auto compiled = Compile(pattern);
  if (kept->size() >= kMost) kept->clear();
  kept->emplace(pattern, compiled);
  return compiled;
}

}  // namespace

bool HasAnyByte(std::string_view pattern) {
  // Between \Q and \E all is literal text, to the end without a \E.
  static const RE2 kAnyByte("(?s)(?:[^\\\\]|\\\\[^CQ]|\\\\Q.*?\\\\E)*\\\\C.*", RE2::Latin1);
  return RE2::FullMatch(re2::StringPiece(pattern.data(), pattern.size()), kAnyByte);
}

std::string TooLongPattern(std::string_view pattern) {
  // RE2's time grows with the square of a pattern's repetitions. Texts side by side, as dashboards
  // make them of chosen values, cost little.
  constexpr std::size_t kLongest = std::size_t{32} << 10;
  const bool plain = pattern.find_first_of("*+?{[(\\") == std::string_view::npos;
  if (plain || pattern.size() <= kLongest) return "";
  return "longer than " + std::to_string(kLongest) + " bytes, the most that is read of one";
}

MatcherRegex::MatcherRegex(const std::string& pattern) : compiled_(Compiled(pattern)) {}

bool MatcherRegex::Matches(std::string_view value) const {
  if (const std::vector<std::string>* texts = literals()) {
    return std::ranges::binary_search(*texts, value);
  }
  return RE2::FullMatch(re2::StringPiece(value.data(), value.size()), *compiled_->regex);
}

CompiledMatcher::CompiledMatcher(const Matcher& matcher) : matcher_(matcher) {
  if (matcher.op == MatchOp::kRegex || matcher.op == MatchOp::kNotRegex) {
    regex_.emplace(matcher.value);
  }
}

bool CompiledMatcher::Accepts(std::string_view value) {
  if (asked_ && value == value_) return accepted_;
  asked_ = true;
  value_ = value;
  const bool matches = regex_ ? regex_->Matches(value) : value == matcher_.value;
  return accepted_ = matches == (matcher_.op == MatchOp::kEqual || matcher_.op == MatchOp::kRegex);
}

bool Accept(std::span<const Matcher> matchers, const Labels& labels) {
  return std::ranges::all_of(
      matchers, [&](const Matcher& matcher) { return CompiledMatcher(matcher).Accepts(labels); });
}

std::optional<std::vector<Matcher>> ParseMatchers(const std::string& text) {
  if (text.empty()) return std::vector<Matcher>();
  ExprPtr expr;
  try {  // beside a name: by themselves they may all match the empty string
    expr = Parse("{\"x\"," + text + "}");
  } catch (const Error&) {
    Parse("{" + text + "}");
    throw;
  }
  const auto* selector = WithoutParens(*expr).As<Selector>();
  if (selector == nullptr) return std::nullopt;
  return std::vector<Matcher>(selector->matchers.begin() + 1, selector->matchers.end());
}

}  // namespace schedlens::promql
