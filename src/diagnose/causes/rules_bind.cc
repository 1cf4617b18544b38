// Rules about the binding cycle: extender, API server, client limit, dispatcher, PreBind, permit.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "diagnose/causes/rules_tables.h"
#include "kube/metrics.h"
#include "kube/words.h"

namespace schedlens {
namespace {

using kube::ExtensionPoint;
using kube::Metric;

/// The stage that holds what an extender's bind takes.
double ExtenderGrowth(const WindowEvidence& c) { return c.Growth(kube::Stage::kBindUnmeasured); }

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
  return Message(std::move(id),
                 {{"binds", Message("evidence.binds",
                                    {{"intervals", arg::Count(r.cells)},
                                     {"first", arg::Count(r.backlog_start)},
                                     {"most", arg::Count(r.backlog_most)},
                                     {"rate", arg::Number(r.rate)},
                                     {"deviation", arg::Number(r.rate_deviation)},
                                     {"arrivals", arg::Number(r.arrival_rate)},
                                     {"arrival_deviation", arg::Number(r.arrival_deviation)}})}});
}

/// Why the dispersion does not tell a slow server from the client's own limit.
Message TieText(const BindDispersion& r) {
  return DispersionText(r, IsPaced(r) ? "evidence.binds.even" : "evidence.binds.few");
}

std::optional<CauseCandidate> JudgeExtender(const WindowEvidence& c) {
  const TimeBreakdown& now = c.now.breakdown;
  if (now.extender_binds < 1 || ExtenderGrowth(c) <= 0) return std::nullopt;
  CauseCandidate s{
      .stage = kube::Stage::kBindUnmeasured, .growth = ExtenderGrowth(c), .proven_within = true};
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
      c, kube::Stage::kBindUnmeasured,
      Message(now.has_binding ? "evidence.stage.bind_rest" : "evidence.stage.e2e_rest"), query));
  const double mean = now.Seconds(kube::Stage::kBindUnmeasured) / now.extender_binds;
  s.evidence.push_back({Message("evidence.extender.mean", {{"mean", arg::Duration(mean)}}), ""});
  return s;
}

std::optional<CauseCandidate> JudgeThrottling(const WindowEvidence& c) {
  const double growth = c.Growth(kube::Stage::kBindPlugins);
  if (growth <= 0) return std::nullopt;
  CauseCandidate s{.stage = kube::Stage::kBindPlugins, .growth = growth, .follows_load = true};
  if (c.limiter) {
    s.growth = std::min(growth, *LimiterGrowth(c));
    if (s.growth < growth / 10) return std::nullopt;
    s.proven_within = c.limiter->low > 0.5 * c.now.breakdown.Seconds(kube::Stage::kBindPlugins);
    s.evidence.push_back(
        {Message("evidence.limiter",
                 {{"mean", arg::Duration(c.limiter->mean_wait)},
                  {"waited", arg::Duration(c.limiter->value)},
                  {"bind", arg::Duration(c.now.breakdown.Seconds(kube::Stage::kBindPlugins))},
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
  s.evidence.push_back(StageEvidence(c, kube::Stage::kBindPlugins,
                                     std::string(ToString(ExtensionPoint::kBind)),
                                     PointQuery(c, ExtensionPoint::kBind)));
  return s;
}

std::optional<CauseCandidate> JudgeAsyncQueue(const WindowEvidence& c) {
  const auto executed = c.now.dispatched_bind_seconds;
  if (!executed) return std::nullopt;
  const double queued = c.now.breakdown.Seconds(kube::Stage::kBindPlugins) - *executed;
  double before = 0;
  if (c.baseline && c.baseline->breakdown.scheduled() > 0) {
    const auto then = c.baseline->dispatched_bind_seconds;
    before = (c.baseline->breakdown.Seconds(kube::Stage::kBindPlugins) - then.value_or(0)) *
             c.now.breakdown.scheduled() / c.baseline->breakdown.scheduled();
  }
  if (queued - before <= 0) return std::nullopt;
  CauseCandidate s{
      .stage = kube::Stage::kBindPlugins, .growth = queued - before, .proven_within = true};
  s.evidence.push_back(
      {Message("evidence.dispatcher",
               {{"bind", arg::Duration(c.now.breakdown.Seconds(kube::Stage::kBindPlugins))},
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
  double growth =
      std::min(c.Growth(kube::Stage::kBindPlugins), c.CostGrowth(kube::Stage::kBindPlugins));
  if (growth <= 0) return std::nullopt;
  if (const auto limited = LimiterGrowth(c)) growth -= std::max(0.0, *limited);
  if (const auto queue = JudgeAsyncQueue(c)) growth -= queue->growth;
  if (!c.limiter && c.throttling == Throttling::kYes) return std::nullopt;
  if (growth <= 0) return std::nullopt;
  CauseCandidate s{.stage = kube::Stage::kBindPlugins, .growth = growth};
  const bool paced = !c.limiter && c.throttling == Throttling::kCannotTell;
  s.follows_load = paced;
  s.second = paced && LooksThrottled(*c.dispersion);
  s.tie = paced || CpuStarved(c);  // a bind that waits for the processor looks the same
  s.evidence.push_back(StageEvidence(c, kube::Stage::kBindPlugins,
                                     std::string(ToString(ExtensionPoint::kBind)),
                                     PointQuery(c, ExtensionPoint::kBind)));
  if (c.limiter) {
    s.proven_within = c.limiter->high < 0.5 * c.now.breakdown.Seconds(kube::Stage::kBindPlugins);
    s.evidence.push_back(
        {Message("evidence.limiter.most", {{"high", arg::Duration(c.limiter->high)}}),
         IncreaseQuery(c, SumOf(Metric::kRestLimiter), "verb=\"POST\"")});
  } else if (paced) {
    s.evidence.push_back({TieText(*c.dispersion), ""});
  } else if (c.dispersion) {
    s.evidence.push_back({DispersionText(*c.dispersion, "evidence.binds.free"), ""});
  } else {
    s.evidence.push_back({Message("evidence.binds.no_backlog"), ""});
  }
  return s;
}

std::optional<CauseCandidate> PreBind(const WindowEvidence& c) {
  if (c.Growth(kube::Stage::kPreBind) <= 0) return std::nullopt;
  CauseCandidate s{.stage = kube::Stage::kPreBind, .growth = c.Growth(kube::Stage::kPreBind)};
  s.evidence.push_back(StageEvidence(c, kube::Stage::kPreBind,
                                     std::string(ToString(ExtensionPoint::kPreBind)),
                                     PointQuery(c, ExtensionPoint::kPreBind)));
  return s;
}

std::optional<CauseCandidate> JudgeVolume(const WindowEvidence& c) {
  auto s = PreBind(c);
  if (!s || !VolumeBindingLeads(c)) return std::nullopt;
  s->evidence.push_back(
      {Message("evidence.volume_binding"),
       IncreaseQuery(c, SumOf(Metric::kPlugin), PointMatcher(ExtensionPoint::kPreBind))});
  return s;
}

std::optional<CauseCandidate> JudgePreBind(const WindowEvidence& c) {
  return VolumeBindingLeads(c) ? std::nullopt : PreBind(c);
}

std::optional<CauseCandidate> JudgePermitWait(const WindowEvidence& c) {
  if (c.Growth(kube::Stage::kPermitWait) <= 0) return std::nullopt;
  CauseCandidate s{.stage = kube::Stage::kPermitWait,
                   .growth = c.Growth(kube::Stage::kPermitWait),
                   .proven_within = true};
  s.evidence.push_back(StageEvidence(c, kube::Stage::kPermitWait, Message("evidence.stage.permit"),
                                     IncreaseQuery(c, SumOf(Metric::kPermitWait), "")));
  return s;
}

std::optional<CauseCandidate> JudgeReserve(const WindowEvidence& c) {
  if (c.Growth(kube::Stage::kReserve) <= 0) return std::nullopt;
  CauseCandidate s{.stage = kube::Stage::kReserve,
                   .growth = c.Growth(kube::Stage::kReserve),
                   .proven_within = true};
  s.evidence.push_back(StageEvidence(c, kube::Stage::kReserve,
                                     std::string(ToString(ExtensionPoint::kReserve)),
                                     PointQuery(c, ExtensionPoint::kReserve)));
  return s;
}

}  // namespace

bool VolumeBindingLeads(const WindowEvidence& c) {
  // Sampled calls that are far quicker than the point is on average are not what took its time.
  constexpr double kAccountsFor = 0.2;
  const double mean = c.now.breakdown.points[ExtensionPoint::kPreBind].mean();
  return std::any_of(c.plugins.begin(), c.plugins.end(), [mean](const PluginRow& row) {
    return row.extension_point == ToString(ExtensionPoint::kPreBind) &&
           row.plugin == "VolumeBinding" && row.wall_share.value.value_or(0) > 0.5 &&
           row.mean_seconds >= kAccountsFor * mean;
  });
}

std::vector<CauseRule> BindRules() {
  // Of two that the data cannot tell apart the earlier row comes first: a slow server is commoner.
  return {{ToString(kube::Stage::kReserve), JudgeReserve},
          {"permit.wait", JudgePermitWait},
          {"prebind.volume", JudgeVolume},
          {ToString(kube::Stage::kPreBind), JudgePreBind},
          {"bind.extender", JudgeExtender},
          {"bind.apiserver", JudgeApiServer},
          {"bind.client-throttling", JudgeThrottling},
          {"bind.async-queue", JudgeAsyncQueue}};
}

}  // namespace schedlens
