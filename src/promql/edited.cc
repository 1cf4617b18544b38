// A changed tree as a change of its text.

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "promql/ast.h"
#include "promql/lexer.h"
#include "promql/parser.h"
#include "schedlens/error.h"

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
      RenameFunction(before, *call, *after.As<Call>());
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

  void RenameFunction(const Expr& place, const Call& before, const Call& after) {
    if (before.function == after.function) return;
    const Token& name = tokens_[TokenAt(place.begin)];
    edits_.push_back({name.begin, name.end, std::string(after.function->name)});
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
    const auto found =
        std::lower_bound(tokens_.begin(), tokens_.end(), begin,
                         [](const Token& token, std::size_t place) { return token.begin < place; });
    return static_cast<std::size_t>(found - tokens_.begin());
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<TextEdit> edits_;
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

}  // namespace schedlens::promql
