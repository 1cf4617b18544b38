#include "source/rule_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "source/rule_template_lexer.h"
#include "source/rule_template_words.h"

namespace schedlens {
namespace {

constexpr int kDeepestTemplate = 100;

bool IsLiteral(const TemplateItem& item) {
  return item.word == TemplateWord::kConstant || item.word == TemplateWord::kString ||
         item.word == TemplateWord::kNumber || item.word == TemplateWord::kCharacter ||
         item.word == TemplateWord::kDot;
}

bool StartsOperand(const TemplateItem& item) {
  return IsLiteral(item) || item.word == TemplateWord::kVariable ||
         item.word == TemplateWord::kField || item.word == TemplateWord::kName ||
         item.word == TemplateWord::kLeftParen;
}

/// Reads the words by Go's grammar. Each function is false once there is a fault.
class TemplateReader {
 public:
  explicit TemplateReader(std::string_view text) : items_(LexTemplate(text)) {}

  std::string Fault() {
    std::string closing;
    if (List(&closing) && !closing.empty()) Fail(fmt::format("unexpected {{{{{}}}}}", closing));
    return too_deep_ ? "" : fault_;
  }

 private:
  bool Fail(std::string why) {
    if (fault_.empty()) fault_ = std::move(why);
    return false;
  }

  bool Unexpected(const TemplateItem& item, std::string_view context) {
    constexpr std::size_t kLongest = 10;
    if (item.word == TemplateWord::kFault) return Fail(item.text);
    std::string text = item.text.size() > kLongest
                           ? fmt::format("\"{}\"...", item.text.substr(0, kLongest))
                           : fmt::format("\"{}\"", item.text);
    if (item.word == TemplateWord::kKeyword) text = fmt::format("<{}>", item.text);
    if (item.word == TemplateWord::kEnd) text = "EOF";
    return Fail(fmt::format("unexpected {} in {}", text, context));
  }

  const TemplateItem& Peek() const { return items_[at_]; }
  const TemplateItem& Next() { return items_[at_ + 1 < items_.size() ? at_++ : at_]; }
  void SkipSpace() {
    while (Peek().word == TemplateWord::kSpace) ++at_;
  }
  const TemplateItem& NextNoSpace() {
    SkipSpace();
    return Next();
  }
  bool IsKeyword(std::string_view word) const {
    return Peek().word == TemplateWord::kKeyword && Peek().text == word;
  }

  bool Expect(TemplateWord word, std::string_view context) {
    const TemplateItem& item = NextNoSpace();
    return item.word == word || Unexpected(item, context);
  }

  /// Text and actions up to the end of the text, or to `{{end}}` or `{{else}}`, which `closing`
  /// then says.
  bool List(std::string* closing) {
    closing->clear();
    while (Peek().word != TemplateWord::kEnd) {
      const TemplateItem& item = NextNoSpace();
      if (item.word == TemplateWord::kText) continue;
      if (item.word != TemplateWord::kLeft) return Unexpected(item, "input");
      if (!Action(closing)) return false;
      if (!closing->empty()) return true;
    }
    return true;
  }

  bool Action(std::string* closing) {
    SkipSpace();
    if (Peek().word != TemplateWord::kKeyword) return Pipeline("command", TemplateWord::kRight);
    const std::string word = Peek().text;
    if (word == "define" && depth_ > 0) return Unexpected(Peek(), "command");
    Next();
    if (word == "end" || word == "else") {
      *closing = word;
      SkipSpace();
      if (word == "else" && IsKeyword("if")) return true;
      return Expect(TemplateWord::kRight, word);
    }
    if (word == "break" || word == "continue") {
      if (ranges_ == 0) return Fail(fmt::format("{{{{{}}}}} outside {{{{range}}}}", word));
      return Expect(TemplateWord::kRight, fmt::format("{{{{{}}}}}", word));
    }
    if (word == "template" || word == "define" || word == "block") return Named(word);
    return Control(word);
  }

  /// `template "x" .`, `define "x"` with its list, and `block "x" .`, which is both.
  bool Named(const std::string& word) {
    const std::string context = fmt::format("{} clause", word);
    if (!Expect(TemplateWord::kString, context)) return false;
    SkipSpace();
    if (word != "block" && Peek().word == TemplateWord::kRight) {
      Next();
    } else if (word == "define") {
      return Unexpected(Peek(), context);
    } else if (!Pipeline(context, TemplateWord::kRight)) {
      return false;
    }
    std::string closing;
    return word == "template" || (Body(&closing) && ToEnd(closing));
  }

  bool Body(std::string* closing) {
    if (++depth_ > kDeepestTemplate) {
      too_deep_ = true;
      return false;
    }
    const bool read = List(closing);
    --depth_;
    return read && (!closing->empty() || Fail("unexpected EOF"));
  }

  bool ToEnd(const std::string& closing) {
    return closing == "end" || Fail("expected end; found {{else}}");
  }

  bool Control(const std::string& word) {
    const std::size_t variables = variables_.size();
    if (!Pipeline(word, TemplateWord::kRight)) return false;
    std::string closing;
    ranges_ += word == "range" ? 1 : 0;
    if (!Body(&closing)) return false;
    ranges_ -= word == "range" ? 1 : 0;
    if (closing == "else" && word == "if" && IsKeyword("if")) {
      Next();
      if (++depth_ > kDeepestTemplate) {
        too_deep_ = true;
        return false;
      }
      if (!Control("if")) return false;
      --depth_;
    } else if (closing == "else" && (!Body(&closing) || !ToEnd(closing))) {
      return false;
    }
    variables_.resize(variables);
    return true;
  }

  /// `$x :=` before a pipeline, `$i, $x :=` of a range.
  bool Declarations(std::string_view context) {
    for (int declared = 1;; ++declared) {
      SkipSpace();
      const std::size_t before = at_;
      if (Peek().word != TemplateWord::kVariable) return true;
      const std::string variable = Next().text;
      const TemplateItem& after = NextNoSpace();
      const bool comma = after.word == TemplateWord::kOther && after.text == ",";
      if (after.word != TemplateWord::kAssign && !comma) {
        at_ = before;
        return true;
      }
      variables_.push_back(variable);
      if (!comma) return true;
      if (context != "range" || declared > 1) {
        return Fail(fmt::format("too many declarations in {}", context));
      }
      SkipSpace();
      if (Peek().word != TemplateWord::kVariable) {
        return Fail("range can only initialize variables");
      }
    }
  }

  bool Pipeline(std::string_view context, TemplateWord end) {
    if (!Declarations(context)) return false;
    for (int stage = 0;; ++stage) {
      const TemplateItem& item = NextNoSpace();
      if (item.word == end) {
        return stage > 0 || Fail(fmt::format("missing value for {}", context));
      }
      if (!StartsOperand(item)) return Unexpected(item, context);
      if (stage > 0 && IsLiteral(item)) {
        return Fail(fmt::format("non executable command in pipeline stage {}", stage + 1));
      }
      --at_;
      if (!Command()) return false;
    }
  }

  /// Operands up to a pipe, which it takes, or to the end of the pipeline.
  bool Command() {
    while (true) {
      SkipSpace();
      if (StartsOperand(Peek()) && !Operand()) return false;
      const TemplateItem& item = Next();
      if (item.word == TemplateWord::kSpace) continue;
      if (item.word == TemplateWord::kPipe) return true;
      if (item.word != TemplateWord::kRight && item.word != TemplateWord::kRightParen) {
        return Unexpected(item, "operand");
      }
      --at_;
      return true;
    }
  }

  bool Operand() {
    const TemplateItem& item = Next();
    if (!Term(item)) return false;
    if (Peek().word != TemplateWord::kField) return true;
    if (IsLiteral(item)) return Fail(fmt::format("unexpected . after term \"{}\"", item.text));
    while (Peek().word == TemplateWord::kField) Next();
    return true;
  }

  bool Term(const TemplateItem& item) {
    if (item.word == TemplateWord::kName) {
      return IsTemplateFunction(item.text) ||
             Fail(fmt::format("function \"{}\" not defined", item.text));
    }
    if (item.word == TemplateWord::kVariable) {
      return std::count(variables_.begin(), variables_.end(), item.text) > 0 ||
             Fail(fmt::format("undefined variable \"{}\"", item.text));
    }
    if (item.word == TemplateWord::kNumber) {
      return IsReadableNumber(item.text) ||
             Fail(fmt::format("illegal number syntax: \"{}\"", item.text));
    }
    if (item.word == TemplateWord::kCharacter) {
      return IsOneTemplateCharacter(item.text) ||
             Fail(fmt::format("malformed character constant: {}", item.text));
    }
    if (item.word == TemplateWord::kString)
      return IsReadableString(item.text) || Fail("invalid syntax");
    if (item.word != TemplateWord::kLeftParen) return true;
    if (++depth_ > kDeepestTemplate) {
      too_deep_ = true;
      return false;
    }
    const bool read = Pipeline("parenthesized pipeline", TemplateWord::kRightParen);
    --depth_;
    return read;
  }

  std::vector<TemplateItem> items_;
  std::size_t at_ = 0;
  std::vector<std::string> variables_ = {"$", "$labels", "$externalLabels", "$externalURL",
                                         "$value"};
  int depth_ = 0;
  int ranges_ = 0;
  bool too_deep_ = false;
  std::string fault_;
};

}  // namespace

std::string TemplateFault(std::string_view text) {
  return text.find("{{") == std::string_view::npos ? "" : TemplateReader(text).Fault();
}

}  // namespace schedlens
