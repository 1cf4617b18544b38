#include "source/rule_template_lexer.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <utility>

namespace schedlens {
namespace {

constexpr std::string_view kLeft = "{{";
constexpr std::string_view kRight = "}}";

bool IsBlankAt(std::string_view text, std::size_t at) {
  return at < text.size() &&
         (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n');
}

bool IsLetter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return c == '_' || std::isalnum(byte) != 0 || byte >= 0x80;
}

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool IsKeyword(std::string_view word) {
  constexpr std::array<std::string_view, 10> kKeywords = {
      "if", "else", "end", "range", "with", "template", "define", "block", "break", "continue"};
  for (const std::string_view keyword : kKeywords) {
    if (word == keyword) return true;
  }
  return false;
}

class TemplateLexer {
 public:
  explicit TemplateLexer(std::string_view text) : text_(text) {}

  std::vector<TemplateItem> Run() {
    while (Outside() && Inside()) {
    }
    return std::move(items_);
  }

 private:
  void Add(TemplateWord word, std::size_t begin) {
    items_.push_back({word, std::string(text_.substr(begin, at_ - begin))});
  }

  bool Fault(std::string why) {
    items_.push_back({TemplateWord::kFault, std::move(why)});
    return false;
  }

  bool StartsWith(std::size_t at, std::string_view word) const {
    return at <= text_.size() && text_.substr(at).starts_with(word);
  }

  /// Whether the action ends here: }} or, after a blank, -}}.
  bool IsRight(std::size_t at) const { return StartsWith(at, kRight) || IsTrimmedRight(at); }
  bool IsTrimmedRight(std::size_t at) const {
    return IsBlankAt(text_, at) && StartsWith(at + 1, "-") && StartsWith(at + 2, kRight);
  }

  /// Text up to the next action; false at the end. Comments are skipped.
  bool Outside() {
    const std::size_t left = std::min(text_.find(kLeft, at_), text_.size());
    const std::size_t begin = at_;
    at_ = left;
    if (left > begin) Add(TemplateWord::kText, begin);
    if (left == text_.size()) {
      items_.push_back({TemplateWord::kEnd, ""});
      return false;
    }
    at_ += kLeft.size();
    if (StartsWith(at_, "-") && IsBlankAt(text_, at_ + 1)) at_ += 2;
    if (StartsWith(at_, "/*")) return SkipComment();
    Add(TemplateWord::kLeft, left);
    return true;
  }

  bool SkipComment() {
    const std::size_t end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos) return Fault("unclosed comment");
    at_ = end + 2;
    if (!IsRight(at_)) return Fault("comment ends before closing delimiter");
    TakeRight();
    return Outside();
  }

  void TakeRight() { at_ += StartsWith(at_, kRight) ? kRight.size() : 2 + kRight.size(); }

  /// The words of an action up to its end.
  bool Inside() {
    int open = 0;
    while (true) {
      const std::size_t begin = at_;
      if (IsRight(at_)) {
        if (open > 0) return Fault("unclosed left paren");
        TakeRight();
        Add(TemplateWord::kRight, begin);
        return true;
      }
      if (at_ >= text_.size()) return Fault("unclosed action");
      const char c = text_[at_];
      if (c == '(') ++open;
      if (c == ')' && --open < 0) return Fault("unexpected right paren U+0029 ')'");
      if (!Take(c)) return false;
    }
  }

  bool Take(char c) {
    const std::size_t begin = at_;
    if (IsBlankAt(text_, at_)) {
      while (IsBlankAt(text_, at_) && !IsTrimmedRight(at_)) ++at_;
      Add(TemplateWord::kSpace, begin);
      return true;
    }
    if (c == '"' || c == '`' || c == '\'') return TakeQuoted(c);
    if (c == '$') return TakeWord(TemplateWord::kVariable);
    if (c == '.' && at_ + 1 < text_.size() && IsDigit(text_[at_ + 1])) return TakeNumber();
    if (c == '.') return TakeWord(TemplateWord::kField);
    if (c == '+' || c == '-' || IsDigit(c)) return TakeNumber();
    if (IsLetter(c)) return TakeWord(TemplateWord::kName);
    if (c == ':' && !StartsWith(at_, ":=")) return Fault("expected :=");
    at_ += c == ':' ? 2 : 1;
    Add(c == '=' || c == ':' ? TemplateWord::kAssign
        : c == '|'           ? TemplateWord::kPipe
        : c == '('           ? TemplateWord::kLeftParen
        : c == ')'           ? TemplateWord::kRightParen
                             : TemplateWord::kOther,
        begin);
    return true;
  }

  bool TakeQuoted(char quote) {
    const std::size_t begin = at_++;
    const bool raw = quote == '`';
    while (at_ < text_.size() && text_[at_] != quote && (raw || text_[at_] != '\n')) {
      at_ += !raw && text_[at_] == '\\' ? 2 : 1;
    }
    if (at_ >= text_.size() || text_[at_] != quote) {
      return Fault(quote == '\''  ? "unterminated character constant"
                   : quote == '`' ? "unterminated raw quoted string"
                                  : "unterminated quoted string");
    }
    ++at_;
    Add(quote == '\'' ? TemplateWord::kCharacter : TemplateWord::kString, begin);
    return true;
  }

  /// A variable, a field or a name, which something has to follow that ends it.
  bool TakeWord(TemplateWord word) {
    const std::size_t begin = at_;
    if (word != TemplateWord::kName) ++at_;
    while (at_ < text_.size() && IsLetter(text_[at_])) ++at_;
    const bool ends = at_ >= text_.size() || IsBlankAt(text_, at_) || IsRight(at_) ||
                      std::string_view(".,|:)(").find(text_[at_]) != std::string_view::npos;
    if (!ends) {
      const auto byte = static_cast<unsigned char>(text_[at_]);
      return Fault(fmt::format("bad character U+{:04X} '{}'", byte, text_[at_]));
    }
    const std::string_view taken = text_.substr(begin, at_ - begin);
    if (taken == ".") word = TemplateWord::kDot;
    if (taken == "true" || taken == "false" || taken == "nil") word = TemplateWord::kConstant;
    if (IsKeyword(taken)) word = TemplateWord::kKeyword;
    Add(word, begin);
    return true;
  }

  bool TakeNumber() {
    const std::size_t begin = at_;
    if (text_[at_] == '+' || text_[at_] == '-') ++at_;
    const bool other_base = StartsWith(at_, "0x") || StartsWith(at_, "0X");
    if (other_base) at_ += 2;
    bool dot = false;
    const auto is_of_number = [&](char c) {
      if (c == '.') return !std::exchange(dot, true);
      if (IsDigit(c) || c == '_') return true;
      if (other_base) return std::isxdigit(static_cast<unsigned char>(c)) != 0;
      const bool after_exponent = text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E';
      return c == 'e' || c == 'E' || ((c == '+' || c == '-') && after_exponent);
    };
    while (at_ < text_.size() && is_of_number(text_[at_])) ++at_;
    if (at_ < text_.size() && IsLetter(text_[at_])) {
      ++at_;
      return Fault(fmt::format("bad number syntax: \"{}\"", text_.substr(begin, at_ - begin)));
    }
    Add(TemplateWord::kNumber, begin);
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<TemplateItem> items_;
};

}  // namespace

std::vector<TemplateItem> LexTemplate(std::string_view text) { return TemplateLexer(text).Run(); }

}  // namespace schedlens
