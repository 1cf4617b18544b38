#pragma once

#include "promql/ast.h"

namespace re2 {
class RE2;
}

namespace schedlens::promql {

struct CompiledPattern {
  std::string error;  ///< empty where it compiles
  std::optional<std::vector<std::string>> literals;
  std::shared_ptr<const re2::RE2> regex;  ///< null with literals
};

/// Whether a pattern has `\C`, any byte, which RE2 reads and Go does not: what it matches need not
/// be UTF-8, so servers refuse it.
bool HasAnyByte(std::string_view pattern);

/// Why a regular expression is not given to RE2: it is so long that compiling it may take minutes.
/// Empty where it is given.
std::string TooLongPattern(std::string_view pattern);

/// A matcher's regular expression, anchored at both ends; `.` matches a line break too. A pattern
/// is compiled once in the process: one diagnosis evaluates the same few selectors hundreds of
/// times. Safe from several threads.
class MatcherRegex {
 public:
  explicit MatcherRegex(const std::string& pattern);

  /// Whether it compiles, and if not, why.
  bool ok() const { return error().empty(); }
  const std::string& error() const { return compiled_->error; }
  /// All that it matches, in order, where they are few and known; else null.
  const std::vector<std::string>* literals() const {
    return compiled_->literals ? &*compiled_->literals : nullptr;
  }
  /// Must be ok().
  bool Matches(std::string_view value) const;

 private:
  std::shared_ptr<const CompiledPattern> compiled_;
};

/// One matcher with its compiled regular expression, which must compile, as those of a parsed
/// expression do. Neighbours in label order mostly agree in a label, so the last verdict is
/// kept.
class CompiledMatcher {
 public:
  /// `matcher` must outlive this object.
  explicit CompiledMatcher(const Matcher& matcher);

  bool OfName() const { return matcher_.name == kMetricName; }
  /// All values it accepts, where they are few and known; else null.
  const std::vector<std::string>* Accepted() const {
    return matcher_.op == MatchOp::kRegex ? regex_->literals() : nullptr;
  }
  /// The value must outlive this object.
  bool Accepts(std::string_view value);
  bool Accepts(const Labels& labels) { return Accepts(labels.Get(matcher_.name)); }

 private:
  const Matcher& matcher_;
  std::optional<MatcherRegex> regex_;
  bool asked_ = false;
  std::string_view value_;
  bool accepted_ = false;
};

/// Whether every matcher accepts the labels, as a selector would. Regular expressions must compile.
bool Accept(std::span<const Matcher> matchers, const Labels& labels);

/// Reads `a="b",c=~"d"`, matchers without braces; empty text has none. Nothing for text that is
/// something else; throws Error(kUsage) where it does not parse at all.
std::optional<std::vector<Matcher>> ParseMatchers(const std::string& text);

}  // namespace schedlens::promql
