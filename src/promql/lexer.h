#ifndef SCHEDLENS_PROMQL_LEXER_H_
#define SCHEDLENS_PROMQL_LEXER_H_

// PromQL text to tokens.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
  std::string text;              ///< as written; for strings the unquoted value
  double number = 0;             ///< kNumber
  std::int64_t duration_ms = 0;  ///< kDuration
  std::size_t begin = 0;         ///< byte offsets in the expression
  std::size_t end = 0;
};

/// All tokens, the last one kEnd. Comments (`# ...`) and blanks are skipped. Throws Error(kUsage)
/// with line and column for a character that starts no token, an unclosed string or a bad number.
std::vector<Token> Lex(std::string_view text);

/// `line:column`, both from 1, column in bytes, as Prometheus counts.
std::string PositionText(std::string_view text, std::size_t offset);

/// Throws Error(kUsage): "PromQL LINE:COLUMN: message, in `expression`".
[[noreturn]] void ThrowAt(std::string_view text, std::size_t offset, const std::string& message);

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_LEXER_H_
