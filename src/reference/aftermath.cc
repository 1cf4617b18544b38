#include "reference/aftermath.h"

#include <algorithm>
#include <map>
#include <vector>

#include "kube/words.h"
#include "model/seconds.h"

namespace schedlens {
namespace {

/// So many times the usual number of attempts a second is a backlog that drains.
constexpr double kDrains = 3;
/// Pods that wait, at least, where it begins.
constexpr double kBacklog = 20;
/// Scrape intervals that tell what is usual.
constexpr std::size_t kLeastIntervals = 8;

struct Rate {
  TimeMs start = 0;
  double attempts = 0;  ///< scheduled, a second
};

/// Of the window's scrape intervals, all targets' together, by their end.
std::vector<Rate> Rates(const WindowIncreases& cells) {
  std::map<TimeMs, Rate> by_end;
  for (const ScrapeIncreases& child : cells.attempt) {
    if (!kube::IsScheduled(child.labels)) continue;
    for (std::size_t i = 0; i < child.cells(); ++i) {
      const double seconds = MsToSeconds(child.edges[i + 1] - child.edges[i]);
      Rate& rate = by_end[child.edges[i + 1]];
      rate.start = child.edges[i];
      if (seconds > 0) rate.attempts += child.Count(i) / seconds;
    }
  }
  std::vector<Rate> rates;
  for (const auto& [end, rate] : by_end) rates.push_back(rate);
  return rates;
}

/// Pods in the active queue, all targets' together, at the last scrapes up to `t`; 0 without any.
double WaitingAt(const Facts& facts, TimeMs t) {
  double waiting = 0;
  for (const Series& series : facts.Of("pending_pods")) {
    if (series.labels.Get("queue") != ToString(kube::QueueName::kActive)) continue;
    double last = 0;
    for (const Sample& sample : series.samples) {
      if (sample.t <= t) last = sample.v;
    }
    waiting += last;
  }
  return waiting;
}

}  // namespace

std::optional<TimeRange> WithoutAftermath(const Investigation& investigation) {
  if (!investigation.evidence) return std::nullopt;
  const Measurement& now = investigation.evidence->now;
  const std::vector<Rate> rates = Rates(now.cells);
  if (rates.size() < kLeastIntervals) return std::nullopt;
  std::vector<double> usual;
  for (const Rate& rate : rates) usual.push_back(rate.attempts);
  std::nth_element(usual.begin(), usual.begin() + static_cast<std::ptrdiff_t>(usual.size() / 2),
                   usual.end());
  const double least = kDrains * usual[usual.size() / 2];
  std::size_t first = rates.size();
  while (first > 0 && rates[first - 1].attempts > least) --first;
  if (first == rates.size() || first < rates.size() / 2) return std::nullopt;
  TimeRange window = now.breakdown.window;
  const double waiting = WaitingAt(investigation.facts, rates[first].start);
  const bool drains = WaitingAt(investigation.facts, window.end) < waiting;
  if (waiting < kBacklog || !drains) return std::nullopt;
  window.end = rates[first].start;
  return window;
}

Investigation CutTo(const TimeRange& window, const Investigation& investigation) {
  Investigation cut = investigation;
  const WindowEvidence& all = *investigation.evidence;
  cut.evidence =
      MakeWindowEvidence(cut.facts, cut.histograms, Measure(cut.facts, cut.histograms, window),
                         all.baseline, all.threshold);
  cut.evidence->selector = all.selector;
  // What the diagnosis proves is of its whole window.
  cut.diagnosis.quantiles.clear();
  return cut;
}

Message CutNote(const TimeRange& window, const Investigation& investigation) {
  const TimeMs end = investigation.evidence->now.breakdown.window.end;
  return Message("whatif.drained", {{"seconds", arg::Number(MsToSeconds(end - window.end))}});
}

}  // namespace schedlens
