#include "diagnose/causes/findings.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::AttemptResult;
using kube::ExtensionPoint;
using kube::Metric;
using kube::Stage;

/// `sum(increase(NAME{MATCHERS}[WINDOW]))` with the selector of the facts, ready to paste.
std::string IncreaseQuery(const WindowEvidence& c, std::string_view metric,
                          std::string_view matchers) {
  std::string selector(matchers);
  if (!c.selector.empty()) selector += (selector.empty() ? "" : ", ") + c.selector;
  const TimeRange& window = c.now.breakdown.window;
  return fmt::format("sum(increase({}{}[{}] @ {}))", metric,
                     selector.empty() ? "" : "{" + selector + "}",
                     FormatDuration(window.end - window.start),
                     FormatNumber(static_cast<double>(window.end) / 1000));
}

/// `extension_point="Bind"`.
std::string PointMatcher(kube::ExtensionPoint point) {
  return fmt::format("extension_point=\"{}\"", ToString(point));
}

std::string PointQuery(const WindowEvidence& c, kube::ExtensionPoint point) {
  return IncreaseQuery(c, SumOf(kube::Metric::kExtensionPoint), PointMatcher(point));
}

/// "NAME took X s of the window's Y s of e2e time (Z %)", with the baseline next to it.
Evidence StageEvidence(const WindowEvidence& c, Stage stage, const Value& what, std::string query) {
  const TimeBreakdown& now = c.now.breakdown;
  const double seconds = now.Seconds(stage);
  Message text("evidence.stage",
               {{"stage", what},
                {"spent", arg::Duration(seconds)},
                {"all", arg::Duration(now.e2e.seconds)},
                {"share", arg::Share(seconds / std::max(1e-12, now.e2e.seconds))}});
  if (c.baseline && now.scheduled() > 0 && c.baseline->breakdown.scheduled() > 0) {
    text.id = "evidence.stage.baseline";
    text.args.push_back({"now", arg::Duration(seconds / now.scheduled())});
    text.args.push_back({"before", arg::Duration(c.baseline->breakdown.Seconds(stage) /
                                                 c.baseline->breakdown.scheduled())});
  }
  return {std::move(text), std::move(query)};
}

/// The same of a stage that is an extension point, by the point's name.
Evidence PointEvidence(const WindowEvidence& c, Stage stage) {
  const ExtensionPoint point = RowOf(stage).point.value();
  return StageEvidence(c, stage, std::string(ToString(point)), PointQuery(c, point));
}

/// A stage that grew, which leaves no other reading; nothing where it did not.
std::optional<CauseCandidate> Grown(double growth, Stage stage, Evidence evidence) {
  if (growth <= 0) return std::nullopt;
  CauseCandidate s{.stage = stage, .growth = growth, .proven_within = true};
  s.evidence.push_back(std::move(evidence));
  return s;
}

// The scheduling loop: its extension points, extenders in it, and the processor.

template <Stage stage>
std::optional<CauseCandidate> JudgePoint(const WindowEvidence& c) {
  const kube::ExtensionPoint point = RowOf(stage).point.value();
  // More failed attempts run the points more often: that is `attempts.unschedulable`, not a slow
  // point. Only costlier runs count here.
  auto s = Grown(c.CostGrowth(stage), stage, PointEvidence(c, stage));
  const Amount now = c.now.breakdown.points[point];
  if (s && c.baseline && now.count > 0) {
    s->evidence.push_back(
        {Message("evidence.point.mean",
                 {{"now", arg::Duration(now.mean())},
                  {"before", arg::Duration(c.baseline->breakdown.points[point].mean())}})});
  }
  return s;
}

/// The loop waited for something that is no extension point. It waited, rather than computed, where
/// the unmeasured time grew by more than all CPU time of the process; the converse proves nothing.
std::optional<CauseCandidate> JudgeAlgorithmExtender(const WindowEvidence& c) {
  // Without the extension points the difference is all of the algorithm.
  if (c.now.cells.extension_point.empty()) return std::nullopt;
  const double growth = c.Growth(Stage::kAlgorithmUnmeasured);
  if (growth <= 0) return std::nullopt;
  const bool waited = c.now.cpu && growth > c.now.cpu->seconds;
  CauseCandidate s{.stage = Stage::kAlgorithmUnmeasured, .growth = growth, .tie = !waited};
  s.evidence.push_back(
      StageEvidence(c, Stage::kAlgorithmUnmeasured, Message("evidence.stage.algorithm_rest"), ""));
  if (c.now.cpu) {
    s.evidence.push_back(
        {Message(waited ? "evidence.extender.waited" : "evidence.extender.unproven",
                 {{"growth", arg::Duration(growth)}, {"cpu", arg::Duration(c.now.cpu->seconds)}}),
         IncreaseQuery(c, NameOf(Metric::kProcessCpu), "")});
  }
  return s;
}

std::optional<CauseCandidate> JudgeCpuStarved(const WindowEvidence& c) {
  if (!CpuStarved(c)) return std::nullopt;
  CauseCandidate s{.growth = std::max(0.0, c.Growth(Stage::kBindPlugins)), .companion = true};
  Message cores("evidence.cpu", {{"cores", arg::Number(c.now.cpu->cores)}});
  if (c.baseline && c.baseline->cpu) {
    cores.id = "evidence.cpu.baseline";
    cores.args.push_back({"before", arg::Number(c.baseline->cpu->cores)});
  }
  s.evidence.push_back({std::move(cores), IncreaseQuery(c, NameOf(Metric::kProcessCpu), "")});
  s.evidence.push_back({Message("evidence.cpu.bind_follows_loop",
                                {{"correlation", arg::Number(c.bind_follows_loop)}})});
  return s;
}

// Failed attempts, preemption and the queue.

std::string AttemptsQuery(const WindowEvidence& c, AttemptResult result) {
  return IncreaseQuery(c, NameOf(Metric::kScheduleAttempts),
                       fmt::format("result=\"{}\"", ToString(result)));
}

Message AttemptCounts(const WindowEvidence& c, AttemptResult result) {
  const TimeBreakdown& now = c.now.breakdown;
  const double count = now.by_result.Get(result).count;
  Message text("evidence.results", {{"count", arg::Count(count)},
                                    {"attempts", arg::Count(now.e2e.count)},
                                    {"result", std::string(ToString(result))},
                                    {"share", arg::Share(now.ShareOf(result))}});
  if (c.baseline) {
    text.id = "evidence.results.baseline";
    text.args.push_back({"before", arg::Share(c.baseline->breakdown.ShareOf(result))});
  }
  return text;
}

std::optional<CauseCandidate> JudgePreemption(const WindowEvidence& c) {
  auto s = Grown(c.Growth(Stage::kPostFilter), Stage::kPostFilter,
                 StageEvidence(c, Stage::kPostFilter, Message("evidence.stage.preemption"),
                               PointQuery(c, ExtensionPoint::kPostFilter)));
  if (const double attempts = c.now.preemption_attempts; s && attempts > 0) {
    s->evidence.push_back({Message("evidence.preemptions", {{"count", arg::Count(attempts)}}),
                           IncreaseQuery(c, NameOf(Metric::kPreemptionAttempts), "")});
  }
  return s;
}

std::optional<CauseCandidate> JudgeUnschedulable(const WindowEvidence& c) {
  constexpr double kLeastShare = 0.1;
  const double share = c.now.breakdown.ShareOf(AttemptResult::kUnschedulable);
  if (!c.failing || share < kLeastShare) return std::nullopt;
  CauseCandidate s{.growth = std::max(0.0, c.FailedGrowth()), .by_count = true};
  s.evidence.push_back({AttemptCounts(c, AttemptResult::kUnschedulable),
                        AttemptsQuery(c, AttemptResult::kUnschedulable)});
  return s;
}

std::optional<CauseCandidate> JudgeErrors(const WindowEvidence& c) {
  constexpr double kLeastErrors = 5;
  constexpr double kLeastShare = 0.01;
  const TimeBreakdown& now = c.now.breakdown;
  if (now.by_result.Get(AttemptResult::kError).count < kLeastErrors) return std::nullopt;
  const double before = c.baseline ? c.baseline->breakdown.ShareOf(AttemptResult::kError) : 0;
  if (now.ShareOf(AttemptResult::kError) < std::max(kLeastShare, 2 * before)) return std::nullopt;
  CauseCandidate s{.by_count = true};
  s.evidence.push_back(
      {AttemptCounts(c, AttemptResult::kError), AttemptsQuery(c, AttemptResult::kError)});
  if (c.now.breakdown.late_failures > 0) {
    s.evidence.push_back({Message("evidence.late_failures",
                                  {{"count", arg::Count(c.now.breakdown.late_failures)}})});
  }
  return s;
}

std::optional<CauseCandidate> JudgeBacklog(const WindowEvidence& c) {
  // Half a minute of arrivals waiting in activeQ is a queue that the loop does not keep up with.
  constexpr double kSecondsOfWork = 30;
  const double pending = c.now.pending_active.value_or(0);
  const double rate = c.now.breakdown.e2e.count / std::max(1.0, c.now.breakdown.window.seconds());
  const double before = c.baseline ? c.baseline->pending_active.value_or(0) : 0;
  if (pending < 10 || pending < kSecondsOfWork * rate || pending < 3 * before) return std::nullopt;
  CauseCandidate s{.by_count = true};
  Message text("evidence.backlog", {{"pods", arg::Count(pending)}, {"rate", arg::Number(rate)}});
  if (c.baseline) {
    text.id = "evidence.backlog.baseline";
    text.args.push_back({"before", arg::Count(before)});
  }
  s.evidence.push_back(
      {std::move(text), fmt::format("{}{{queue=\"{}\"}}", NameOf(Metric::kPendingPods),
                                    ToString(kube::QueueName::kActive))});
  s.stands_alone = true;
  s.follows_load = true;
  return s;
}

// The binding cycle: extender, API server, client limit, dispatcher, PreBind, permit.

/// The part of the Bind plugins' growth that is the client's limiter, where that is known.
std::optional<double> LimiterGrowth(const WindowEvidence& c) {
  if (!c.limiter) return std::nullopt;
  const double before = c.limiter_baseline && c.baseline->breakdown.scheduled() > 0
                            ? c.limiter_baseline->value * c.now.breakdown.scheduled() /
                                  c.baseline->breakdown.scheduled()
                            : 0;
  return c.limiter->value - before;
}

/// What the dispersion of the binds shows: `id` is the conclusion.
Message DispersionText(const BindDispersion& r, std::string id) {
  if (r.cells == 0) return Message("evidence.binds.none");
  return Message(
      std::move(id),
      {{"binds", Message("evidence.binds",
                         {{"intervals", arg::Count(r.cells)},
                          {"first", arg::Count(r.backlog_start)},
                          {"most", arg::Count(r.backlog_most)},
                          {"rate", arg::Number(r.rate)},
                          {"deviation", arg::Number(r.rate_deviation)},
                          {"arrivals", arg::Number(r.arrivals.rate)},
                          {"arrival_deviation", arg::Number(r.arrivals.rate_deviation)}})}});
}

/// Why the dispersion does not tell a slow server from the client's own limit.
Message TieText(const BindDispersion& r) {
  return DispersionText(r, IsPaced(r) ? "evidence.binds.even" : "evidence.binds.few");
}

std::optional<CauseCandidate> JudgeExtender(const WindowEvidence& c) {
  const TimeBreakdown& now = c.now.breakdown;
  const double growth = c.Growth(Stage::kBindUnmeasured);
  if (now.extender_binds < 1 || growth <= 0) return std::nullopt;
  CauseCandidate s{.stage = Stage::kBindUnmeasured, .growth = growth, .proven_within = true};
  s.evidence.push_back(
      {Message("evidence.extender.binds",
               {{"count", arg::Count(now.extender_binds)},
                {"all", arg::Count(now.points[ExtensionPoint::kPostBind].count)}}),
       fmt::format("{} - {}",
                   IncreaseQuery(c, CountOf(Metric::kExtensionPoint),
                                 PointMatcher(ExtensionPoint::kPostBind)),
                   IncreaseQuery(c, CountOf(Metric::kExtensionPoint),
                                 PointMatcher(ExtensionPoint::kBind) + ", status=\"Success\""))});
  const std::string query =
      now.has_binding ? fmt::format("{} - {}", IncreaseQuery(c, SumOf(Metric::kBinding), ""),
                                    PointQuery(c, ExtensionPoint::kBind))
                      : std::string();
  s.evidence.push_back(StageEvidence(
      c, Stage::kBindUnmeasured,
      Message(now.has_binding ? "evidence.stage.bind_rest" : "evidence.stage.e2e_rest"), query));
  const double mean = now.Seconds(Stage::kBindUnmeasured) / now.extender_binds;
  s.evidence.push_back({Message("evidence.extender.mean", {{"mean", arg::Duration(mean)}})});
  return s;
}

std::optional<CauseCandidate> JudgeThrottling(const WindowEvidence& c) {
  const double growth = c.Growth(Stage::kBindPlugins);
  if (growth <= 0) return std::nullopt;
  CauseCandidate s{.stage = Stage::kBindPlugins, .growth = growth, .follows_load = true};
  if (c.limiter) {
    s.growth = std::min(growth, *LimiterGrowth(c));
    if (s.growth < growth / 10) return std::nullopt;
    s.proven_within = c.limiter->low > 0.5 * c.now.breakdown.Seconds(Stage::kBindPlugins);
    s.evidence.push_back(
        {Message("evidence.limiter",
                 {{"mean", arg::Duration(c.limiter->mean_wait)},
                  {"waited", arg::Duration(c.limiter->value)},
                  {"bind", arg::Duration(c.now.breakdown.Seconds(Stage::kBindPlugins))},
                  {"low", arg::Duration(c.limiter->low)},
                  {"high", arg::Duration(c.limiter->high)}}),
         IncreaseQuery(c, SumOf(Metric::kRestLimiter), "verb=\"POST\"")});
  } else {
    if (c.throttling == Throttling::kNo) return std::nullopt;
    s.tie = c.throttling == Throttling::kCannotTell;
    s.second = s.tie && !LooksThrottled(*c.dispersion);
    s.evidence.push_back(
        {s.tie ? TieText(*c.dispersion) : DispersionText(*c.dispersion, "evidence.binds.paced"),
         IncreaseQuery(c, CountOf(Metric::kExtensionPoint), PointMatcher(ExtensionPoint::kBind))});
  }
  s.evidence.push_back(PointEvidence(c, Stage::kBindPlugins));
  return s;
}

std::optional<CauseCandidate> JudgeAsyncQueue(const WindowEvidence& c) {
  const auto executed = c.now.dispatched_bind_seconds;
  if (!executed) return std::nullopt;
  const double queued = c.now.breakdown.Seconds(Stage::kBindPlugins) - *executed;
  double before = 0;
  if (c.baseline && c.baseline->breakdown.scheduled() > 0) {
    const auto then = c.baseline->dispatched_bind_seconds;
    before = (c.baseline->breakdown.Seconds(Stage::kBindPlugins) - then.value_or(0)) *
             c.now.breakdown.scheduled() / c.baseline->breakdown.scheduled();
  }
  if (queued - before <= 0) return std::nullopt;
  CauseCandidate s{.stage = Stage::kBindPlugins, .growth = queued - before, .proven_within = true};
  s.evidence.push_back(
      {Message("evidence.dispatcher",
               {{"bind", arg::Duration(c.now.breakdown.Seconds(Stage::kBindPlugins))},
                {"calls", arg::Duration(*executed)},
                {"queued", arg::Duration(queued)}}),
       fmt::format(
           "{} - {}", PointQuery(c, ExtensionPoint::kBind),
           IncreaseQuery(c, SumOf(Metric::kAsyncCall),
                         fmt::format("call_type=\"{}\"", ToString(kube::CallType::kPodBinding))))});
  return s;
}

std::optional<CauseCandidate> JudgeApiServer(const WindowEvidence& c) {
  // More attempts a pod bind more often: that is no slow call.
  constexpr double kLeastPart = 0.1;
  const double bind = std::min(c.Growth(Stage::kBindPlugins), c.CostGrowth(Stage::kBindPlugins));
  double growth = bind;
  if (growth <= 0) return std::nullopt;
  if (const auto limited = LimiterGrowth(c)) growth -= std::max(0.0, *limited);
  if (const auto queue = JudgeAsyncQueue(c)) growth -= queue->growth;
  if (!c.limiter && c.throttling == Throttling::kYes) return std::nullopt;
  if (growth <= 0 || growth < kLeastPart * bind) return std::nullopt;
  CauseCandidate s{.stage = Stage::kBindPlugins, .growth = growth};
  const bool paced = !c.limiter && c.throttling == Throttling::kCannotTell;
  s.follows_load = paced;
  s.second = paced && LooksThrottled(*c.dispersion);
  s.tie = paced || CpuStarved(c);  // a bind that waits for the processor looks the same
  s.evidence.push_back(PointEvidence(c, Stage::kBindPlugins));
  if (c.limiter) {
    s.proven_within = c.limiter->high < 0.5 * c.now.breakdown.Seconds(Stage::kBindPlugins);
    s.evidence.push_back(
        {Message("evidence.limiter.most", {{"high", arg::Duration(c.limiter->high)}}),
         IncreaseQuery(c, SumOf(Metric::kRestLimiter), "verb=\"POST\"")});
  } else if (paced) {
    s.evidence.push_back({TieText(*c.dispersion)});
  } else if (c.dispersion) {
    s.evidence.push_back({DispersionText(*c.dispersion, "evidence.binds.free")});
  } else {
    s.evidence.push_back({Message("evidence.binds.no_backlog")});
  }
  return s;
}

/// Other plugins than one may have had the time.
std::optional<CauseCandidate> JudgePreBindTime(const WindowEvidence& c) {
  auto s = Grown(c.Growth(Stage::kPreBind), Stage::kPreBind, PointEvidence(c, Stage::kPreBind));
  if (s) s->proven_within = false;
  return s;
}

std::optional<CauseCandidate> JudgeVolume(const WindowEvidence& c) {
  auto s = JudgePreBindTime(c);
  if (!s || !VolumeBindingLeads(c)) return std::nullopt;
  s->evidence.push_back(
      {Message("evidence.volume_binding"),
       IncreaseQuery(c, SumOf(Metric::kPlugin), PointMatcher(ExtensionPoint::kPreBind))});
  return s;
}

std::optional<CauseCandidate> JudgePreBind(const WindowEvidence& c) {
  return VolumeBindingLeads(c) ? std::nullopt : JudgePreBindTime(c);
}

std::optional<CauseCandidate> JudgePermitWait(const WindowEvidence& c) {
  return Grown(c.Growth(Stage::kPermitWait), Stage::kPermitWait,
               StageEvidence(c, Stage::kPermitWait, Message("evidence.stage.permit"),
                             IncreaseQuery(c, SumOf(Metric::kPermitWait), "")));
}

std::optional<CauseCandidate> JudgeReserve(const WindowEvidence& c) {
  return Grown(c.Growth(Stage::kReserve), Stage::kReserve, PointEvidence(c, Stage::kReserve));
}

/// Null where no call of it was sampled.
const PluginRow* FindRow(const std::vector<PluginRow>& rows, std::string_view point,
                         std::string_view plugin) {
  const auto row = std::ranges::find_if(rows, [&](const PluginRow& one) {
    return one.extension_point == point && one.plugin == plugin;
  });
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace

const std::vector<CauseRule>& Rules() {
  // Of two that the data cannot tell apart the earlier row comes first: a slow server is commoner.
  using enum kube::Stage;
  static const std::vector<CauseRule> rules = {
      {ToString(kPreFilter), JudgePoint<kPreFilter>},
      {ToString(kFilter), JudgePoint<kFilter>},
      {ToString(kPreScore), JudgePoint<kPreScore>},
      {ToString(kScore), JudgePoint<kScore>},
      {"algorithm.extender", JudgeAlgorithmExtender},
      {"algorithm.cpu-starved", JudgeCpuStarved},
      {"preemption", JudgePreemption},
      {"attempts.unschedulable", JudgeUnschedulable},
      {"attempts.error", JudgeErrors},
      {"queue.backlog", JudgeBacklog},
      {ToString(kReserve), JudgeReserve},
      {"permit.wait", JudgePermitWait},
      {"prebind.volume", JudgeVolume},
      {ToString(kPreBind), JudgePreBind},
      {"bind.extender", JudgeExtender},
      {"bind.apiserver", JudgeApiServer},
      {"bind.client-throttling", JudgeThrottling},
      {"bind.async-queue", JudgeAsyncQueue},
  };
  return rules;
}

bool CpuStarved(const WindowEvidence& c) {
  // A processor less than a third used is not short, and one as used as before was not the change.
  constexpr double kBusyCores = 0.3;
  constexpr double kRise = 2;
  // Near zero where the API server is slow; well above one half where binds wait for the processor.
  constexpr double kFollowsLoop = 0.5;
  constexpr double kDearer = 0.5;
  if (!c.now.cpu || c.now.cpu->cores < kBusyCores) return false;
  // A limiter that is known to have held the binds back explains them already.
  if (c.limiter && c.limiter->low > 0.5 * c.now.breakdown.Seconds(Stage::kBindPlugins)) {
    return false;
  }
  if (c.baseline && c.baseline->cpu && c.now.cpu->cores < kRise * c.baseline->cpu->cores) {
    return false;
  }
  // More attempts keep the processor busy too; short of it, each takes longer.
  const double growth = c.Growth(Stage::kAlgorithm);
  if (!(growth > 0) || c.CostGrowth(Stage::kAlgorithm) < kDearer * growth) return false;
  return c.bind_follows_loop > kFollowsLoop;
}

bool HoldsLoop(const WindowEvidence& c, Stage stage) {
  constexpr double kCostlier = 5;    // times the baseline, an observation
  constexpr double kPart = 0.3;      // of what the loop's stages cost more
  constexpr double kBusyPart = 0.5;  // of the time
  constexpr double kLeastWait = 0.1;
  if (!kube::RunsInLoop(stage) || !c.baseline || c.baseline->breakdown.scheduled() < 1)
    return false;
  const auto mean = [stage](const TimeBreakdown& breakdown) {
    return breakdown.Seconds(stage) / std::max(1.0, RunsOf(breakdown, stage));
  };
  // A point that did not run before runs more often now; nothing says that it became slower.
  const double before = mean(c.baseline->breakdown);
  if (!(before > 0) || mean(c.now.breakdown) < kCostlier * before) return false;
  double costlier = 0;
  for (const kube::StageRow& row : kube::kStageTable) {
    const bool leaf = row.stage != Stage::kAlgorithm && kube::RunsInLoop(row.stage);
    if (leaf && c.now.breakdown.seconds.contains(row.stage)) {
      costlier += std::max(0.0, c.CostGrowth(row.stage));
    }
  }
  if (!(c.CostGrowth(stage) > 0) || c.CostGrowth(stage) < kPart * costlier) return false;
  if (c.loop.busy >= kBusyPart) return true;
  if (!c.loop.wait || !c.loop.wait_before) return false;
  if (*c.loop.wait < std::max(kLeastWait, kCostlier * *c.loop.wait_before)) return false;
  const double slower = c.now.breakdown.e2e.mean() - c.baseline->breakdown.e2e.mean();
  return *c.loop.wait - *c.loop.wait_before >= kBusyPart * slower;
}

std::optional<PluginPart> LeadingPlugin(const WindowEvidence& c, ExtensionPoint point) {
  constexpr double kEnough = 20, kErrors = 3;
  const double scale =
      c.baseline ? c.now.breakdown.e2e.count / std::max(1.0, c.baseline->breakdown.e2e.count) : 0;
  std::optional<PluginPart> lead;
  double most = 0, all = 0, calls = 0;
  for (const PluginRow& row : c.plugins) {
    if (row.extension_point != ToString(point)) continue;
    const PluginRow* before = FindRow(c.plugins_before, row.extension_point, row.plugin);
    const double had = before ? before->observations * before->mean_seconds * scale : 0;
    const double growth = std::max(0.0, row.observations * row.mean_seconds - had);
    all += growth;
    calls += row.observations;
    if (growth <= most) continue;
    most = growth;
    lead = PluginPart{row.plugin, row.observations, row.mean_seconds, {}};
    if (before) lead->before = before->mean_seconds;
  }
  if (!lead || lead->calls < kEnough || !std::isfinite(all)) return std::nullopt;
  lead->share = most / all;
  // Of a part of two sums, each with a relative error of sqrt(2 / n).
  const double others = std::max(1.0, calls - lead->calls);
  const double error = lead->share * (1 - lead->share) * std::sqrt(2 / lead->calls + 2 / others);
  lead->low = std::max(0.0, lead->share - kErrors * error);
  lead->high = std::min(1.0, lead->share + kErrors * error);
  return lead;
}

bool VolumeBindingLeads(const WindowEvidence& c) {
  // Sampled calls that are far quicker than the point is on average are not what took its time, and
  // what was as slow before is not what grew.
  constexpr double kAccountsFor = 0.2, kEnough = 20;
  constexpr double kSeen = 4.6;       // where so many are due, none is seen once in a hundred
  constexpr double kOfClaims = 1e-3;  // of seconds; without a claim there is nothing to wait for
  const std::string_view point = ToString(ExtensionPoint::kPreBind);
  const auto leads = [](const PluginRow* row) { return row->wall_share.value.value_or(0) > 0.5; };
  const PluginRow* now = FindRow(c.plugins, point, "VolumeBinding");
  const PluginRow* before = FindRow(c.plugins_before, point, "VolumeBinding");
  if (now == nullptr || !leads(now)) return false;
  const double mean = c.now.breakdown.points[ExtensionPoint::kPreBind].mean();
  if (!(now->mean_seconds >= kAccountsFor * mean)) {
    // The slow calls may be missing among the sampled: then claims that took time before still do.
    const PooledBuckets all =
        PoolBuckets(SelectPoint(c.now.cells.extension_point, ExtensionPoint::kPreBind));
    const auto at = std::ranges::lower_bound(all.bounds, mean) - all.bounds.begin();
    const double most = all.count() > 0 ? all.cumulative[static_cast<std::size_t>(at)] : 0;
    return now->observations * (all.count() - most) < kSeen * all.count() && before != nullptr &&
           before->observations >= kEnough && before->mean_seconds >= kOfClaims && leads(before);
  }
  if (before == nullptr || std::min(now->observations, before->observations) < kEnough) return true;
  const double growth = mean - c.baseline->breakdown.points[ExtensionPoint::kPreBind].mean();
  if (!(growth > 0)) return true;
  const auto lead = LeadingPlugin(c, ExtensionPoint::kPreBind);
  return now->mean_seconds - before->mean_seconds >= kAccountsFor * growth &&
         (!lead || lead->plugin == now->plugin);
}

}  // namespace schedlens
