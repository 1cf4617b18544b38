#include "source/capture/redact_promql.h"

#include <algorithm>
#include <cctype>

#include "kube/public_words.h"
#include "model/quote.h"
#include "model/text.h"
#include "promql/ast.h"
#include "promql/matcher.h"
#include "promql/parser.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

bool IsNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '/' ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// Whether each word of the pattern may stand in the label: `scheduled|error`, `.+`, `5..`.
bool IsPublicPattern(const std::string& label, const std::string& pattern) {
  for (std::size_t i = 0; i < pattern.size();) {
    std::size_t end = i;
    const auto is_point = [&] { return pattern[end] == '.' && IsDigit(pattern[end + 1]); };
    while (end < pattern.size() && (IsNameCharacter(pattern[end]) || is_point())) ++end;
    if (end > i && !kube::IsPublicValue(label, pattern.substr(i, end - i))) return false;
    i = std::max(end, i + 1);
  }
  return true;
}

/// Text of a call: `$1`, and patterns without letters and digits.
bool SaysNothing(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '$' && i + 1 < text.size() && IsDigit(text[i + 1])) {
      ++i;
    } else if (IsNameCharacter(text[i]) && text[i] != '-' && text[i] != '/') {
      return false;
    }
  }
  return true;
}

}  // namespace

const std::set<std::string>& PromqlRedactor::ValuesOf(const std::string& label) {
  const auto [at, fresh] = values_.try_emplace(label);
  if (fresh) {
    for (const Series& series : series_) {
      if (series.labels.Has(label)) at->second.emplace(series.labels.Get(label));
    }
  }
  return at->second;
}

std::string PromqlRedactor::Regex(const std::string& label, const std::string& pattern) {
  if (IsPublicPattern(label, pattern)) return pattern;
  const promql::MatcherRegex regex(pattern);
  std::set<std::string> codes;
  for (const std::string& value : ValuesOf(label)) {
    if (regex.Matches(value)) codes.insert(EscapeRegex(words_.Value(label, value)));
  }
  if (regex.Matches("")) codes.insert("");
  if (codes.empty()) codes.insert(words_.Code(pattern));  // matches nothing here, as before
  std::string any;
  for (const std::string& code : codes) any += (any.empty() ? "" : "|") + code;
  return codes.contains("") ? any + "|" : any;
}

std::string PromqlRedactor::Expression(const std::string& text) {
  const auto rename = [this](std::vector<std::string>& labels) {
    for (std::string& label : labels) label = words_.LabelName(label);
  };
  const auto change = [&](promql::Expr& node) {
    if (auto* selector = std::get_if<promql::Selector>(&node.node)) {
      if (!selector->name.empty()) selector->name = words_.MetricName(selector->name);
      for (promql::Matcher& matcher : selector->matchers) {
        const bool literal =
            matcher.op == promql::MatchOp::kEqual || matcher.op == promql::MatchOp::kNotEqual;
        matcher.value = literal ? words_.Value(matcher.name, matcher.value)
                                : Regex(matcher.name, matcher.value);
        matcher.name = words_.LabelName(matcher.name);
      }
    } else if (auto* aggregation = std::get_if<promql::Aggregation>(&node.node)) {
      rename(aggregation->labels);
    } else if (auto* binary = std::get_if<promql::Binary>(&node.node)) {
      rename(binary->matching.labels);
      rename(binary->matching.include);
    } else if (auto* literal = std::get_if<promql::StringLiteral>(&node.node)) {
      if (!SaysNothing(literal->value)) literal->value = words_.LabelName(literal->value);
    }
  };
  try {
    return promql::ToString(*promql::Rewrite(promql::Parse(text), change));
  } catch (const Error&) {
    return "";
  }
}

std::string PromqlRedactor::Matchers(const std::string& matchers) {
  std::string text = Expression("{" + matchers + "}");
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') return "";
  return text.substr(1, text.size() - 2);
}

}  // namespace schedlens
