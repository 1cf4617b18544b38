#include "diagnose/causes/window_evidence.h"

#include <numeric>

#include "diagnose/causes/findings.h"
#include "diagnose/collect/missing.h"
#include "stats/significance.h"

namespace schedlens {
namespace {

using kube::ExtensionPoint;

/// Attempts that failed come back through the queue: their pods' waits are not the loop's.
constexpr double kFewFailures = 0.01;

std::optional<double> WaitForLoop(const Measurement& m) {
  const double seconds = m.breakdown.window.seconds(), attempts = m.breakdown.e2e.count;
  if (attempts < 1 || !(seconds > 0)) return std::nullopt;
  if (m.pending_active) return *m.pending_active / (attempts / seconds);
  if (m.breakdown.failed() > kFewFailures * attempts) return std::nullopt;
  return WaitOutsideAttempt(m.breakdown);
}

/// Fewer running binding cycles are no backlog: a healthy cluster has as many by chance.
constexpr double kBacklog = 3;
/// So many queued binds must have been seen for their load to be about a limiter.
constexpr double kQueued = 10;
/// Binds that are this unlikely to be so even by chance are paced; from the second on nothing says
/// that they are.
constexpr double kPaced = 0.01;
constexpr double kFree = 0.1;
/// From this rank correlation on binds follow their load ...
constexpr double kFollows = 0.5;
/// ... and at this many standard errors of none it is not chance.
constexpr double kBeyondChance = 2.3;
/// Below this one they clearly do not.
constexpr double kIgnores = 0.3;
constexpr std::size_t kLeastPairs = 4;

/// Of events in intervals of the given seconds.
Evenness EvennessOf(const std::vector<double>& counts, const std::vector<double>& lengths) {
  Evenness even;
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double time = std::accumulate(lengths.begin(), lengths.end(), 0.0);
  if (!(total > 0) || !(time > 0)) return even;
  even.rate = total / time;
  if (counts.size() < 2) return even;
  double squares = 0, rounded = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = even.rate * lengths[i], off = std::abs(counts[i] - expected);
    squares += off * off / expected;
    rounded += (off + 0.5) * (off + 0.5) / expected;  // counts are whole numbers
  }
  const double degrees = static_cast<double>(counts.size() - 1);
  even.dispersion = squares / degrees;
  even.rate_deviation = std::sqrt(even.dispersion * even.rate / (time / (degrees + 1)));
  even.evenness = ChiSquareAtMost(rounded, degrees);
  return even;
}

/// Sum of one metric's increases whose `verb` is POST.
double PostSum(const Facts& facts, const char* question, const TimeRange& window,
               std::string_view suffix, bool bindings_only) {
  const auto want = [&](const Labels& labels) {
    return labels.Get("verb") == "POST" && labels.Get(kMetricName).ends_with(suffix) &&
           (!bindings_only || labels.Get("url").ends_with("/binding"));
  };
  return TotalIncrease(facts, question, window, want).value_or(0);
}

/// What the intervals of all targets show, as it is collected.
struct Intervals {
  BindDispersion told;                           // with its backlog; the rest is made of these:
  std::vector<double> binds, arrivals, lengths;  // of those with a backlog at both ends
  std::vector<double> means, loads;              // of those with binds
  double most_binds = 0;                         // a second, of any
};

void AddGrid(const ScrapeGrid& grid, const GridCells& done, const GridCells& ended,
             const GridCells& found, double running, Intervals* out) {
  double load_before = 0;
  for (std::size_t i = 0; i < grid.cells(); ++i) {
    const double seconds = MsToSeconds(grid.edges[i + 1] - grid.edges[i]);
    const double load = running + found.counts[i], after = std::max(0.0, load - ended.counts[i]);
    if (done.counts[i] > 0 && !std::isnan(done.sums[i])) {
      out->means.push_back(done.sums[i] / done.counts[i]);
      out->loads.push_back(std::max(load, load_before));
      out->most_binds = std::max(out->most_binds, done.counts[i] / seconds);
    }
    if (running >= kBacklog && after >= kBacklog) {
      if (out->binds.empty()) out->told.backlog_start = running;
      out->binds.push_back(done.counts[i]);
      out->arrivals.push_back(found.counts[i]);
      out->lengths.push_back(seconds);
      out->told.backlog_end = after;
    }
    load_before = load;
    running = after;
    out->told.backlog_most = std::max(out->told.backlog_most, running);
  }
}

/// A share of failed attempts that rose by this much is a finding by itself.
constexpr double kFailedShareRise = 0.1;

/// Targets whose counters restarted in the window, each once and in order.
std::vector<std::string> RestartedIn(const Facts& facts, const WindowIncreases& cells) {
  std::set<std::string> restarted;
  for (const ScrapeIncreases& child : cells.attempt) {
    if (std::ranges::find(child.reset, true) != child.reset.end()) {
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
    if (missing.cornerstone) texts.push_back(Message("gap.metric", {{"missing", missing.text}}));
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
  constexpr auto kError = kube::AttemptResult::kError;
  const double before = baseline ? baseline->breakdown.ShareOf(kError) : 0;
  return now.ShareOf(kError) - before > kErrorShareRise;
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

/// A scheduler posts an event of each attempt at most, and its own bindings: a pod that an extender
/// binds costs it one request, not two. More of them than Bind counts are of a Bind that does not
/// count all. Who scrapes it is looked up by requests, too.
std::optional<Message> UncountedBinds(const Facts& facts, const TimeBreakdown& breakdown) {
  constexpr double kLeastPart = 0.25;  // of the scheduled pods
  constexpr double kLookUpsASecond = 0.5;
  const double posts = PostSum(facts, "rest_request", breakdown.window, "_count", false);
  const double own = posts - breakdown.e2e.count - kLookUpsASecond * breakdown.window.seconds();
  const double counted = breakdown.points[ExtensionPoint::kBind].count;
  const bool some_are_not_its_own = breakdown.extender_binds > 0;
  if (!some_are_not_its_own || !(own - counted > kLeastPart * breakdown.scheduled())) {
    return std::nullopt;
  }
  return Message("contradiction.binds", {{"posts", arg::Count(posts)},
                                         {"attempts", arg::Count(breakdown.e2e.count)},
                                         {"own", arg::Count(own)},
                                         {"counted", arg::Count(counted)}});
}

/// The scheduler's own plugins where no release runs them: the points have each other's names.
std::optional<Message> MisplacedPlugin(const std::vector<PluginRow>& plugins) {
  using enum ExtensionPoint;
  static const std::vector<std::pair<std::string_view, std::vector<ExtensionPoint>>> kNeverAt = {
      {"DefaultBinder", {kPreFilter, kFilter, kPreScore, kScore, kPreBind}},
      {"NodeName", {kPreScore, kScore, kPreBind, kBind}},
      {"NodeUnschedulable", {kPreScore, kScore, kPreBind, kBind}},
      {"ImageLocality", {kPreFilter, kFilter, kPreBind, kBind}}};
  for (const PluginRow& row : plugins) {
    for (const auto& [plugin, points] : kNeverAt) {
      const bool seen = row.plugin == plugin && std::ranges::any_of(points, [&](auto point) {
                          return row.extension_point == ToString(point);
                        });
      if (!seen) continue;
      return Message("contradiction.plugin",
                     {{"plugin", row.plugin}, {"seen", row.extension_point}});
    }
  }
  return std::nullopt;
}

}  // namespace

LoopPressure MeasureLoop(const Measurement& now, const std::optional<Measurement>& baseline) {
  LoopPressure loop;
  loop.busy = LoopSeconds(now.breakdown) / std::max(1e-3, now.breakdown.window.seconds());
  loop.wait = WaitForLoop(now);
  if (baseline) loop.wait_before = WaitForLoop(*baseline);
  return loop;
}

std::optional<BindDispersion> MeasureBindDispersion(const Histograms& histograms,
                                                    std::span<const Target> targets,
                                                    const WindowIncreases& window,
                                                    const TimeBreakdown& breakdown) {
  // Extenders bind with clients of their own; the limiter holds back the Bind plugins alone.
  if (breakdown.extender_binds > breakdown.bind_ok.count) return std::nullopt;
  Intervals all;
  const std::vector<ScrapeGrid> grids = MakeGrids(targets, window);
  const auto on_grids = [&](kube::ExtensionPoint point) {
    return OnGrids(grids, SelectPoint(window.extension_point, point));
  };
  const auto done = on_grids(kube::ExtensionPoint::kBind);
  const auto ended = on_grids(kube::ExtensionPoint::kPostBind);
  const auto found = on_grids(kube::ExtensionPoint::kReserve);
  for (std::size_t g = 0; g < grids.size(); ++g) {
    const double running = GapOf(histograms, grids[g].target, breakdown, grids[g].edges.front());
    AddGrid(grids[g], done[g], ended[g], found[g], running, &all);
  }
  if (all.means.empty()) return std::nullopt;
  BindDispersion& out = all.told;
  static_cast<Evenness&>(out) = EvennessOf(all.binds, all.lengths);
  out.arrivals = EvennessOf(all.arrivals, all.lengths);
  out.cells = all.binds.size();
  if (all.binds.empty()) out.rate = all.most_binds;
  out.intervals = all.means.size();
  out.follows_load = RankCorrelation(all.means, all.loads, kLeastPairs);
  return out;
}

bool IsPaced(const BindDispersion& dispersion) { return dispersion.evenness <= kPaced; }

Throttling JudgeDispersion(const std::optional<BindDispersion>& dispersion) {
  if (!dispersion) return Throttling::kNo;
  const BindDispersion& d = *dispersion;
  if (IsPaced(d)) {
    const bool grows = d.backlog_end > 2 * d.backlog_start + kQueued;
    const bool as_even = d.arrivals.evenness <= kPaced && d.arrivals.dispersion <= 4 * d.dispersion;
    return as_even && !grows ? Throttling::kCannotTell : Throttling::kYes;
  }
  if (d.intervals < kLeastPairs) return Throttling::kCannotTell;
  if (d.cells >= kLeastPairs && d.evenness >= kFree) return Throttling::kNo;
  if (d.backlog_most < kQueued || d.follows_load < kIgnores) return Throttling::kNo;
  const double n = static_cast<double>(d.intervals);
  const bool follows = d.follows_load >= kFollows;
  return follows && d.follows_load * std::sqrt(n - 1) >= kBeyondChance ? Throttling::kYes
                                                                       : Throttling::kCannotTell;
}

bool LooksThrottled(const BindDispersion& dispersion) {
  return dispersion.follows_load >= kFollows || IsPaced(dispersion);
}

std::optional<LimiterSplit> SplitByLimiter(const Facts& facts, const TimeBreakdown& breakdown) {
  if (!facts.Has("rate_limiter")) return std::nullopt;
  const double bind = breakdown.points[kube::ExtensionPoint::kBind].seconds;
  const TimeRange& window = breakdown.window;
  double waited = 0, requested = 0, posts = 0;
  for (const bool bindings_only : {true, false}) {
    waited = PostSum(facts, "rate_limiter", window, "_sum", bindings_only);
    requested = PostSum(facts, "rest_request", window, "_sum", bindings_only);
    posts = PostSum(facts, "rate_limiter", window, "_count", bindings_only);
    if (!(requested <= 0)) break;  // from 1.24 the url is gone: binds and events share a series
  }
  const bool measured = std::isfinite(waited + requested + posts);
  if (!measured || requested <= 0 || posts <= 0) return std::nullopt;
  // Events have a client of their own: POSTs that waited far longer than a Bind took were those.
  constexpr double kFarLonger = 5;
  if (waited / posts > kFarLonger * breakdown.points[ExtensionPoint::kBind].mean()) {
    return std::nullopt;
  }
  LimiterSplit split;
  split.low = std::min(std::max(waited - std::max(0.0, requested - bind), 0.0), bind);
  split.high = std::min(waited, bind);
  split.value = std::min(std::max(bind * waited / requested, split.low), split.high);
  split.mean_wait = waited / posts;
  return split;
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
    return std::max(0.0, breakdown.FailedSeconds() - breakdown.late_failure_seconds -
                             breakdown.points[ExtensionPoint::kPostFilter].seconds);
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
  if (c.baseline) c.plugins_before = RankPlugins(facts, c.baseline->breakdown.window);
  const TimeRange& window = c.now.breakdown.window;
  for (const TimeMs edge : {window.start, window.end}) {
    c.in_flight += GapAt(histograms, facts.targets, c.now.breakdown, edge);
  }
  c.contradictions = FindContradictions(facts, histograms, c.now, c.baseline);
  for (auto& more : {UncountedBinds(facts, c.now.breakdown), MisplacedPlugin(c.plugins)}) {
    if (more) c.contradictions.push_back(*more);
  }
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
  c.slow = c.speed.slow;
  c.loop = MeasureLoop(c.now, c.baseline);
  c.failing = IsFailing(c.now.breakdown, c.baseline);
  return c;
}

}  // namespace schedlens
