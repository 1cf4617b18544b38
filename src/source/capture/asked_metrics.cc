#include "source/capture/asked_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "promql/matcher.h"
#include "promql/parser.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

bool Includes(const std::set<std::string, std::less<>>& all,
              const std::set<std::string, std::less<>>& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

/// Each in a group of its own, so that flags and alternatives stay inside.
std::string OneOf(const std::set<std::string, std::less<>>& patterns) {
  std::string all;
  for (const std::string& pattern : patterns) {
    all += fmt::format("{}(?:{})", all.empty() ? "" : "|", pattern);
  }
  return all;
}

}  // namespace

AskedMetrics::AskedMetrics(const std::vector<std::string>& questions) {
  for (const std::string& promql : questions) {
    promql::ExprPtr tree;
    try {
      tree = promql::Parse(promql);
    } catch (const Error&) {
      continue;  // who asks it is told
    }
    promql::Walk(*tree, [this](const promql::Expr& expr) {
      if (const auto* selector = expr.As<promql::Selector>()) Add(*selector);
    });
  }
  if (!patterns_.empty()) pattern_.emplace(OneOf(patterns_));
}

void AskedMetrics::Add(const promql::Selector& selector) {
  std::vector<promql::Matcher> of_name;
  std::copy_if(selector.matchers.begin(), selector.matchers.end(), std::back_inserter(of_name),
               [](const promql::Matcher& matcher) { return matcher.name == kMetricName; });
  if (of_name.empty()) {
    everything_ = true;
  } else if (of_name.size() == 1 && of_name.front().op == promql::MatchOp::kEqual) {
    names_.insert(of_name.front().value);
  } else if (of_name.size() == 1 && of_name.front().op == promql::MatchOp::kRegex) {
    const std::string& pattern = of_name.front().value;
    const promql::MatcherRegex regex(pattern);
    if (const std::vector<std::string>* names = regex.literals()) {
      names_.insert(names->begin(), names->end());
    } else {
      patterns_.insert(pattern);
    }
  } else {
    others_.push_back(std::move(of_name));
  }
}

bool AskedMetrics::Wants(std::string_view metric) const {
  if (everything_ || names_.contains(metric)) return true;
  // Patterns that compile one by one may be too large together.
  if (pattern_ && (!pattern_->ok() || pattern_->Matches(metric))) return true;
  const Labels labels({{kMetricName, metric}});
  return std::any_of(others_.begin(), others_.end(),
                     [&](const auto& matchers) { return promql::Accept(matchers, labels); });
}

bool AskedMetrics::IsWithin(const AskedMetrics& other) const {
  return other.everything_ || (!everything_ && others_.empty() && Includes(other.names_, names_) &&
                               Includes(other.patterns_, patterns_));
}

}  // namespace schedlens
