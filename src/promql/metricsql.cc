// What people write around PromQL for VictoriaMetrics.

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "base/text.h"
#include "promql/lexer.h"
#include "promql/parser.h"
#include "schedlens/error.h"

namespace schedlens::promql {
namespace {

constexpr int kDeepest = 20;
constexpr std::size_t kLongest = std::size_t{1} << 18;

/// A template that does not read as one: the parser says what is wrong.
struct Malformed {};

/// Tokens [begin, end).
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Template {
  std::string text;                 ///< written out; of one with parameters unused
  std::vector<std::string> params;  ///< empty: none
  Span body;
  bool bare = false;  ///< needs no parentheses: a selector, a number, a duration, a text
};

using Scope = std::map<std::string, Template>;

bool TakesLabels(const std::string& word) {
  constexpr std::array<std::string_view, 6> kWords = {"by",       "without",    "on",
                                                      "ignoring", "group_left", "group_right"};
  return std::find(kWords.begin(), kWords.end(), InSmallLetters(word)) != kWords.end();
}

class Writer {
 public:
  explicit Writer(std::string_view text) : text_(text), tokens_(Lex(text)) {}

  std::string Run() { return Written({0, tokens_.size() - 1}, {}, 0); }

 private:
  bool Is(std::size_t i, std::string_view symbol) const {
    return i < tokens_.size() && tokens_[i].kind == TokenKind::kSymbol && tokens_[i].text == symbol;
  }
  bool IsWord(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == TokenKind::kIdentifier;
  }
  /// Whether the token before `i` ends what can be calculated with. A metric may be called
  /// keep_metric_names, too.
  bool EndsOperand(std::size_t i) const {
    return i > 0 && (Is(i - 1, ")") || Is(i - 1, "]") || Is(i - 1, "}"));
  }
  bool IsWith(std::size_t i) const {
    return IsWord(i) && InSmallLetters(tokens_[i].text) == "with" && Is(i + 1, "(");
  }

  /// What stands before token `i` since the one before it.
  std::string_view Blanks(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : tokens_[i - 1].end;
    return text_.substr(begin, tokens_[i].begin - begin);
  }
  std::string_view Raw(std::size_t i) const {
    return text_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin);
  }

  /// The first of `stops` from `i` on that is in no brackets, or the end of the span.
  template <typename Stops>
  std::size_t Until(std::size_t i, std::size_t end, const Stops& stops) const {
    int depth = 0;
    for (; i < end; ++i) {
      if (depth == 0 && stops(i)) return i;
      if (Is(i, "(") || Is(i, "[") || Is(i, "{")) ++depth;
      if (Is(i, ")") || Is(i, "]") || Is(i, "}")) --depth;
      if (depth < 0) return i;
    }
    return end;
  }
  std::size_t UntilComma(std::size_t i, std::size_t end) const {
    return Until(i, end, [this](std::size_t at) { return Is(at, ","); });
  }

  /// `a, b` up to and with the closing bracket, which `i` then stands behind.
  std::vector<std::string> Params(std::size_t* i, std::size_t end) const {
    std::vector<std::string> names;
    while (!Is(*i, ")")) {
      if (*i >= end || !IsWord(*i)) throw Malformed{};
      names.push_back(tokens_[(*i)++].text);
      if (Is(*i, ",")) ++*i;
    }
    ++*i;
    return names;
  }

  bool IsBare(Span body) const {
    if (body.end == body.begin + 1) return true;
    const std::size_t brace = IsWord(body.begin) ? body.begin + 1 : body.begin;
    if (!Is(brace, "{")) return false;
    return Until(brace + 1, body.end, [](std::size_t) { return false; }) + 1 == body.end;
  }

  /// Reads the definitions behind `WITH (` at `i`, which then stands behind their bracket.
  Scope Definitions(std::size_t* i, std::size_t end, Scope scope, int depth) {
    while (!Is(*i, ")")) {
      if (*i >= end || !IsWord(*i)) throw Malformed{};
      const std::string name = tokens_[(*i)++].text;
      Template one;
      if (Is(*i, "(")) one.params = Params(&++*i, end);
      if (!Is(*i, "=")) throw Malformed{};
      one.body = {*i + 1, UntilComma(*i + 1, end)};
      one.bare = IsBare(one.body);
      if (one.body.begin == one.body.end) throw Malformed{};
      if (one.params.empty()) one.text = Written(one.body, scope, depth + 1);
      scope[name] = one;
      *i = one.body.end;
      if (Is(*i, ",")) ++*i;
    }
    ++*i;
    return scope;
  }

  /// The call of a template at `i`, which then stands behind it.
  std::string Called(const Template& called, std::size_t* i, std::size_t end, const Scope& scope,
                     int depth) {
    if (!Is(*i, "(")) throw Malformed{};
    Scope inner = scope;
    std::size_t at = *i + 1;
    for (const std::string& param : called.params) {
      const Span argument{at, UntilComma(at, end)};
      if (argument.begin == argument.end) throw Malformed{};
      inner[param] = {Written(argument, scope, depth + 1), {}, {}, IsBare(argument)};
      at = Is(argument.end, ",") ? argument.end + 1 : argument.end;
    }
    if (!Is(at, ")")) throw Malformed{};
    *i = at + 1;
    return "(" + Written(called.body, inner, depth + 1) + ")";
  }

  /// Matchers of a set in place of its name: without the braces of their own.
  static std::string WithoutBraces(const std::string& text) {
    const std::size_t open = text.find('{');
    const std::size_t close = text.rfind('}');
    if (open != 0 || close == std::string::npos) throw Malformed{};
    return text.substr(1, close - 1);
  }

  /// Whether the word at `i` stands where a matcher does: a set of them, by name.
  bool IsSetOfMatchers(std::size_t i, int braces) const {
    return braces > 0 && (Is(i + 1, ",") || Is(i + 1, "}"));
  }

  std::string Written(Span span, const Scope& scope, int depth) {
    if (depth > kDeepest) throw Error(ErrorKind::kUsage, "templates nest too deep");
    std::string out;
    int braces = 0;
    std::size_t i = span.begin;
    while (i < span.end) {
      if (out.size() + written_ > kLongest) {
        throw Error(ErrorKind::kUsage, "templates make the expression too long");
      }
      if (i > span.begin) out += Blanks(i);
      if (Is(i, "{")) ++braces;
      if (Is(i, "}")) --braces;
      if (IsWith(i)) {
        std::size_t at = i + 2;
        const Scope inner = Definitions(&at, span.end, scope, depth);
        const std::size_t end = UntilComma(at, span.end);
        out += "(" + Written({at, end}, inner, depth + 1) + ")";
        i = end;
      } else if (IsWord(i) && tokens_[i].text == "keep_metric_names" && EndsOperand(i)) {
        ++i;
      } else if (IsWord(i) && TakesLabels(tokens_[i].text) && Is(i + 1, "(")) {
        const std::size_t end = Until(i + 2, span.end, [](std::size_t) { return false; });
        out += text_.substr(tokens_[i].begin, tokens_[end].begin - tokens_[i].begin);
        i = end;
      } else {
        i = WriteToken(i, span.end, scope, braces, depth, &out);
      }
    }
    written_ += out.size();
    return out;
  }

  /// Writes the token at `i`, or what it stands for; the token behind.
  std::size_t WriteToken(std::size_t i, std::size_t end, const Scope& scope, int braces, int depth,
                         std::string* out) {
    const auto found = IsWord(i) ? scope.find(tokens_[i].text) : scope.end();
    if (found == scope.end() || (braces > 0 && !IsSetOfMatchers(i, braces))) {
      *out += Raw(i);
      return i + 1;
    }
    const Template& one = found->second;
    ++i;
    if (!one.params.empty()) {
      *out += Called(one, &i, end, scope, depth);
    } else if (braces > 0) {
      *out += WithoutBraces(one.text);
    } else if (one.bare && one.text.ends_with('}') && Is(i, "{")) {
      // More matchers on a selector.
      const bool none = Is(i + 1, "}");
      *out += one.text.substr(0, one.text.size() - 1) + (none ? "" : ",");
      const std::size_t close = Until(i + 1, end, [](std::size_t) { return false; });
      *out += Written({i + 1, close}, scope, depth + 1);
      i = close;
    } else {
      *out += one.bare ? one.text : "(" + one.text + ")";
    }
    return i;
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t written_ = 0;
};

}  // namespace

std::string WrittenOut(std::string_view text) {
  const std::string lower = InSmallLetters(text);
  if (lower.find("with") == std::string::npos &&
      lower.find("keep_metric_names") == std::string::npos) {
    return std::string(text);
  }
  try {
    return Writer(text).Run();
  } catch (const Malformed&) {
    return std::string(text);
  }
}

}  // namespace schedlens::promql
