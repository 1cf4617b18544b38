#include "diagnose/alert/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "diagnose/collect/targets.h"
#include "kube/metrics.h"
#include "promql/ast.h"
#include "promql/matcher.h"
#include "promql/parser.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

/// What a kube-scheduler's own process exposes; other metrics have other labels.
constexpr std::string_view kPrefixes[] = {"scheduler_", "rest_client_", "process_",
                                          "workqueue_", "go_",          "leader_election_"};

bool IsMeasurement(std::string_view label) {
  const std::vector<std::string>& labels = MeasurementLabels();
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

bool IsOfScheduler(const promql::Selector& selector) {
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return selector.name.starts_with(prefix); });
}

bool Holds(const std::vector<promql::Matcher>& matchers, const promql::Matcher& one) {
  return std::find(matchers.begin(), matchers.end(), one) != matchers.end();
}

std::vector<promql::Matcher> MatchersOf(const std::string& selector) {
  auto matchers = promql::ParseMatchers(selector);
  if (!matchers) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} is not a list of matchers such as job=\"scheduler\"", selector));
  }
  return *std::move(matchers);
}

/// The expression with each selector that `change` changes, which says whether it did.
template <typename Change>
std::string WithSelectors(const std::string& expr, const Change& change) {
  bool changed = false;
  const promql::ExprPtr tree = promql::Rewrite(promql::Parse(expr), [&](promql::Expr& node) {
    auto* selector = std::get_if<promql::Selector>(&node.node);
    if (selector != nullptr && change(*selector)) changed = true;
  });
  return changed ? promql::ToString(*tree) : expr;
}

bool IsNumber(const promql::Expr& expr) {
  const auto* unary = expr.As<promql::Unary>();
  return (unary != nullptr ? *unary->expr : expr).As<promql::NumberLiteral>() != nullptr;
}

}  // namespace

std::string MatchersText(const std::vector<promql::Matcher>& matchers) {
  promql::Selector selector;
  selector.matchers = matchers;
  const std::string text = promql::ToString(promql::Expr{.node = selector});
  return matchers.empty() ? "" : text.substr(1, text.size() - 2);
}

std::vector<promql::Matcher> TargetMatchers(const promql::AlertExpression& alert) {
  std::vector<promql::Matcher> matchers = alert.matchers;
  std::erase_if(matchers, [](const promql::Matcher& m) { return IsMeasurement(m.name); });
  return matchers;
}

std::vector<promql::Matcher> FiringMatchers(const promql::AlertExpression& alert,
                                            const Labels& firing) {
  const Labels named = NameLabels(firing);
  std::vector<promql::Matcher> matchers;
  for (const auto& [name, value] : firing) {
    const bool kept = std::find(alert.by.begin(), alert.by.end(), name) != alert.by.end();
    if (IsMeasurement(name) || (!kept && !named.Has(name))) continue;
    matchers.push_back({promql::MatchOp::kEqual, std::string(name), std::string(value)});
  }
  return matchers;
}

std::string JoinedSelector(const std::string& selector, const std::vector<promql::Matcher>& more) {
  std::vector<promql::Matcher> matchers = MatchersOf(selector);
  const std::size_t given = matchers.size();
  for (const promql::Matcher& one : more) {
    if (!Holds(matchers, one)) matchers.push_back(one);
  }
  return matchers.size() == given ? selector : MatchersText(matchers);
}

std::string NarrowedExpression(const std::string& expr, const std::string& selector) {
  const std::vector<promql::Matcher> matchers = MatchersOf(selector);
  return WithSelectors(expr, [&](promql::Selector& one) {
    if (!IsOfScheduler(one)) return false;
    const std::size_t before = one.matchers.size();
    for (const promql::Matcher& matcher : matchers) {
      if (!Holds(one.matchers, matcher)) one.matchers.push_back(matcher);
    }
    return one.matchers.size() > before;
  });
}

std::string WithoutUnknownTargets(const std::string& expr, const std::set<std::string>& known) {
  return WithSelectors(expr, [&](promql::Selector& one) {
    return std::erase_if(one.matchers, [&](const promql::Matcher& matcher) {
             return matcher.name != kMetricName && !IsMeasurement(matcher.name) &&
                    !known.contains(matcher.name);
           }) > 0;
  });
}

std::string WithRange(const std::string& expr, std::int64_t range_ms) {
  return WithSelectors(expr, [&](promql::Selector& one) {
    const bool changes = one.range_ms > 0 && one.range_ms != range_ms;
    if (changes) one.range_ms = range_ms;
    return changes;
  });
}

bool LooksLikeName(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == ':' || c == '-' || c == '.' || c == ' ';
  });
}

bool ReadsAsExpression(const std::string& text,
                       const std::function<bool(const std::string&)>& answered) {
  const bool several_words = text.find(' ') != std::string::npos;
  try {
    const promql::ExprPtr expr = promql::Parse(text);
    const auto* selector = expr->As<promql::Selector>();
    if (selector != nullptr && selector->name == text) return kube::FindMetric(text) != nullptr;
    return several_words || IsNumber(*expr);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
    return several_words && answered && answered(text);
  }
}

}  // namespace schedlens
