#pragma once

// Text of PromQL to tokens, to trees and back, and what trees may hold.

#include "base/text.h"
#include "promql/ast.h"
#include "schedlens/semantics.h"

namespace schedlens::promql {

enum class TokenKind {
  kEnd,
  kIdentifier,  ///< names and keywords; may hold ':'
  kNumber,
  kDuration,  ///< `5m`, `1h30m`
  kString,
  kSymbol,  ///< brackets, comma, colon, operators, `@`
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;                ///< as written; for strings the unquoted value
  double number = 0;               ///< kNumber
  std::int64_t duration_ms = 0;    ///< kDuration
  std::size_t begin = 0, end = 0;  ///< byte offsets in the expression
};

/// All tokens, the last one kEnd. Comments (`# ...`) and blanks are skipped. Throws Error(kUsage)
/// with line and column for a character that starts no token, an unclosed string or a bad number.
std::vector<Token> Lex(std::string_view text);

/// `line:column`, both from 1, column in bytes, as Prometheus counts.
std::string PositionText(std::string_view text, std::size_t offset);

/// Throws Error(kUsage): "PromQL LINE:COLUMN: message, in `expression`".
[[noreturn]] void ThrowAt(std::string_view text, std::size_t offset, const std::string& message);

/// How a message names a token.
std::string Describe(const Token& token);

/// The tokens of one expression from left to right. The text must outlive it.
class TokenStream {
 public:
  /// Throws what Lex throws.
  explicit TokenStream(std::string_view text) : text_(text), tokens_(Lex(text)) {}

  std::string_view text() const { return text_; }
  /// The next token, or one further on; beyond the last one the end.
  const Token& Peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  const Token& Take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  /// Where the last token taken ends.
  std::size_t LastEnd() const { return at_ == 0 ? 0 : tokens_[at_ - 1].end; }

  bool IsSymbol(std::string_view symbol, std::size_t ahead = 0) const {
    return Peek(ahead).kind == TokenKind::kSymbol && Peek(ahead).text == symbol;
  }
  bool IsSign() const { return IsSymbol("-") || IsSymbol("+"); }
  /// Keywords are written in any case.
  bool IsKeyword(std::string_view keyword, std::size_t ahead = 0) const {
    return Peek(ahead).kind == TokenKind::kIdentifier &&
           InSmallLetters(Peek(ahead).text) == keyword;
  }
  bool TakeSymbol(std::string_view symbol) {
    if (!IsSymbol(symbol)) return false;
    Take();
    return true;
  }
  /// Takes a sign, if there is one: 1 or -1.
  double TakeSign() { return IsSign() && Take().text == "-" ? -1 : 1; }

  /// Throws Error(kUsage) that points at the token.
  [[noreturn]] void Fail(const Token& token, const std::string& message) const {
    ThrowAt(text_, token.begin, message);
  }
  /// Takes the symbol; throws Error(kUsage) with what was found instead.
  void Expect(std::string_view symbol, std::string_view where);
  /// A label name, quoted or not. Throws Error(kUsage) where there is none.
  const Token& TakeLabelName();
  /// `(a, b, "c")`.
  std::vector<std::string> TakeLabelList();

 private:
  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

/// What `step()` and `range()` in a duration stand for: zero in an instant query. Where the query
/// is not known, a minute and an hour.
struct DurationContext {
  std::int64_t step_ms = 60 * 1000, range_ms = 60 * 60 * 1000;
};

/// Reads one expression as Prometheus and VictoriaMetrics do, and checks its types. Some of what
/// is read cannot be evaluated here (RefuseForeign). Throws Error(kUsage) naming the token and its
/// line:column for anything malformed, and for functions that no known server has.
ExprPtr Parse(std::string_view text, const DurationContext& context = {});

/// The same for what is meant for Prometheus: MetricsQL's `rate(x)` without a range and its
/// `default`, `if` and `ifnot` are errors too.
ExprPtr ParsePrometheus(std::string_view text);

/// Sets the node's kind after checking that its children (already checked) are of the kinds it
/// takes. Throws Error(kUsage) with the child's position in `text`.
ExprPtr CheckTypes(Expr expr, std::string_view text);

/// Throws Error(kUsage) that names the first function, operator or modifier of the tree which is
/// parsed and not evaluated, or which only another server than this one knows.
void RefuseForeign(const Expr& tree, std::string_view text, const Semantics& semantics);

/// The functions of Prometheus 3.14 and of VictoriaMetrics that are not evaluated, a name a line.
const std::vector<EmbeddedFile>& OnlyParsed();

/// The expression with MetricsQL's templates written out (`WITH (a = x, f(q) = ...) f(a)`, of
/// expressions, selectors, ranges and sets of matchers) and without `keep_metric_names`, which
/// changes no value. The result asks for the same. A text with neither, and one whose templates are
/// malformed, is returned as it is. Throws Error(kUsage) for what holds no tokens of PromQL, and
/// for templates that grow beyond any use.
std::string WrittenOut(std::string_view text);

/// `text`, which parses to `before`, changed so that it parses to `after`: what is the same in both
/// trees stays to the letter, with blanks and comments; parts of another shape are written
/// canonically. Places in `after` do not matter.
std::string Edited(std::string_view text, const Expr& before, const Expr& after);

}  // namespace schedlens::promql
