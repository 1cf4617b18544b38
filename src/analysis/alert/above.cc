#include "analysis/alert/above.h"

#include "analysis/alert/fires.h"
#include "analysis/collect/columns.h"
#include "promql/matcher.h"
#include "stats/scrape_increases.h"

namespace schedlens {
namespace {

constexpr std::size_t kMostLooks = 240;

/// The quantile of all attempts between two times, as a server interpolates it; NaN without any.
double QuantileBetween(const std::vector<ScrapeIncreases>& children, double q,
                       const TimeRange& range) {
  std::vector<ScrapeIncreases> inside;
  for (const ScrapeIncreases& child : children) inside.push_back(CellsInside(child, range));
  return PoolBuckets(inside).Interpolate(q);
}

}  // namespace

std::vector<TimeRange> TimesAboveThreshold(const AlertPanel& alert, const Facts& facts,
                                           const HistogramFacts& attempt) {
  const auto threshold = alert.ThresholdInSeconds();
  const std::string& comparison = alert.verdict.comparison;
  const bool exceeds = comparison == ">" || comparison == ">=";
  if (!threshold || !exceeds || alert.range_ms <= 0) return {};
  if (alert.verdict.metric != attempt.family) return {};
  std::vector<ScrapeIncreases> children = CellsOf(attempt, facts.targets, ScrapedRange(facts));
  std::erase_if(children, [&](const ScrapeIncreases& child) {
    std::vector<promql::Matcher>
        own;  // the scheduler's other labels were matched when it was asked
    for (const promql::Matcher& matcher : alert.asked.matchers) {
      if (matcher.name == "result") own.push_back(matcher);
    }
    return !promql::Accept(own, child.labels);
  });
  std::vector<TimeRange> above;
  for (const TimeMs t : ColumnEdges(facts, children, ScrapedRange(facts), kMostLooks)) {
    const TimeRange range{t - alert.range_ms, t};
    const double shown = QuantileBetween(children, alert.verdict.quantile, range);
    if (!Compares(shown, comparison, *threshold)) continue;
    if (above.empty() || above.back().end < range.start) {
      above.push_back(range);
    } else {
      above.back().end = t;
    }
  }
  return above;
}

}  // namespace schedlens
