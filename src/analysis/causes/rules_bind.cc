// Rules about the binding cycle: extender, API server, client limit, dispatcher, PreBind, permit.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/causes/rules_tables.h"

namespace schedlens {
namespace {

/// The stage that holds what an extender's bind takes.
double ExtenderGrowth(const WindowEvidence& c) { return c.Growth("bind.unmeasured"); }

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
  const bool few = r.cells < kLeastDispersion || r.even_by_chance;
  return DispersionText(r, few ? "evidence.binds.few" : "evidence.binds.even");
}

std::optional<CauseCandidate> JudgeExtender(const WindowEvidence& c) {
  const TimeBreakdown& now = c.now.breakdown;
  if (now.extender_binds < 1 || ExtenderGrowth(c) <= 0) return std::nullopt;
  CauseCandidate s{"bind.unmeasured", ExtenderGrowth(c), true, false, false, false, {}};
  s.evidence.push_back(
      {Message("evidence.extender.binds", {{"count", arg::Count(now.extender_binds)},
                                           {"all", arg::Count(now.Point("PostBind").count)}}),
       fmt::format("{} - {}",
                   IncreaseQuery(c, "scheduler_framework_extension_point_duration_seconds_count",
                                 "extension_point=\"PostBind\""),
                   IncreaseQuery(c, "scheduler_framework_extension_point_duration_seconds_count",
                                 "extension_point=\"Bind\", status=\"Success\""))});
  const std::string query =
      now.has_binding
          ? fmt::format("{} - {}", IncreaseQuery(c, "scheduler_binding_duration_seconds_sum", ""),
                        PointQuery(c, "Bind"))
          : std::string();
  s.evidence.push_back(StageEvidence(
      c, "bind.unmeasured",
      Message(now.has_binding ? "evidence.stage.bind_rest" : "evidence.stage.e2e_rest"), query));
  const double mean = now.Seconds("bind.unmeasured") / now.extender_binds;
  s.evidence.push_back({Message("evidence.extender.mean", {{"mean", arg::Duration(mean)}}), ""});
  return s;
}

std::optional<CauseCandidate> JudgeThrottling(const WindowEvidence& c) {
  const double growth = c.Growth("bind.plugins");
  if (growth <= 0) return std::nullopt;
  CauseCandidate s{"bind.plugins", growth, false, false, false, false, {}};
  if (c.limiter) {
    s.growth = std::min(growth, *LimiterGrowth(c));
    if (s.growth < growth / 10) return std::nullopt;
    s.proven_within = c.limiter->low > 0.5 * c.now.breakdown.Seconds("bind.plugins");
    s.evidence.push_back(
        {Message("evidence.limiter",
                 {{"mean", arg::Duration(c.limiter->mean_wait)},
                  {"waited", arg::Duration(c.limiter->value)},
                  {"bind", arg::Duration(c.now.breakdown.Seconds("bind.plugins"))},
                  {"low", arg::Duration(c.limiter->low)},
                  {"high", arg::Duration(c.limiter->high)}}),
         IncreaseQuery(c, "rest_client_rate_limiter_duration_seconds_sum", "verb=\"POST\"")});
  } else {
    if (c.throttling == Throttling::kNo) return std::nullopt;
    s.tie = c.throttling == Throttling::kCannotTell;
    s.evidence.push_back(
        {s.tie ? TieText(*c.dispersion) : DispersionText(*c.dispersion, "evidence.binds.paced"),
         IncreaseQuery(c, "scheduler_framework_extension_point_duration_seconds_count",
                       "extension_point=\"Bind\"")});
  }
  s.evidence.push_back(StageEvidence(c, "bind.plugins", "Bind", PointQuery(c, "Bind")));
  return s;
}

/// Execution seconds of dispatched binds; nothing where binds are not dispatched.
std::optional<double> DispatchedSeconds(const WindowEvidence& c, const TimeRange& window) {
  std::optional<double> seconds;
  for (const CounterIncrease& call : IncreasesOf(*c.facts, "async_api_call", window)) {
    if (call.labels.Get("call_type") != "pod_binding" ||
        !call.labels.Get(kMetricName).ends_with("_sum")) {
      continue;
    }
    seconds = seconds.value_or(0) + call.increase;
  }
  return seconds;
}

std::optional<CauseCandidate> JudgeAsyncQueue(const WindowEvidence& c) {
  const auto executed = DispatchedSeconds(c, c.now.breakdown.window);
  if (!executed) return std::nullopt;
  const double queued = c.now.breakdown.Seconds("bind.plugins") - *executed;
  double before = 0;
  if (c.baseline && c.baseline->breakdown.scheduled() > 0) {
    const auto then = DispatchedSeconds(c, c.baseline->breakdown.window);
    before = (c.baseline->breakdown.Seconds("bind.plugins") - then.value_or(0)) *
             c.now.breakdown.scheduled() / c.baseline->breakdown.scheduled();
  }
  if (queued - before <= 0) return std::nullopt;
  CauseCandidate s{"bind.plugins", queued - before, true, false, false, false, {}};
  s.evidence.push_back(
      {Message("evidence.dispatcher",
               {{"bind", arg::Duration(c.now.breakdown.Seconds("bind.plugins"))},
                {"calls", arg::Duration(*executed)},
                {"queued", arg::Duration(queued)}}),
       fmt::format("{} - {}", PointQuery(c, "Bind"),
                   IncreaseQuery(c, "scheduler_async_api_call_execution_duration_seconds_sum",
                                 "call_type=\"pod_binding\""))});
  return s;
}

std::optional<CauseCandidate> JudgeApiServer(const WindowEvidence& c) {
  double growth = c.Growth("bind.plugins");
  if (growth <= 0 || CpuStarved(c)) return std::nullopt;
  if (const auto limited = LimiterGrowth(c)) growth -= std::max(0.0, *limited);
  if (const auto queue = JudgeAsyncQueue(c)) growth -= queue->growth;
  if (!c.limiter && c.throttling == Throttling::kYes) return std::nullopt;
  if (growth <= 0) return std::nullopt;
  CauseCandidate s{"bind.plugins", growth, false, false, false, false, {}};
  s.tie = !c.limiter && c.throttling == Throttling::kCannotTell;
  s.evidence.push_back(StageEvidence(c, "bind.plugins", "Bind", PointQuery(c, "Bind")));
  if (c.limiter) {
    s.proven_within = c.now.breakdown.Seconds("bind.plugins") - c.limiter->high > 0.5 * growth;
    s.evidence.push_back(
        {Message("evidence.limiter.most", {{"high", arg::Duration(c.limiter->high)}}),
         IncreaseQuery(c, "rest_client_rate_limiter_duration_seconds_sum", "verb=\"POST\"")});
  } else if (s.tie) {
    s.evidence.push_back({TieText(*c.dispersion), ""});
  } else if (c.dispersion) {
    s.evidence.push_back({DispersionText(*c.dispersion, "evidence.binds.free"), ""});
  } else {
    s.evidence.push_back({Message("evidence.binds.no_backlog"), ""});
  }
  return s;
}

std::optional<CauseCandidate> PreBind(const WindowEvidence& c) {
  if (c.Growth("prebind") <= 0) return std::nullopt;
  CauseCandidate s{"prebind", c.Growth("prebind"), false, false, false, false, {}};
  s.evidence.push_back(StageEvidence(c, "prebind", "PreBind", PointQuery(c, "PreBind")));
  return s;
}

std::optional<CauseCandidate> JudgeVolume(const WindowEvidence& c) {
  auto s = PreBind(c);
  if (!s || !VolumeBindingLeads(c)) return std::nullopt;
  s->evidence.push_back({Message("evidence.volume_binding"),
                         IncreaseQuery(c, "scheduler_plugin_execution_duration_seconds_sum",
                                       "extension_point=\"PreBind\"")});
  return s;
}

std::optional<CauseCandidate> JudgePreBind(const WindowEvidence& c) {
  return VolumeBindingLeads(c) ? std::nullopt : PreBind(c);
}

std::optional<CauseCandidate> JudgePermitWait(const WindowEvidence& c) {
  if (c.Growth("permit-wait") <= 0) return std::nullopt;
  CauseCandidate s{"permit-wait", c.Growth("permit-wait"), true, false, false, false, {}};
  s.evidence.push_back(
      StageEvidence(c, "permit-wait", Message("evidence.stage.permit"),
                    IncreaseQuery(c, "scheduler_permit_wait_duration_seconds_sum", "")));
  return s;
}

std::optional<CauseCandidate> JudgeReserve(const WindowEvidence& c) {
  if (c.Growth("reserve") <= 0) return std::nullopt;
  CauseCandidate s{"reserve", c.Growth("reserve"), true, false, false, false, {}};
  s.evidence.push_back(StageEvidence(c, "reserve", "Reserve", PointQuery(c, "Reserve")));
  return s;
}

}  // namespace

bool VolumeBindingLeads(const WindowEvidence& c) {
  return std::any_of(c.plugins.begin(), c.plugins.end(), [](const PluginRow& row) {
    return row.extension_point == "PreBind" && row.plugin == "VolumeBinding" &&
           row.wall_share.value.value_or(0) > 0.5;
  });
}

std::vector<CauseRule> BindRules() {
  // Of two that the data cannot tell apart the earlier row comes first: a slow server is commoner.
  return {{"reserve", JudgeReserve},
          {"permit.wait", JudgePermitWait},
          {"prebind.volume", JudgeVolume},
          {"prebind", JudgePreBind},
          {"bind.extender", JudgeExtender},
          {"bind.apiserver", JudgeApiServer},
          {"bind.client-throttling", JudgeThrottling},
          {"bind.async-queue", JudgeAsyncQueue}};
}

}  // namespace schedlens
