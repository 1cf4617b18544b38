#include "analysis/causes/window_evidence.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/breakdown/scrape_grid.h"
#include "analysis/causes/contradictions.h"
#include "analysis/causes/slowness.h"
#include "analysis/collect/missing.h"
#include "analysis/collect/release.h"
#include "analysis/tail/in_flight.h"
#include "stats/significance.h"

namespace schedlens {
namespace {

using kube::ExtensionPoint;

/// A share of failed attempts that rose by this much is a finding by itself.
constexpr double kFailedShareRise = 0.1;

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

/// Scrape by scrape: does a bind take longer where the scheduling loop was busier? Near zero for a
/// slow API server; high where binds wait for the processor that the loop holds.
double BindFollowsLoop(const Facts& facts, const WindowIncreases& cells) {
  std::vector<double> busy, bind;
  const std::vector<ScrapeGrid> grids = MakeGrids(facts.targets, cells);
  const auto all_binds = OnGrids(grids, SelectPoint(cells.extension_point, ExtensionPoint::kBind));
  const auto loops = OnGrids(grids, Select(cells.algorithm, "", ""));
  for (std::size_t g = 0; g < grids.size(); ++g) {
    const GridCells& binds = all_binds[g];
    const GridCells& loop = loops[g];
    for (std::size_t i = 0; i < grids[g].cells(); ++i) {
      if (binds.counts[i] <= 0 || std::isnan(binds.sums[i]) || std::isnan(loop.sums[i])) continue;
      bind.push_back(binds.sums[i] / binds.counts[i]);
      busy.push_back(loop.sums[i]);
    }
  }
  return RankCorrelation(busy, bind, 8);
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
  const TimeBreakdown& then = baseline->breakdown;
  const double before = then.failed() / then.e2e.count;
  if (FisherAtLeast({now.failed(), now.e2e.count}, {then.failed(), then.e2e.count}) >
      kSignificant) {
    return false;
  }
  return share - before > kFailedShareRise || (share > 0.5 && before <= 0.5);
}

}  // namespace

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
                                  std::optional<double> threshold, bool bound_tail) {
  WindowEvidence c;
  c.selector = facts.selector;
  c.now = std::move(now);
  c.baseline = std::move(baseline);
  c.threshold = threshold;
  if (c.baseline) c.change = CompareBreakdowns(c.now.breakdown, c.baseline->breakdown);
  c.plugins = RankPlugins(facts, c.now.breakdown.window);
  const TimeRange& window = c.now.breakdown.window;
  for (const TimeMs edge : {window.start, window.end}) {
    c.in_flight += GapAt(histograms, facts.targets, c.now.breakdown, edge);
  }
  c.contradictions = FindContradictions(facts, histograms, c.now, c.baseline);
  if (bound_tail && c.contradictions.empty()) {
    c.tail = BoundTail(histograms, facts.targets, c.now.cells, c.now.breakdown, 0.01);
  }
  c.dispersion = MeasureBindDispersion(histograms, facts.targets, c.now.cells, c.now.breakdown);
  c.throttling = JudgeDispersion(c.dispersion);
  c.limiter = SplitByLimiter(facts, c.now.breakdown);
  if (c.baseline) c.limiter_baseline = SplitByLimiter(facts, c.baseline->breakdown);
  c.restarted = RestartedIn(facts, c.now.cells);
  c.missing = MissingCornerstones(facts);
  c.bind_follows_loop = BindFollowsLoop(facts, c.now.cells);
  c.speed = CompareSpeed(c.now, c.baseline, threshold);
  if (c.speed.slow) c.brief = FindBriefSlowness(facts, c.now, c.baseline);
  c.slow = c.speed.slow && !c.brief;
  c.loop = MeasureLoop(c.now, c.baseline);
  c.failing = IsFailing(c.now.breakdown, c.baseline);
  return c;
}

}  // namespace schedlens
