// PromQL text to tokens, and what is said of them.

#include <fmt/core.h>

#include "promql/parser.h"
#include "schedlens/error.h"

namespace schedlens::promql {
namespace {

bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// `0x1F`, `0b11`, `0o17` and, as in C, `017`: Prometheus reads integers in Go's own syntax before
/// it tries floats.
std::optional<double> ParsePrefixedInteger(std::string_view text) {
  if (text.size() < 2 || text[0] != '0') return std::nullopt;
  const std::string mark = InSmallLetters(text.substr(1, 1));
  const bool marked = mark == "x" || mark == "b" || mark == "o";
  const int base = mark == "x" ? 16 : mark == "b" ? 2 : 8;
  return WholeNumber<std::int64_t>(text.substr(marked ? 2 : 1), base);
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> Run() {
    std::vector<Token> tokens;
    for (SkipBlanks(); pos_ < text_.size(); SkipBlanks()) tokens.push_back(Next());
    Token end;
    end.begin = end.end = text_.size();
    tokens.push_back(end);
    return tokens;
  }

 private:
  char Peek(std::size_t ahead = 0) const {
    return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0';
  }

  void SkipBlanks() {
    while (pos_ < text_.size() && (text_[pos_] == '#' || IsSpace(text_[pos_]))) {
      pos_ = text_[pos_] == '#' ? std::min(text_.find('\n', pos_), text_.size()) : pos_ + 1;
    }
  }

  Token Next() {
    Token token;
    token.begin = pos_;
    const char c = Peek();
    if (c == '"' || c == '\'' || c == '`') {
      LexString(&token);
    } else if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)))) {
      LexNumber(&token);
    } else if (IsAlpha(c) || (c == ':' && depth_ == 0)) {
      LexName(&token);
    } else {
      LexSymbol(&token);
    }
    token.end = pos_;
    return token;
  }

  void LexName(Token* token) {
    token->kind = TokenKind::kIdentifier;
    // Inside [...] a colon separates the range of a subquery from its step.
    while (IsAlpha(Peek()) || IsDigit(Peek()) || (Peek() == ':' && depth_ == 0)) ++pos_;
    token->text = text_.substr(token->begin, pos_ - token->begin);
  }

  void LexNumber(Token* token) {
    const bool hex = Peek() == '0' && (Peek(1) == 'x' || Peek(1) == 'X');
    while (pos_ < text_.size()) {
      const char c = Peek();
      const char before = pos_ > token->begin ? text_[pos_ - 1] : '\0';
      const bool exponent = hex ? before == 'p' || before == 'P' : before == 'e' || before == 'E';
      if (!IsAlpha(c) && !IsDigit(c) && c != '.' && !((c == '+' || c == '-') && exponent)) break;
      ++pos_;
    }
    token->text = text_.substr(token->begin, pos_ - token->begin);
    if (const auto duration = ParseDuration(token->text);
        duration && !IsDigit(token->text.back())) {
      token->kind = TokenKind::kDuration;
      token->duration_ms = *duration;
      token->number = MsToSeconds(*duration);
      return;
    }
    token->kind = TokenKind::kNumber;
    if (const auto integer = ParsePrefixedInteger(token->text)) {
      token->number = *integer;
    } else if (const auto number = ParseNumber(token->text)) {
      token->number = *number;
    } else {
      ThrowAt(text_, token->begin,
              fmt::format("\"{}\" is neither a number nor a duration", token->text));
    }
  }

  void LexString(Token* token) {
    token->kind = TokenKind::kString;
    const char quote = text_[pos_++];
    while (true) {
      if (pos_ >= text_.size() || (text_[pos_] == '\n' && quote != '`')) {
        ThrowAt(text_, token->begin, fmt::format("the string opened by {} is not closed", quote));
      }
      const char c = text_[pos_++];
      if (c == quote) return;
      if (c == '\\' && quote != '`') {
        LexEscape(quote, &token->text);
      } else {
        token->text.push_back(c);
      }
    }
  }

  void LexEscape(char quote, std::string* out) {
    const std::size_t begin = pos_ - 1;
    const char c = Peek();
    static constexpr std::string_view kNames = "abfnrtv\\";
    static constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\";
    if (c != '\0' && (c == quote || kNames.find(c) != std::string_view::npos)) {
      out->push_back(c == quote ? quote : kValues[kNames.find(c)]);
      ++pos_;
    } else if (c == 'x') {
      ++pos_;
      out->push_back(static_cast<char>(LexDigits(begin, 2, 16)));
    } else if (c == 'u' || c == 'U') {
      ++pos_;
      const std::uint32_t code = LexDigits(begin, c == 'u' ? 4 : 8, 16);
      if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
        ThrowAt(text_, begin, "the escape names no Unicode character");
      }
      AppendUtf8(*out, code);
    } else if (c >= '0' && c <= '7') {
      const std::uint32_t code = LexDigits(begin, 3, 8);
      if (code > 255) ThrowAt(text_, begin, "the octal escape is over \\377");
      out->push_back(static_cast<char>(code));
    } else {
      ThrowAt(text_, begin, "unknown escape in a string");
    }
  }

  std::uint32_t LexDigits(std::size_t begin, std::size_t count, int base) {
    const std::string_view digits = text_.substr(pos_, count);
    const auto code = WholeNumber<std::uint32_t>(digits, base);
    if (digits.size() < count || !code) ThrowAt(text_, begin, "incomplete escape in a string");
    pos_ += count;
    return *code;
  }

  void LexSymbol(Token* token) {
    token->kind = TokenKind::kSymbol;
    static constexpr std::string_view kTwo[] = {"==", "!=", "=~", "!~", "<=", ">="};
    const std::string_view rest = text_.substr(pos_);
    for (std::string_view two : kTwo) {
      if (rest.starts_with(two)) {
        token->text = two;
        pos_ += 2;
        return;
      }
    }
    static constexpr std::string_view kOne = "(){}[],:=<>+-*/%^@";
    const char c = rest.front();
    if (kOne.find(c) == std::string_view::npos) {
      const auto byte = static_cast<unsigned char>(c);
      ThrowAt(text_, pos_,
              byte >= 0x20 && byte < 0x7F ? fmt::format("unexpected character '{}'", c)
                                          : fmt::format("unexpected byte 0x{:02x}", byte));
    }
    if (c == '[') ++depth_;
    if (c == ']' && depth_ > 0) --depth_;
    token->text = std::string(1, c);
    ++pos_;
  }

  std::string_view text_;
  std::size_t pos_ = 0;
  int depth_ = 0;  // of square brackets
};

}  // namespace

std::vector<Token> Lex(std::string_view text) { return Lexer(text).Run(); }

std::string PositionText(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t newline = before.rfind('\n');
  const std::size_t column =
      newline == std::string_view::npos ? before.size() + 1 : before.size() - newline;
  return fmt::format("{}:{}", line, column);
}

void ThrowAt(std::string_view text, std::size_t offset, const std::string& message) {
  // Errors are one line each, also where a token of the message holds a line break.
  const auto shown = [](std::string_view whole, std::size_t most) {
    const std::string part = OnOneLine(std::string(whole.substr(0, most)));
    return whole.size() > most ? part + "..." : part;
  };
  throw Error(ErrorKind::kUsage, fmt::format("PromQL {}: {}, in `{}`", PositionText(text, offset),
                                             shown(message, 500), shown(text, 200)));
}

std::string Describe(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end of the expression";
  if (token.kind == TokenKind::kString) return fmt::format("the string \"{}\"", token.text);
  return fmt::format("\"{}\"", token.text);
}

void TokenStream::Expect(std::string_view symbol, std::string_view where) {
  if (TakeSymbol(symbol)) return;
  Fail(Peek(), fmt::format("expected \"{}\" {}, found {}", symbol, where, Describe(Peek())));
}

std::vector<std::string> TokenStream::TakeLabelList() {
  Expect("(", "to open the label list");
  std::vector<std::string> labels;
  while (!TakeSymbol(")")) {
    labels.push_back(TakeLabelName().text);
    if (!IsSymbol(")")) Expect(",", "or \")\" after a label name");
  }
  return labels;
}

const Token& TokenStream::TakeLabelName() {
  const Token& token = Peek();
  const bool bare =
      token.kind == TokenKind::kIdentifier && token.text.find(':') == std::string::npos;
  if (!bare && token.kind != TokenKind::kString) {
    Fail(token, fmt::format("expected a label name, found {}", Describe(token)));
  }
  return Take();
}

}  // namespace schedlens::promql
