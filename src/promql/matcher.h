#ifndef SCHEDLENS_PROMQL_MATCHER_H_
#define SCHEDLENS_PROMQL_MATCHER_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contract/series.h"
#include "promql/ast.h"
#include "promql/regex.h"

namespace schedlens::promql {

/// One matcher with its compiled regular expression, which must compile, as those of a parsed
/// expression do. Neighbours in label order mostly agree in a label, so the last verdict is kept.
class CompiledMatcher {
 public:
  /// `matcher` must outlive this object.
  explicit CompiledMatcher(const Matcher& matcher);

  bool OfName() const { return matcher_.name == kMetricName; }
  /// All values it accepts, where they are few and known; else null.
  const std::vector<std::string>* Accepted() const;
  /// The value must outlive this object.
  bool Accepts(std::string_view value);
  bool Accepts(const Labels& labels) { return Accepts(labels.Get(matcher_.name)); }

 private:
  bool Test(std::string_view value) const;

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

#endif  // SCHEDLENS_PROMQL_MATCHER_H_
