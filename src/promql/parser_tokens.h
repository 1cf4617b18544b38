#ifndef SCHEDLENS_PROMQL_PARSER_TOKENS_H_
#define SCHEDLENS_PROMQL_PARSER_TOKENS_H_

// What every part of the grammar does with tokens: look, take, complain, make a checked node.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "promql/ast.h"
#include "promql/lexer.h"
#include "promql/parser.h"

namespace schedlens::promql {

/// ASCII letters in lower case: keywords and operators are written in any case.
std::string Lower(std::string_view text);

/// How a message names a token.
std::string Describe(const Token& token);

/// The tokens of one expression from left to right. The text must outlive it.
class TokenStream {
 public:
  /// Throws what Lex throws.
  explicit TokenStream(std::string_view text, const DurationContext& context = {})
      : text_(text), context_(context), tokens_(Lex(text)) {}

  const DurationContext& context() const { return context_; }

  /// The next token, or one further on; beyond the last one the end.
  const Token& Peek(std::size_t ahead = 0) const;
  const Token& Take();
  bool IsSymbol(std::string_view symbol, std::size_t ahead = 0) const;
  bool IsKeyword(std::string_view keyword, std::size_t ahead = 0) const;
  bool TakeSymbol(std::string_view symbol);
  /// Takes the symbol; throws Error(kUsage) with what was found instead.
  void Expect(std::string_view symbol, std::string_view where);
  /// `(a, b, "c")`.
  std::vector<std::string> TakeLabelList();
  /// A label name, quoted or not. Throws Error(kUsage) where there is none.
  const Token& TakeLabelName();
  /// Where the last token taken ends.
  std::size_t LastEnd() const { return at_ == 0 ? 0 : tokens_[at_ - 1].end; }

  /// Throws Error(kUsage) that points at the token.
  [[noreturn]] void Fail(const Token& token, const std::string& message) const;

  /// A node of this text, its types checked.
  ExprPtr Make(decltype(Expr::node) node, std::size_t begin, std::size_t end) const;

 private:
  std::string_view text_;
  DurationContext context_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_PARSER_TOKENS_H_
