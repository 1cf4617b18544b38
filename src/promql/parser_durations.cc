#include "promql/parser_durations.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "model/seconds.h"
#include "model/text.h"

namespace schedlens::promql {
namespace {

/// Within +-292 years, the reach of a Go duration.
constexpr double kMostSeconds = 9.2e9;

/// Arithmetic in seconds, as servers do it.
class Durations {
 public:
  Durations(TokenStream& tokens, std::string_view where) : tokens_(tokens), where_(where) {}

  std::int64_t Run() { return ToMs(Sum()); }
  /// One operand, with or without a sign.
  std::int64_t One() {
    const bool minus = tokens_.IsSymbol("-");
    if (minus || tokens_.IsSymbol("+")) tokens_.Take();
    const double value = Primary();
    return ToMs(minus ? -value : value);
  }

 private:
  std::int64_t ToMs(double seconds) const {
    if (std::fabs(seconds) < kMostSeconds) return std::llround(seconds * 1000);
    tokens_.Fail(tokens_.Peek(), fmt::format("the duration {} is out of range", where_));
  }

  double Sum() {
    double value = Product();
    while (tokens_.IsSymbol("+") || tokens_.IsSymbol("-")) {
      const bool plus = tokens_.Take().text == "+";
      const double other = Product();
      value = plus ? value + other : value - other;
    }
    return value;
  }

  double Product() {
    double value = Operand();
    while (tokens_.IsSymbol("*") || tokens_.IsSymbol("/") || tokens_.IsSymbol("%")) {
      const Token& token = tokens_.Take();
      const double other = Operand();
      if (token.text != "*" && other == 0) tokens_.Fail(token, "a duration is divided by zero");
      if (token.text == "*") value *= other;
      if (token.text == "/") value /= other;
      if (token.text == "%") value = std::fmod(value, other);
    }
    return value;
  }

  double Operand() {
    if (++depth_ > kMostDepth) tokens_.Fail(tokens_.Peek(), "the duration is nested too deeply");
    const double value = Signed();
    --depth_;
    return value;
  }

  double Signed() {
    if (tokens_.IsSymbol("-") || tokens_.IsSymbol("+")) {
      const bool minus = tokens_.Take().text == "-";
      const double value = Operand();
      return minus ? -value : value;
    }
    const double base = Primary();
    if (!tokens_.TakeSymbol("^")) return base;
    return std::pow(base, Operand());
  }

  double Primary() {
    const Token& token = tokens_.Peek();
    if (token.kind == TokenKind::kDuration) {
      return MsToSeconds(tokens_.Take().duration_ms);
    }
    if (token.kind == TokenKind::kNumber) return tokens_.Take().number;
    if (tokens_.TakeSymbol("(")) {
      const double value = Sum();
      tokens_.Expect(")", "to close the parenthesis");
      return value;
    }
    if (token.kind == TokenKind::kIdentifier && tokens_.IsSymbol("(", 1)) return Called();
    tokens_.Fail(token, fmt::format("expected a duration {}, found {}", where_, Describe(token)));
  }

  double Called() {
    const Token& name = tokens_.Take();
    const std::string lower = Lower(name.text);
    tokens_.Take();
    if (lower == "step" || lower == "range") {
      tokens_.Expect(")", "after step( or range(");
      return MsToSeconds(lower == "step" ? tokens_.context().step_ms : tokens_.context().range_ms);
    }
    if (lower != "min_of" && lower != "max_of") {
      tokens_.Fail(name, fmt::format("\"{}\" is no function of durations", name.text));
    }
    const double a = Sum();
    tokens_.Expect(",", "between two durations");
    const double b = Sum();
    tokens_.Expect(")", "after the second duration");
    return lower == "min_of" ? std::min(a, b) : std::max(a, b);
  }

  static constexpr int kMostDepth = 100;
  TokenStream& tokens_;
  std::string_view where_;
  int depth_ = 0;
};

}  // namespace

std::int64_t ParseDurationExpression(TokenStream& tokens, std::string_view where) {
  return Durations(tokens, where).Run();
}

std::int64_t ParseOffsetDuration(TokenStream& tokens) {
  return Durations(tokens, "after offset").One();
}

std::string TakeFills(TokenStream& tokens) {
  std::string text;
  while (tokens.IsSymbol("(", 1) && (tokens.IsKeyword("fill") || tokens.IsKeyword("fill_left") ||
                                     tokens.IsKeyword("fill_right"))) {
    const std::string word = Lower(tokens.Take().text);
    tokens.Take();
    double sign = 1;
    if (tokens.IsSymbol("-") || tokens.IsSymbol("+")) sign = tokens.Take().text == "-" ? -1 : 1;
    const Token& value = tokens.Peek();
    if (value.kind != TokenKind::kNumber) {
      tokens.Fail(value, fmt::format("expected a number in {}, found {}", word, Describe(value)));
    }
    tokens.Take();
    tokens.Expect(")", "after the number");
    text +=
        fmt::format("{}{}({})", text.empty() ? "" : " ", word, FormatNumber(sign * value.number));
  }
  return text;
}

}  // namespace schedlens::promql
