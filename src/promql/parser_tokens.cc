#include "promql/parser_tokens.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "promql/type_check.h"

namespace schedlens::promql {

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string Describe(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end of the expression";
  if (token.kind == TokenKind::kString) return fmt::format("the string \"{}\"", token.text);
  return fmt::format("\"{}\"", token.text);
}

const Token& TokenStream::Peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

const Token& TokenStream::Take() {
  const Token& token = Peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool TokenStream::IsSymbol(std::string_view symbol, std::size_t ahead) const {
  return Peek(ahead).kind == TokenKind::kSymbol && Peek(ahead).text == symbol;
}

bool TokenStream::IsKeyword(std::string_view keyword, std::size_t ahead) const {
  return Peek(ahead).kind == TokenKind::kIdentifier && Lower(Peek(ahead).text) == keyword;
}

bool TokenStream::TakeSymbol(std::string_view symbol) {
  if (!IsSymbol(symbol)) return false;
  Take();
  return true;
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

void TokenStream::Fail(const Token& token, const std::string& message) const {
  ThrowAt(text_, token.begin, message);
}

ExprPtr TokenStream::Make(decltype(Expr::node) node, std::size_t begin, std::size_t end) const {
  Expr expr;
  expr.node = std::move(node);
  expr.begin = begin;
  expr.end = end;
  return CheckTypes(std::move(expr), text_);
}

}  // namespace schedlens::promql
