#include "analysis/diagnose/population.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "analysis/alert/target.h"
#include "analysis/collect/why_empty.h"
#include "kube/metrics.h"
#include "model/text.h"
#include "promql/matcher.h"

namespace schedlens {
namespace {

/// Schedulers to name of those that were seen.
constexpr std::size_t kMostNamed = 4;

/// The labels of all schedulers that the source has in the range, of these names.
std::vector<Labels> SeenSchedulers(Source& source, const std::set<std::string>& names,
                                   const TimeRange& range) {
  const std::string metrics = fmt::format("{}{}", kube::kOwnPrefix, kube::kOwnCounts);
  const Query query{fmt::format("count by ({}) (last_over_time({{__name__=~\"{}\"}}[{}]))",
                                fmt::join(names, ", "), metrics,
                                FormatDuration(std::max<TimeMs>(range.end - range.start, 1))),
                    range.end, range.end, 0};
  std::vector<Labels> seen;
  for (const Series& series : source.Ask(query).series) seen.push_back(series.labels);
  return seen;
}

Message NothingMatches(const std::string& selector, const std::vector<Labels>& seen) {
  std::string list;
  for (std::size_t i = 0; i < std::min(seen.size(), kMostNamed); ++i) {
    list += (i == 0 ? "" : ", ") + seen[i].ToString();
  }
  if (seen.size() > kMostNamed) list += ", ...";
  return Message("headline.population", {{"selector", arg::Promql("{" + selector + "}")},
                                         {"seen", list},
                                         {"count", arg::Count(seen.size())}});
}

}  // namespace

Population CollectPopulation(Source& source, const QuerySet& queries,
                             const DiagnoseRequest& request, const TimeRange& range) {
  Population out;
  std::vector<promql::Matcher> wanted, firing;
  if (!request.alert_expr.empty()) {
    const auto alert = promql::ParseAlertExpression(request.alert_expr);
    wanted = TargetMatchers(alert);
    firing = FiringMatchers(alert, request.firing);
  }
  const auto all = [&] { return JoinedSelector(JoinedSelector(request.selector, wanted), firing); };
  out.facts = Collect(source, queries, all(), range);
  if (!out.facts.targets.empty() || all().empty()) return out;

  std::set<std::string> names = {"cluster", "job", "instance", "pod"};
  for (const auto* matchers : {&wanted, &firing}) {
    for (const promql::Matcher& one : *matchers) names.insert(one.name);
  }
  const std::vector<Labels> seen = SeenSchedulers(source, names, range);
  if (seen.empty()) return out;
  const auto leave_out = [&](std::vector<promql::Matcher>* matchers) {
    return std::erase_if(*matchers, [&](const promql::Matcher& one) {
      const bool known = std::any_of(seen.begin(), seen.end(),
                                     [&](const Labels& labels) { return labels.Has(one.name); });
      if (!known) {
        out.warnings.push_back(
            Message("alert.label_unknown", {{"label", arg::Promql(MatchersText({one}))}}));
      }
      return !known;
    });
  };
  std::size_t left_out = leave_out(&firing);
  if (source.Describe().kind == "scrape-pair") left_out += leave_out(&wanted);
  if (left_out > 0) out.facts = Collect(source, queries, all(), range);
  if (out.facts.targets.empty()) out.nothing = NothingMatches(all(), seen);
  return out;
}

Message WhyNoScheduler(Source& source, const Facts& facts) {
  std::vector<promql::Matcher> matchers =
      promql::ParseMatchers(facts.selector).value_or(std::vector<promql::Matcher>());
  matchers.insert(matchers.begin(), {promql::MatchOp::kRegex, std::string(kMetricName),
                                     fmt::format("{}{}", kube::kOwnPrefix, kube::kOwnCounts)});
  return WhyEmpty(source, matchers, facts.fetched, "kube-scheduler");
}

}  // namespace schedlens
