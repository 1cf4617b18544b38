#include "analysis/causes/window_evidence.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "analysis/breakdown/queue.h"
#include "analysis/breakdown/scrape_grid.h"
#include "analysis/collect/missing.h"
#include "analysis/collect/release.h"
#include "kube/metrics.h"
#include "kube/words.h"
#include "stats/pooled_buckets.h"

namespace schedlens {
namespace {

using kube::ExtensionPoint;

/// Nobody is paged for attempts this quick, whatever they were before.
constexpr double kNeverSlow = 0.1;
/// Without a baseline: a p99 that is provably over this many seconds is an incident by itself.
constexpr double kPlainlySlow = 1.0;
/// Fewer attempts have no tail to speak of.
constexpr double kLeastAttempts = 10;
/// A share of failed attempts that rose by this much is a finding by itself.
constexpr double kFailedShareRise = 0.2;

std::optional<CpuUse> CpuOf(const Facts& facts, const TimeRange& window) {
  CpuUse use;
  bool any = false;
  const auto cpu = [](const Labels& labels) {
    return labels.Get(kMetricName) == kube::NameOf(kube::Metric::kProcessCpu);
  };
  for (const CounterIncrease& c : IncreasesOf(facts, "process", window, cpu)) {
    use.seconds += c.increase;
    any = true;
  }
  if (!any || std::isnan(use.seconds)) return std::nullopt;
  use.cores = use.seconds / std::max(1e-3, window.seconds());
  return use;
}

/// Execution seconds of dispatched binds; nothing where binds are not dispatched.
std::optional<double> DispatchedSeconds(const Facts& facts, const TimeRange& window) {
  std::optional<double> seconds;
  const auto bindings = [](const Labels& labels) {
    return labels.Get("call_type") == ToString(kube::CallType::kPodBinding) &&
           labels.Get(kMetricName).ends_with("_sum");
  };
  for (const CounterIncrease& call : IncreasesOf(facts, "async_api_call", window, bindings)) {
    seconds = seconds.value_or(0) + call.increase;
  }
  return seconds;
}

double PreemptionsIn(const Facts& facts, const TimeRange& window) {
  double attempts = 0;
  for (const CounterIncrease& p : IncreasesOf(facts, "preemption_attempts", window)) {
    attempts += p.increase;
  }
  return attempts;
}

/// Targets whose counters restarted in the window, each once and in order.
std::vector<std::string> RestartedIn(const Facts& facts, const WindowIncreases& cells) {
  std::set<std::string> restarted;
  for (const ScrapeIncreases& child : cells.attempt) {
    if (std::find(child.reset.begin(), child.reset.end(), true) != child.reset.end()) {
      restarted.insert(facts.targets[child.target].id.ToString());
    }
  }
  for (const Target& target : facts.targets) {
    for (const TimeMs t : target.restarts()) {
      if (t > cells.window.start && t <= cells.window.end) restarted.insert(target.id.ToString());
    }
  }
  return {restarted.begin(), restarted.end()};
}

std::vector<Message> MissingCornerstones(const Facts& facts) {
  std::vector<Message> texts;
  for (const MissingMetric& missing : MissingMetrics(facts, DetectRelease(facts))) {
    if (missing.cornerstone) texts.push_back(missing.text);
  }
  return texts;
}

/// The children of one population.
using Population = std::vector<const ScrapeIncreases*>;

/// An attempt is at least as slow as each of its parts: where attempts have no buckets of their own
/// the parts' tails stand for theirs.
std::map<std::string, Population> PartsOf(const WindowIncreases& cells) {
  std::map<std::string, Population> parts;
  for (const ScrapeIncreases& c : cells.algorithm)
    parts[std::string(ToString(kube::Stage::kAlgorithm))].push_back(&c);
  for (const ScrapeIncreases& c : cells.binding) parts["binding"].push_back(&c);
  for (const ScrapeIncreases& c : cells.extension_point) {
    const std::string_view point = c.labels.Get("extension_point");
    if (point == ToString(ExtensionPoint::kBind) || point == ToString(ExtensionPoint::kPreBind)) {
      parts[std::string(point)].push_back(&c);
    }
  }
  std::erase_if(parts, [](const auto& part) { return PoolBuckets(part.second).bounds.size() < 2; });
  return parts;
}

std::vector<ResultTail> TailsOf(const WindowIncreases& cells) {
  std::map<std::string, Population> results;
  for (const ScrapeIncreases& c : cells.attempt) {
    results[std::string(ToString(kube::ResultOf(c.labels)))].push_back(&c);
  }
  if (!HasBuckets(cells.attempt)) results.merge(PartsOf(cells));
  std::vector<ResultTail> tails;
  for (const auto& [result, children] : results) {
    const Amount amount = Total(children);
    if (amount.count < 1) continue;
    const PooledBuckets buckets = PoolBuckets(children);
    const std::size_t b = buckets.BucketOf(0.99);
    tails.push_back({result, amount.count, amount.mean(), buckets.LowerEdge(b), buckets.bounds[b]});
  }
  return tails;
}

std::vector<double> Ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t j = i;
    while (j < order.size() && values[order[j]] == values[order[i]]) ++j;
    for (std::size_t k = i; k < j; ++k) ranks[order[k]] = static_cast<double>(i + j - 1) / 2;
    i = j;
  }
  return ranks;
}

/// Spearman's rank correlation; 0 when there is too little to correlate.
double RankCorrelation(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 8) return 0;
  const std::vector<double> x = Ranks(a), y = Ranks(b);
  const double mean = static_cast<double>(a.size() - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

/// Scrape by scrape: does a bind take longer where the scheduling loop was busier? Near zero for a
/// slow API server; high where binds wait for the processor that the loop holds.
double BindFollowsLoop(const Facts& facts, const WindowIncreases& cells) {
  std::vector<double> busy, bind;
  for (const ScrapeGrid& grid : MakeGrids(facts.targets, cells)) {
    const GridCells binds = OnGrid(grid, SelectPoint(cells.extension_point, ExtensionPoint::kBind));
    const GridCells loop = OnGrid(grid, Select(cells.algorithm, "", ""));
    for (std::size_t i = 0; i < grid.cells(); ++i) {
      if (binds.counts[i] <= 0 || std::isnan(binds.sums[i]) || std::isnan(loop.sums[i])) continue;
      bind.push_back(binds.sums[i] / binds.counts[i]);
      busy.push_back(loop.sums[i]);
    }
  }
  return RankCorrelation(busy, bind);
}

/// Without buckets there is only the mean, which hides a tail: it has to be slow itself.
bool IsSlowOnAverage(const ResultTail& tail, const std::optional<Measurement>& baseline,
                     std::optional<double> threshold) {
  if (!(tail.mean >= kNeverSlow) || tail.count < kLeastAttempts) return false;
  if (threshold && tail.mean >= *threshold) return true;
  const auto before = baseline ? baseline->Tail(tail.result) : std::nullopt;
  return before ? tail.mean >= 2 * before->mean : tail.mean >= kPlainlySlow / 2;
}

bool IsSlow(const ResultTail& tail, const std::optional<Measurement>& baseline,
            std::optional<double> threshold) {
  if (tail.p99_low <= 0 && std::isinf(tail.p99_high)) {
    return IsSlowOnAverage(tail, baseline, threshold);
  }
  if (tail.p99_low < kNeverSlow) return false;
  if (threshold && tail.p99_low >= *threshold) return true;
  if (!baseline) return tail.p99_low >= kPlainlySlow / 2 && tail.count >= kLeastAttempts;
  const auto before = baseline->Tail(tail.result);
  if (!before) return tail.p99_low >= kPlainlySlow / 2;
  return tail.p99_low >= before->p99_high ||
         (tail.p99_high > before->p99_high && tail.mean >= 2 * before->mean);
}

bool ErrorsRose(const TimeBreakdown& now, const std::optional<Measurement>& baseline) {
  constexpr double kErrorShareRise = 0.05;
  const auto share = [](const TimeBreakdown& breakdown) {
    return breakdown.by_result.Get(kube::AttemptResult::kError).count /
           std::max(1.0, breakdown.e2e.count);
  };
  return share(now) - (baseline ? share(baseline->breakdown) : 0) > kErrorShareRise;
}

bool IsFailing(const TimeBreakdown& now, const std::optional<Measurement>& baseline) {
  if (now.failed() < kLeastAttempts) return false;
  if (ErrorsRose(now, baseline)) return true;
  const double share = now.failed() / now.e2e.count;
  if (!baseline || baseline->breakdown.e2e.count < kLeastAttempts) return share > 0.5;
  const double before = baseline->breakdown.failed() / baseline->breakdown.e2e.count;
  return share - before > kFailedShareRise || (share > 0.5 && share > before);
}

}  // namespace

std::optional<ResultTail> Measurement::Tail(std::string_view result) const {
  for (const ResultTail& tail : tails) {
    if (tail.result == result) return tail;
  }
  return std::nullopt;
}

bool PlainlySlow(const Measurement& m, double least) {
  return std::any_of(m.tails.begin(), m.tails.end(), [&](const ResultTail& tail) {
    return tail.p99_low >= kPlainlySlow / 2 && tail.count >= least;
  });
}

Measurement Measure(const Facts& facts, const Histograms& histograms, const TimeRange& window) {
  Measurement m;
  m.cells = CutWindow(histograms, facts.targets, window);
  m.breakdown = BreakDownTime(m.cells);
  m.cpu = CpuOf(facts, window);
  m.tails = TailsOf(m.cells);
  m.preemption_attempts = PreemptionsIn(facts, window);
  m.pending_active = MeanPending(facts, kube::QueueName::kActive, window).value_or(0);
  m.dispatched_bind_seconds = DispatchedSeconds(facts, window);
  return m;
}

double WindowEvidence::Growth(kube::Stage stage) const {
  if (change.empty()) return now.breakdown.Seconds(stage);
  return change.Get(stage).excess;
}

double WindowEvidence::CostGrowth(kube::Stage stage) const {
  if (change.empty()) return now.breakdown.Seconds(stage);
  return change.Get(stage).cost;
}

double WindowEvidence::FailedGrowth() const {
  const auto failed_seconds = [](const TimeBreakdown& breakdown) {
    double seconds =
        -breakdown.late_failure_seconds - breakdown.points[ExtensionPoint::kPostFilter].seconds;
    for (const auto& [result, amount] : breakdown.by_result) {
      if (result != kube::AttemptResult::kScheduled) seconds += amount.seconds;
    }
    return std::max(0.0, seconds);
  };
  if (!baseline || baseline->breakdown.scheduled() <= 0) return failed_seconds(now.breakdown);
  const double scale = now.breakdown.scheduled() / baseline->breakdown.scheduled();
  return failed_seconds(now.breakdown) - scale * failed_seconds(baseline->breakdown);
}

double WindowEvidence::TotalGrowth() const {
  double total = 0;
  for (const kube::StageRow& row : kube::kStageTable) {
    if (row.parent || !now.breakdown.seconds.contains(row.stage)) continue;
    total += std::max(0.0, Growth(row.stage));
  }
  return total;
}

WindowEvidence MakeWindowEvidence(const Facts& facts, const Histograms& histograms, Measurement now,
                                  std::optional<Measurement> baseline,
                                  std::optional<double> threshold) {
  WindowEvidence c;
  c.selector = facts.selector;
  c.now = std::move(now);
  c.baseline = std::move(baseline);
  c.threshold = threshold;
  if (c.baseline) c.change = CompareBreakdowns(c.now.breakdown, c.baseline->breakdown);
  c.plugins = RankPlugins(facts, c.now.breakdown.window);
  c.tail = BoundTail(histograms, facts.targets, c.now.cells, c.now.breakdown, 0.01);
  c.dispersion = MeasureBindDispersion(histograms, facts.targets, c.now.cells, c.now.breakdown);
  c.throttling = JudgeDispersion(c.dispersion);
  c.limiter = SplitByLimiter(facts, c.now.breakdown);
  if (c.baseline) c.limiter_baseline = SplitByLimiter(facts, c.baseline->breakdown);
  c.restarted = RestartedIn(facts, c.now.cells);
  c.missing = MissingCornerstones(facts);
  c.bind_follows_loop = BindFollowsLoop(facts, c.now.cells);
  for (const ResultTail& tail : c.now.tails) {
    if (IsSlow(tail, c.baseline, threshold)) c.slow = true;
  }
  c.failing = IsFailing(c.now.breakdown, c.baseline);
  return c;
}

}  // namespace schedlens
