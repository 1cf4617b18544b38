// Texts written anew: a changed tree as a change of its text, and MetricsQL's templates.

#include <array>
#include <map>

#include "promql/parser.h"

namespace schedlens::promql {
namespace {

bool IsSymbol(const Token& token, std::string_view text) {
  return token.kind == TokenKind::kSymbol && token.text == text;
}

bool IsGroupingWord(const Token& token) {
  const std::string lower = InSmallLetters(token.text);
  return token.kind == TokenKind::kIdentifier && (lower == "by" || lower == "without");
}

ExprPtr WithoutAnyParens(const ExprPtr& tree) {
  return Rewrite(tree, [](Expr& node) {
    if (const auto* paren = std::get_if<Paren>(&node.node)) node = Expr(*paren->expr);
  });
}

/// The same selector but for its name and range, and for names and values of its matchers.
bool SameBut(Selector before, const Selector& after) {
  if (before.matchers.size() != after.matchers.size()) return false;
  for (std::size_t i = 0; i < before.matchers.size(); ++i) {
    const bool own = before.matchers[i].name == "__name__";
    if (own != (after.matchers[i].name == "__name__")) return false;
    if (before.matchers[i].op != after.matchers[i].op) return false;
  }
  return before.edges == after.edges && before.shift == after.shift;
}

/// Walks both trees at once and notes where the text has to change.
class Editor {
 public:
  explicit Editor(std::string_view text) : text_(text), tokens_(Lex(text)) {}

  std::string Run(const Expr& before, const Expr& after) {
    Compare(before, after);
    return Apply(text_, edits_);
  }

 private:
  void Compare(const Expr& before, const Expr& after) {
    if (SameTree(before, after)) return;
    if (const auto* paren = before.As<Paren>(); paren != nullptr && !after.As<Paren>()) {
      return Compare(*paren->expr, after);
    }
    if (before.node.index() != after.node.index()) {
      const auto* call = after.As<Call>();
      if (call == nullptr || call->args.size() != 1 || !before.As<Selector>()) {
        return Replace(before, after);
      }
      // A function put around a selector.
      edits_.push_back({before.begin, before.begin, std::string(call->function->name) + "("});
      Compare(before, *call->args[0]);
      edits_.push_back({before.end, before.end, ")"});
      return;
    }
    if (const auto* selector = before.As<Selector>()) {
      return CompareSelectors(before, *selector, *after.As<Selector>(), after);
    }
    if (const auto* aggregation = before.As<Aggregation>()) {
      const auto& other = *after.As<Aggregation>();
      if (aggregation->op != other.op || !CompareGrouping(before, *aggregation, other)) {
        return Replace(before, after);
      }
    } else if (const auto* call = before.As<Call>();
               call != nullptr && Children(before).size() == Children(after).size()) {
      const Function* function = after.As<Call>()->function;
      const Token& name = tokens_[TokenAt(before.begin)];
      if (call->function != function) {
        edits_.push_back({name.begin, name.end, std::string(function->name)});
      }
    } else if (!SameNode(before, after)) {
      return Replace(before, after);
    }
    const auto olds = Children(before);
    const auto news = Children(after);
    for (std::size_t i = 0; i < olds.size(); ++i) Compare(*olds[i], *news[i]);
  }

  void Replace(const Expr& before, const Expr& after) {
    edits_.push_back({before.begin, before.end, ToString(after)});
  }

  void CompareSelectors(const Expr& place, const Selector& before, const Selector& after,
                        const Expr& whole) {
    const bool plain = SameBut(before, after) && (before.name.empty() == after.name.empty());
    if (!plain || (after.range_ms == 0 && before.range_ms > 0) ||
        (before.range_ms == 0 && after.range_ms > 0 && before.shift != TimeShift{})) {
      return Replace(place, whole);
    }
    const std::size_t first = TokenAt(place.begin);
    if (before.name != after.name) {
      edits_.push_back({tokens_[first].begin, tokens_[first].end, after.name});
    }
    EditMatchers(first, before, after);
    if (before.range_ms == after.range_ms) return;
    const std::string range = FormatDuration(after.range_ms);
    if (before.range_ms == 0) {
      edits_.push_back({place.end, place.end, "[" + range + "]"});
      return;
    }
    std::size_t i = first;
    while (!IsSymbol(tokens_[i], "[")) ++i;
    const std::size_t begin = i + 1;
    while (!IsSymbol(tokens_[i + 1], "]")) ++i;  // a duration may be an expression
    edits_.push_back({tokens_[begin].begin, tokens_[i].end, range});
  }

  /// The names and values that differ, each where it stands: matchers are separated by commas.
  void EditMatchers(std::size_t first, const Selector& before, const Selector& after) {
    std::size_t token = first;
    for (std::size_t i = before.name.empty() ? 0 : 1; i < before.matchers.size(); ++i) {
      while (!IsSymbol(tokens_[token], "{") && !IsSymbol(tokens_[token], ",")) ++token;
      const Token& name = tokens_[++token];
      if (before.matchers[i].name != after.matchers[i].name) {
        edits_.push_back({name.begin, name.end, after.matchers[i].name});
      }
      if (before.matchers[i].value == after.matchers[i].value) continue;
      const Token& value = tokens_[token + 2];
      const std::string text = QuotePromql(after.matchers[i].value);
      const bool single = text_[value.begin] == '\'' && text.find_first_of("'\\") == text.npos;
      edits_.push_back(
          {value.begin, value.end, single ? "'" + text.substr(1, text.size() - 2) + "'" : text});
    }
  }

  /// False: the grouping is of another kind.
  bool CompareGrouping(const Expr& place, const Aggregation& before, const Aggregation& after) {
    if (before.grouping == after.grouping && before.labels == after.labels) return true;
    const std::size_t first = TokenAt(place.begin);
    if (before.grouping == Grouping::kNone) {
      const bool close = tokens_[first].end == tokens_[first + 1].begin;
      edits_.push_back(
          {tokens_[first].end, tokens_[first].end,
           fmt::format(" {} ({}){}", after.grouping == Grouping::kBy ? "by" : "without",
                       fmt::join(after.labels, ", "), close ? " " : "")});
      return true;
    }
    if (before.grouping != after.grouping) return false;
    // Before the argument, or after its parenthesis.
    std::size_t word = first + 1;
    if (!IsGroupingWord(tokens_[word])) {
      word = TokenAt(before.expr->end);
      while (!IsGroupingWord(tokens_[word])) ++word;
    }
    EditLabels(word + 2, after.labels);
    return true;
  }

  /// The labels that start at this token, up to their parenthesis: those that stay keep their text.
  void EditLabels(std::size_t first, const std::vector<std::string>& labels) {
    std::size_t close = first;
    while (!IsSymbol(tokens_[close], ")")) ++close;
    std::string list;
    for (const std::string& label : labels) {
      std::string text = label;
      for (std::size_t i = first; i < close; ++i) {
        if (tokens_[i].kind == TokenKind::kSymbol || tokens_[i].text != label) continue;
        text = text_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin);
      }
      list += (list.empty() ? "" : ", ") + text;
    }
    edits_.push_back({tokens_[first - 1].end, tokens_[close].begin, list});
  }

  /// The first token that does not begin before this place.
  std::size_t TokenAt(std::size_t begin) const {
    const auto found = std::ranges::lower_bound(tokens_, begin, {}, &Token::begin);
    return static_cast<std::size_t>(found - tokens_.begin());
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<TextEdit> edits_;
};

constexpr int kDeepest = 20;
constexpr std::size_t kLongestEdited = std::size_t{1} << 18;

/// A template that does not read as one: the parser says what is wrong.
struct Malformed {};

/// Tokens [begin, end).
struct Span {
  std::size_t begin = 0, end = 0;
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
  return std::ranges::find(kWords, InSmallLetters(word)) != kWords.end();
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
  bool IsWith(std::size_t i) const {
    return IsWord(i) && InSmallLetters(tokens_[i].text) == "with" && Is(i + 1, "(");
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

  std::string Written(Span span, const Scope& scope, int depth) {
    if (depth > kDeepest) throw Error(ErrorKind::kUsage, "templates nest too deep");
    std::string out;
    int braces = 0;
    std::size_t i = span.begin;
    while (i < span.end) {
      if (out.size() + written_ > kLongestEdited) {
        throw Error(ErrorKind::kUsage, "templates make the expression too long");
      }
      if (i > span.begin) {
        out += text_.substr(tokens_[i - 1].end, tokens_[i].begin - tokens_[i - 1].end);
      }
      if (Is(i, "{")) ++braces;
      if (Is(i, "}")) --braces;
      if (IsWith(i)) {
        std::size_t at = i + 2;
        const Scope inner = Definitions(&at, span.end, scope, depth);
        const std::size_t end = UntilComma(at, span.end);
        out += "(" + Written({at, end}, inner, depth + 1) + ")";
        i = end;
      } else if (IsWord(i) && tokens_[i].text == "keep_metric_names" && i > 0 &&
                 (Is(i - 1, ")") || Is(i - 1, "]") || Is(i - 1, "}"))) {
        // Behind what ends an operand: a metric may be called that, too.
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
    // Inside of braces only a set of matchers, by name, stands alone.
    if (found == scope.end() || (braces > 0 && !Is(i + 1, ",") && !Is(i + 1, "}"))) {
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

std::string Edited(std::string_view text, const Expr& before, const Expr& after) {
  std::string edited = Editor(text).Run(before, after);
  // Where a part binds otherwise in its surroundings, the whole is written canonically.
  try {
    if (SameTree(*WithoutAnyParens(Parse(edited)), *WithoutAnyParens(Parse(ToString(after))))) {
      return edited;
    }
  } catch (const Error&) {
    // As below.
  }
  return ToString(after);
}

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
