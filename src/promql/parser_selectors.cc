// Selectors, and the ranges and time shifts that follow them.

#include "promql/parser_selectors.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "promql/parser_durations.h"
#include "promql/regex.h"

namespace schedlens::promql {
namespace {

bool MatchesEmpty(const Matcher& matcher) {
  switch (matcher.op) {
    case MatchOp::kEqual:
      return matcher.value.empty();
    case MatchOp::kNotEqual:
      return !matcher.value.empty();
    case MatchOp::kRegex:
      return MatcherRegex(matcher.value).Matches("");
    case MatchOp::kNotRegex:
      return !MatcherRegex(matcher.value).Matches("");
  }
  return true;
}

void AddName(const TokenStream& tokens, const Token& name, Selector* selector) {
  if (!selector->name.empty()) {
    tokens.Fail(name, fmt::format("the metric name is set twice: \"{}\" and \"{}\"", selector->name,
                                  name.text));
  }
  selector->matchers.push_back({MatchOp::kEqual, std::string(kMetricName), name.text});
}

void CheckRegex(const TokenStream& tokens, const Token& value, MatchOp op) {
  if (op != MatchOp::kRegex && op != MatchOp::kNotRegex) return;
  if (const std::string why = TooLongPattern(value.text); !why.empty()) {
    tokens.Fail(value, "a regular expression is " + why);
  }
  const MatcherRegex regex(value.text);
  if (!regex.ok()) {
    tokens.Fail(value, fmt::format("bad regular expression \"{}\": {}", value.text, regex.error()));
  }
}

void ParseMatcher(TokenStream& tokens, Selector* selector) {
  const Token& name = tokens.TakeLabelName();
  // A lone quoted string is the metric name (3.0 and newer).
  if (name.kind == TokenKind::kString && (tokens.IsSymbol(",") || tokens.IsSymbol("}"))) {
    AddName(tokens, name, selector);
    return;
  }
  static constexpr std::pair<std::string_view, MatchOp> kOps[] = {{"=", MatchOp::kEqual},
                                                                  {"!=", MatchOp::kNotEqual},
                                                                  {"=~", MatchOp::kRegex},
                                                                  {"!~", MatchOp::kNotRegex}};
  const Token& op = tokens.Peek();
  const auto* found = std::find_if(std::begin(kOps), std::end(kOps), [&](const auto& candidate) {
    return op.kind == TokenKind::kSymbol && op.text == candidate.first;
  });
  if (found == std::end(kOps)) {
    tokens.Fail(op, fmt::format("expected =, !=, =~ or !~ after label \"{}\", found {}", name.text,
                                Describe(op)));
  }
  tokens.Take();
  const Token& value = tokens.Peek();
  if (value.kind != TokenKind::kString) {
    tokens.Fail(value, fmt::format("expected a quoted string, found {}", Describe(value)));
  }
  tokens.Take();
  if (name.text == kMetricName && !selector->name.empty()) {
    tokens.Fail(name, fmt::format("the metric name is set twice: \"{}\" and \"{}\"", selector->name,
                                  value.text));
  }
  CheckRegex(tokens, value, found->second);
  selector->matchers.push_back({found->second, name.text, value.text});
}

ExprPtr ParseRange(TokenStream& tokens, ExprPtr expr) {
  const Token& open = tokens.Take();
  const Token& duration = tokens.Peek();
  const std::int64_t range = ParseDurationExpression(tokens, "in [...]");
  if (range <= 0) tokens.Fail(duration, "a range must be longer than zero");
  if (tokens.TakeSymbol(":")) {
    Subquery subquery;
    subquery.range_ms = range;
    if (!tokens.IsSymbol("]")) {
      const Token& step = tokens.Peek();
      subquery.step_ms = ParseDurationExpression(tokens, "as the subquery's step");
      if (subquery.step_ms <= 0) tokens.Fail(step, "a subquery's step must be longer than zero");
    }
    tokens.Expect("]", "to close the range");
    const std::size_t begin = expr->begin;
    subquery.expr = std::move(expr);
    return tokens.Make(std::move(subquery), begin, tokens.LastEnd());
  }
  tokens.Expect("]", "to close the range");
  const auto* plain = expr->As<Selector>();
  if (plain == nullptr || plain->range_ms != 0) {
    tokens.Fail(open,
                "a range is only allowed after a selector (a subquery is written [range:step])");
  }
  if (plain->shift != TimeShift{} || plain->edges != Edges::kPlain) {
    tokens.Fail(open, "the range comes before offset, @, anchored and smoothed");
  }
  Selector selector = *plain;
  selector.range_ms = range;
  return tokens.Make(std::move(selector), expr->begin, tokens.LastEnd());
}

/// Rebuilds a selector or subquery with another shift; anything else cannot be shifted.
template <typename Change>
ExprPtr Shifted(const TokenStream& tokens, const Token& token, const ExprPtr& expr,
                const Change& change) {
  if (const auto* selector = expr->As<Selector>()) {
    Selector changed = *selector;
    change(&changed.shift);
    return tokens.Make(std::move(changed), expr->begin, tokens.LastEnd());
  }
  if (const auto* subquery = expr->As<Subquery>()) {
    Subquery changed = *subquery;
    change(&changed.shift);
    return tokens.Make(std::move(changed), expr->begin, tokens.LastEnd());
  }
  tokens.Fail(token,
              fmt::format("\"{}\" is only allowed after a selector or a subquery", token.text));
}

ExprPtr ParseOffset(TokenStream& tokens, ExprPtr expr) {
  const Token& token = tokens.Take();
  const std::int64_t duration = ParseOffsetDuration(tokens);
  return Shifted(tokens, token, expr, [&](TimeShift* shift) {
    if (shift->offset_ms != 0) tokens.Fail(token, "offset may not be set twice");
    shift->offset_ms = duration;
  });
}

ExprPtr ParseAt(TokenStream& tokens, ExprPtr expr) {
  const Token& token = tokens.Take();
  TimeShift at;
  if ((tokens.IsKeyword("start") || tokens.IsKeyword("end")) && tokens.IsSymbol("(", 1)) {
    at.at = tokens.IsKeyword("start") ? TimeShift::At::kStart : TimeShift::At::kEnd;
    tokens.Take();
    tokens.Take();
    tokens.Expect(")", "after start( or end(");
  } else {
    double sign = 1;
    if (tokens.IsSymbol("-") || tokens.IsSymbol("+")) sign = tokens.Take().text == "-" ? -1 : 1;
    const Token& number = tokens.Peek();
    if (number.kind != TokenKind::kNumber || std::fabs(number.number) > 1e14) {
      tokens.Fail(number, fmt::format("expected unix seconds, start() or end() after @, found {}",
                                      Describe(number)));
    }
    tokens.Take();
    at.at = TimeShift::At::kTime;
    at.at_time = static_cast<TimeMs>(std::llround(sign * number.number * 1000));
  }
  return Shifted(tokens, token, expr, [&](TimeShift* shift) {
    if (shift->at != TimeShift::At::kNone) tokens.Fail(token, "@ may not be set twice");
    shift->at = at.at;
    shift->at_time = at.at_time;
  });
}

ExprPtr ParseEdges(TokenStream& tokens, ExprPtr expr) {
  const Token& token = tokens.Take();
  const auto* plain = expr->As<Selector>();
  if (plain == nullptr) {
    tokens.Fail(token, fmt::format("\"{}\" is only allowed after a range selector", token.text));
  }
  if (plain->edges != Edges::kPlain) {
    tokens.Fail(token, "anchored and smoothed may not be set twice");
  }
  Selector selector = *plain;
  selector.edges = Lower(token.text) == "anchored" ? Edges::kAnchored : Edges::kSmoothed;
  return tokens.Make(std::move(selector), expr->begin, tokens.LastEnd());
}

}  // namespace

std::string TooLongPattern(std::string_view pattern) {
  // RE2's time grows with the square of a pattern's repetitions. Texts side by side, as dashboards
  // make them of chosen values, cost little.
  constexpr std::size_t kLongest = std::size_t{32} << 10;
  const bool plain = pattern.find_first_of("*+?{[(\\") == std::string_view::npos;
  if (plain || pattern.size() <= kLongest) return "";
  return fmt::format("longer than {} bytes, the most that is read of one", kLongest);
}

ExprPtr ParseSelector(TokenStream& tokens, const std::string& name, std::size_t begin) {
  Selector selector;
  selector.name = name;
  if (!name.empty()) {
    selector.matchers.push_back({MatchOp::kEqual, std::string(kMetricName), name});
  }
  const Token& open = tokens.Peek();
  if (tokens.TakeSymbol("{")) {
    while (!tokens.TakeSymbol("}")) {
      ParseMatcher(tokens, &selector);
      if (!tokens.IsSymbol("}")) tokens.Expect(",", "or \"}\" after a matcher");
    }
  }
  const bool selective = std::any_of(selector.matchers.begin(), selector.matchers.end(),
                                     [](const Matcher& m) { return !MatchesEmpty(m); });
  if (!selective) {
    tokens.Fail(open, "a selector needs at least one matcher that does not match the empty string");
  }
  return tokens.Make(std::move(selector), begin, tokens.LastEnd());
}

ExprPtr ParseSuffixes(TokenStream& tokens, ExprPtr expr) {
  while (true) {
    if (tokens.IsSymbol("[")) {
      expr = ParseRange(tokens, std::move(expr));
    } else if (tokens.IsKeyword("offset")) {
      expr = ParseOffset(tokens, std::move(expr));
    } else if (tokens.IsSymbol("@")) {
      expr = ParseAt(tokens, std::move(expr));
    } else if (tokens.IsKeyword("anchored") || tokens.IsKeyword("smoothed")) {
      expr = ParseEdges(tokens, std::move(expr));
    } else {
      return expr;
    }
  }
}

}  // namespace schedlens::promql
