#include "promql/matcher.h"

#include <algorithm>

#include "promql/parser.h"
#include "promql/regex.h"

namespace schedlens::promql {

bool Accept(std::span<const Matcher> matchers, const Labels& labels) {
  return std::all_of(matchers.begin(), matchers.end(), [&](const Matcher& matcher) {
    const std::string_view value = labels.Get(matcher.name);
    switch (matcher.op) {
      case MatchOp::kEqual:
        return value == matcher.value;
      case MatchOp::kNotEqual:
        return value != matcher.value;
      case MatchOp::kRegex:
        return MatcherRegex(matcher.value).Matches(value);
      case MatchOp::kNotRegex:
        return !MatcherRegex(matcher.value).Matches(value);
    }
    return false;
  });
}

std::optional<std::vector<Matcher>> ParseMatchers(const std::string& text) {
  if (text.empty()) return std::vector<Matcher>();
  const ExprPtr expr = Parse("{" + text + "}");
  const auto* selector = WithoutParens(*expr).As<Selector>();
  if (selector == nullptr) return std::nullopt;
  return selector->matchers;
}

}  // namespace schedlens::promql
