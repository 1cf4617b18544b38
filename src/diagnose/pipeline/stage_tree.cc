#include "diagnose/pipeline/stage_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "diagnose/collect/histogram_store.h"
#include "kube/words.h"
#include "stats/proven_interval.h"

namespace schedlens {
namespace {

/// What ran at an edge has a part of its time on either side: a sum is exact, its share of the time
/// of the attempts that ended in the window lies between the sum without what belongs to later
/// attempts and the sum with what these attempts had before.
Measured ShareAcrossEdges(const WindowEvidence& c, kube::Stage stage, double seconds) {
  const double all = c.now.breakdown.e2e.seconds;
  if (!c.tail.across || !c.tail.across->after.contains(stage)) {
    return Estimated(seconds / all, "1", BasisKind::kSums);
  }
  const double low = std::max(0.0, seconds - c.tail.across->after.Get(stage));
  const double high = std::min(all, seconds + c.tail.across->before.Get(stage));
  return Bounded(low / all, seconds / all, high / all, "1", BasisKind::kEdges);
}

/// Nothing where the sums make a part larger than its whole, or less than nothing.
Measured ShareOf(const WindowEvidence& c, const Measured& seconds,
                 std::optional<kube::Stage> stage = {}) {
  const double all = c.now.breakdown.e2e.seconds;
  const bool known = all > 0 && seconds.value;
  const bool impossible = known && (*seconds.value > all || *seconds.value < 0);
  if (!known || (impossible && !c.contradictions.empty())) {
    return {std::nullopt, std::nullopt, std::nullopt, "1", {}};
  }
  Measured share = seconds;
  share.unit = "1";
  for (auto* end : {&share.value, &share.low, &share.high}) {
    if (*end) **end = std::min(1.0, **end / all);
  }
  if (stage && c.in_flight > 0 && share.basis.kind == BasisKind::kExact) {
    return ShareAcrossEdges(c, *stage, *seconds.value);
  }
  return share;
}

bool IsRemainder(kube::Stage stage) {
  return stage == kube::Stage::kAlgorithmUnmeasured || stage == kube::Stage::kBindUnmeasured ||
         stage == kube::Stage::kUnmeasured;
}

/// Sums are exact. A difference of sums is an estimate: attempts that straddle the window's edges
/// have some of their stages outside of it.
Measured SecondsOf(const WindowEvidence& c, kube::Stage stage) {
  const TimeBreakdown& now = c.now.breakdown;
  if (stage == kube::Stage::kBindThrottle || stage == kube::Stage::kBindRequest) {
    if (!c.limiter || !now.seconds.contains(kube::Stage::kBindPlugins))
      return {std::nullopt, std::nullopt, std::nullopt, "s", {}};
    const double bind = now.Seconds(kube::Stage::kBindPlugins);
    return stage == kube::Stage::kBindThrottle
               ? Bounded(c.limiter->low, c.limiter->value, c.limiter->high, "s",
                         BasisKind::kRateLimiter)
               : Bounded(bind - c.limiter->high, bind - c.limiter->value, bind - c.limiter->low,
                         "s", BasisKind::kRateLimiter);
  }
  const double* seconds = now.seconds.Find(stage);
  if (seconds == nullptr || std::isnan(*seconds)) {
    return {std::nullopt, std::nullopt, std::nullopt, "s", {}};
  }
  if (stage == kube::Stage::kAlgorithm && now.algorithm_from_points) {
    const double rest = std::max(
        0.0, now.Seconds(kube::Stage::kUnmeasured) + now.Seconds(kube::Stage::kBindUnmeasured));
    return Bounded(*seconds, *seconds, *seconds + rest, "s", BasisKind::kExtensionPoints);
  }
  const bool joined =
      stage == kube::Stage::kAlgorithm && now.failed() > 0 && !now.algorithm_has_failures;
  if (IsRemainder(stage) || joined) return Estimated(*seconds, "s", BasisKind::kSumDifference);
  return Exact(*seconds, "s");
}

Message MeasuredBy(const WindowEvidence& c, const kube::StageRow& row) {
  const TimeBreakdown& now = c.now.breakdown;
  switch (row.stage) {
    case kube::Stage::kAlgorithm:
      if (now.algorithm_from_points) return Message("measured_by.algorithm.points");
      if (now.algorithm_has_failures) return Verbatim("scheduling_algorithm - EP{PostFilter}");
      return Message("measured_by.algorithm");
    case kube::Stage::kAlgorithmUnmeasured:
      return Message("measured_by.algorithm.rest");
    case kube::Stage::kBind:
      if (now.has_binding) return Message("measured_by.bind");
      return Verbatim(now.extender_binds > 0 ? "EP{Bind} + bind.unmeasured" : "EP{Bind}");
    case kube::Stage::kBindThrottle:
      return Message("measured_by.limiter");
    case kube::Stage::kBindRequest:
      return Message("measured_by.request");
    case kube::Stage::kBindUnmeasured:
      if (now.has_binding || now.extender_binds <= 0) break;
      return Message("measured_by.bind.rest");
    case kube::Stage::kUnmeasured:
      return Message("measured_by.e2e.rest");
    default:
      break;
  }
  return Verbatim(std::string(row.measured_by));
}

/// The histogram that a stage is measured by; empty for a remainder.
std::vector<const ScrapeIncreases*> HistogramOfStage(const WindowIncreases& cells,
                                                     kube::Stage stage) {
  if (stage == kube::Stage::kAlgorithm) return Select(cells.algorithm, "", "");
  if (stage == kube::Stage::kBind) return Select(cells.binding, "", "");
  if (stage == kube::Stage::kPermitWait) return Select(cells.permit_wait, "", "");
  const auto point = RowOf(stage).point;
  return point ? SelectPoint(cells.extension_point, *point) : std::vector<const ScrapeIncreases*>{};
}

bool IsSaturated(const WindowEvidence& c, kube::Stage stage) {
  double open = 0, all = 0;
  for (const ScrapeIncreases* child : HistogramOfStage(c.now.cells, stage)) {
    if (child->bounds.size() < 2) continue;  // without buckets there is no top one
    const auto total = TotalBuckets(*child);
    if (total.size() > 1) open += total.back();
    all += TotalCount(*child);
  }
  return all > 0 && open > 0.01 * all;
}

/// Of the attempts over the alert's threshold, those in which this stage alone was over it: since
/// e2e >= stage, each stage over it is an attempt over it. Exact where the threshold is a bound of
/// both histograms, an interval elsewhere.
std::optional<Measured> SufficientOf(const WindowEvidence& c, kube::Stage stage) {
  if (!c.threshold) return std::nullopt;
  const auto children = HistogramOfStage(c.now.cells, stage);
  if (children.empty()) return std::nullopt;
  CountBounds slow{0, 0}, attempts{0, 0};
  const auto add = [&](const ScrapeIncreases& cells, CountBounds* sum) {
    const CountBounds above = CountAbove(cells, *c.threshold);
    sum->low += above.low;
    sum->high += above.high;
  };
  for (const ScrapeIncreases* child : children) add(*child, &slow);
  for (const ScrapeIncreases& child : c.now.cells.attempt) add(child, &attempts);
  if (!(attempts.low > 0)) return std::nullopt;
  const double low = std::min(1.0, slow.low / attempts.high);
  const double high = std::min(1.0, slow.high / attempts.low);
  return Bounded(low, (low + high) / 2, high, "1", BasisKind::kCountsOverThreshold);
}

/// Of the slowest attempts' time: proven bounds, and inside them an estimate where there is one.
Measured TailShareOf(const TailShare& bounds, const double* estimate) {
  if (estimate == nullptr) {
    return {std::nullopt, bounds.low, bounds.high, "1", BasisKind::kAnyPairing};
  }
  return {std::min(std::max(*estimate, bounds.low), bounds.high), bounds.low, bounds.high, "1",
          BasisKind::kReconstruction};
}

StageTime MakeStage(const WindowEvidence& c, const kube::StageRow& row,
                    const StageShares& tail_estimates) {
  const TimeBreakdown& now = c.now.breakdown;
  StageTime stage;
  stage.id = row.id;
  if (row.parent) stage.parent = ToString(*row.parent);
  stage.seconds = SecondsOf(c, row.stage);
  stage.share = ShareOf(c, stage.seconds, row.stage);
  stage.measured_by = MeasuredBy(c, row);
  stage.population = row.population;
  stage.saturated = IsSaturated(c, row.stage);
  stage.sufficient = SufficientOf(c, row.stage);
  if (const double* count = now.counts.Find(row.stage)) stage.observations = *count;
  if (const StageChange* change = c.change.Find(row.stage); change && stage.seconds.value) {
    stage.excess = Estimated(change->excess, "s", BasisKind::kBaseline);
    stage.excess_mix = Estimated(change->mix, "s", BasisKind::kMoreObservations);
    stage.excess_cost = Estimated(change->cost, "s", BasisKind::kCostlierObservations);
  }
  if (const TailShare* share = c.tail.shares.Find(row.stage)) {
    stage.tail_time_share = TailShareOf(*share, tail_estimates.Find(row.stage));
  }
  if (c.baseline) {
    const TimeBreakdown& before = c.baseline->breakdown;
    const double* seconds = before.seconds.Find(row.stage);
    if (seconds != nullptr && !std::isnan(*seconds)) {
      stage.baseline_seconds = *seconds;
      const bool possible =
          (*seconds >= 0 && *seconds <= before.e2e.seconds) || c.contradictions.empty();
      if (before.e2e.seconds > 0 && possible) {
        stage.baseline_share = std::min(1.0, *seconds / before.e2e.seconds);
      }
    }
  }
  return stage;
}

StageTime PluginStage(const WindowEvidence& c, const StageTime& parent, const PluginRow& row) {
  StageTime stage;
  stage.id = fmt::format("{}/{}", parent.id, row.plugin);
  stage.parent = parent.id;
  stage.seconds =
      Estimated(*parent.seconds.value * *row.wall_share.value, "s", row.wall_share.basis);
  stage.share = ShareOf(c, stage.seconds);
  stage.measured_by = Message("measured_by.plugin");
  stage.population = "about 10 % of cycles, then a lossy buffer";
  stage.observations = row.observations;
  return stage;
}

constexpr std::size_t kMostColumns = 240;
constexpr double kUnknown = NAN;

/// The value of each matching gauge at the end of each column, added up over series.
std::vector<double> GaugeAt(const std::vector<Series>& gauges, std::string_view label,
                            std::string_view value, const std::vector<TimeMs>& times) {
  std::vector<double> out(times.size(), kUnknown);
  for (const Series& series : gauges) {
    if (!label.empty() && series.labels.Get(label) != value) continue;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const auto it = std::ranges::upper_bound(series.samples, times[i], {}, &Sample::t);
      if (it == series.samples.begin() || std::isnan((it - 1)->v)) continue;
      out[i] = (std::isnan(out[i]) ? 0 : out[i]) + (it - 1)->v;
    }
  }
  return out;
}

}  // namespace

std::vector<StageTime> StageTree(const WindowEvidence& c, const StageShares& tail_estimates) {
  std::vector<StageTime> tree;
  for (const kube::StageRow& row : kube::kStageTable) {
    const StageTime stage = MakeStage(c, row, tail_estimates);
    tree.push_back(stage);
    if (!row.point || !stage.seconds.value) continue;
    for (const PluginRow& plugin : c.plugins) {
      if (plugin.extension_point != ToString(*row.point) || !plugin.wall_share.value) continue;
      tree.push_back(PluginStage(c, stage, plugin));
    }
  }
  return tree;
}

Timeline MakeTimeline(const Facts& facts, const HistogramFacts& attempt, const TimeRange& range) {
  Timeline timeline;
  const std::vector<ScrapeIncreases> cells = CellsOf(attempt, facts.targets, range);
  const std::vector<TimeMs> edges = ColumnEdges(facts, cells, range, kMostColumns);
  if (edges.size() < 2) return timeline;
  timeline.times.assign(edges.begin() + 1, edges.end());
  const std::size_t columns = timeline.times.size();
  std::map<double, std::size_t> bounds;
  for (const ScrapeIncreases& c : cells) {
    for (const double bound : c.bounds) bounds.emplace(bound, 0);
  }
  for (auto& [bound, index] : bounds) {
    index = timeline.bounds.size();
    timeline.bounds.push_back(bound);
  }
  if (!timeline.bounds.empty()) {
    timeline.e2e.assign(columns, std::vector<double>(timeline.bounds.size(), 0.0));
  }
  timeline.scheduled.assign(columns, 0.0);
  timeline.failed.assign(columns, 0.0);
  for (const ScrapeIncreases& c : cells) {
    const bool failed = !kube::IsScheduled(c.labels);
    for (std::size_t i = 0; i < c.cells(); ++i) {
      const std::size_t column = ColumnOf(edges, c.edges[i + 1]);
      const auto row = c.Buckets(i);
      for (std::size_t b = 0; b < row.size(); ++b) {
        timeline.e2e[column][bounds.at(c.bounds[b])] += row[b];
      }
      (failed ? timeline.failed : timeline.scheduled)[column] += c.Count(i);
    }
  }
  using kube::QueueName;
  const auto& pending = facts.Of("pending_pods");
  timeline.pending_active = GaugeAt(pending, "queue", ToString(QueueName::kActive), timeline.times);
  timeline.pending_backoff =
      GaugeAt(pending, "queue", ToString(QueueName::kBackoff), timeline.times);
  timeline.pending_unschedulable =
      GaugeAt(pending, "queue", ToString(QueueName::kUnschedulable), timeline.times);
  timeline.binding = GaugeAt(facts.Of("goroutines"), "", "", timeline.times);
  timeline.shown.assign(columns, kUnknown);
  timeline.low.assign(columns, kUnknown);
  timeline.high.assign(columns, kUnknown);
  return timeline;
}

}  // namespace schedlens
