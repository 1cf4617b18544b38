#include "promql/matcher.h"

#include <algorithm>

#include "promql/parser.h"

namespace schedlens::promql {

CompiledMatcher::CompiledMatcher(const Matcher& matcher) : matcher_(matcher) {
  if (matcher.op == MatchOp::kRegex || matcher.op == MatchOp::kNotRegex) {
    regex_.emplace(matcher.value);
  }
}

const std::vector<std::string>* CompiledMatcher::Accepted() const {
  return matcher_.op == MatchOp::kRegex ? regex_->literals() : nullptr;
}

bool CompiledMatcher::Accepts(std::string_view value) {
  if (!asked_ || value != value_) accepted_ = Test(value);
  asked_ = true;
  value_ = value;
  return accepted_;
}

bool CompiledMatcher::Test(std::string_view value) const {
  switch (matcher_.op) {
    case MatchOp::kEqual:
      return value == matcher_.value;
    case MatchOp::kNotEqual:
      return value != matcher_.value;
    case MatchOp::kRegex:
      return regex_->Matches(value);
    case MatchOp::kNotRegex:
      return !regex_->Matches(value);
  }
  return false;
}

bool Accept(std::span<const Matcher> matchers, const Labels& labels) {
  return std::all_of(matchers.begin(), matchers.end(), [&](const Matcher& matcher) {
    return CompiledMatcher(matcher).Accepts(labels);
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
