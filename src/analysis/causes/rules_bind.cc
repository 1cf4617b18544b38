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

std::string DispersionText(const BindDispersion& r) {
  return fmt::format(
      "While a backlog stood ({} scrape intervals, {:.0f} to {:.0f} running binds), binds left at "
      "{:.2f} +- {:.2f}/s and attempts arrived at {:.2f} +- {:.2f}/s",
      r.cells, r.backlog_start, r.backlog_most, r.rate, r.rate_deviation, r.arrival_rate,
      r.arrival_deviation);
}

/// Why the dispersion does not tell a slow server from the client's own limit.
std::string TieText(const BindDispersion& r) {
  if (r.cells < kLeastDispersion || r.even_by_chance) {
    return fmt::format("{}: too few intervals to tell a slow server from the client's own limit.",
                       DispersionText(r));
  }
  return fmt::format("{}: both are too even to tell a slow server from the client's own limit.",
                     DispersionText(r));
}

std::optional<CauseCandidate> JudgeExtender(const WindowEvidence& c) {
  const TimeBreakdown& now = c.now.breakdown;
  if (now.extender_binds < 1 || ExtenderGrowth(c) <= 0) return std::nullopt;
  CauseCandidate s{"bind.unmeasured", ExtenderGrowth(c), true, false, false, false, {}};
  s.evidence.push_back(
      {fmt::format("{:.0f} of {:.0f} successful binds were made by an extender: PostBind ran for "
                   "them, no Bind plugin did.",
                   now.extender_binds, now.Point("PostBind").count),
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
  s.evidence.push_back(StageEvidence(c, "bind.unmeasured",
                                     now.has_binding
                                         ? "The bind less its plugins"
                                         : "What is left of e2e after every measured stage",
                                     query));
  s.evidence.push_back({fmt::format("That is {:.3f} s an extender bind on average.",
                                    now.Seconds("bind.unmeasured") / now.extender_binds),
                        ""});
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
        {fmt::format(
             "POST requests waited {:.3f} s each for the client's rate limiter: {:.1f} s of "
             "the {:.1f} s in Bind (at least {:.1f} s, at most {:.1f} s).",
             c.limiter->mean_wait, c.limiter->value, c.now.breakdown.Seconds("bind.plugins"),
             c.limiter->low, c.limiter->high),
         IncreaseQuery(c, "rest_client_rate_limiter_duration_seconds_sum", "verb=\"POST\"")});
  } else {
    if (c.throttling == Throttling::kNo) return std::nullopt;
    s.tie = c.throttling == Throttling::kCannotTell;
    s.evidence.push_back(
        {s.tie ? TieText(*c.dispersion)
               : fmt::format("{}: the binds are paced, the arrivals are not.",
                             DispersionText(*c.dispersion)),
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
      {fmt::format(
           "Bind took {:.1f} s, the API calls for it {:.1f} s: {:.1f} s were spent queued in "
           "the dispatcher.",
           c.now.breakdown.Seconds("bind.plugins"), *executed, queued),
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
        {fmt::format("The client's rate limiter explains at most {:.1f} s of it.", c.limiter->high),
         IncreaseQuery(c, "rest_client_rate_limiter_duration_seconds_sum", "verb=\"POST\"")});
  } else if (s.tie) {
    s.evidence.push_back({TieText(*c.dispersion), ""});
  } else if (c.dispersion) {
    s.evidence.push_back(
        {fmt::format("{}: nothing paces the binds.", DispersionText(*c.dispersion)), ""});
  } else {
    s.evidence.push_back(
        {"No backlog of running binds stood: the client's rate limiter had nothing to hold back.",
         ""});
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
  s->evidence.push_back(
      {"VolumeBinding makes up most of the time that the plugin metric saw in PreBind.",
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
      StageEvidence(c, "permit-wait", "Waiting on permit",
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
