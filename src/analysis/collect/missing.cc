#include "analysis/collect/missing.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/collect/metric_history.h"

namespace schedlens {
namespace {

/// What a question is needed for.
struct Need {
  std::string_view question;
  std::string_view metrics[2];  ///< the family that answers it, newest name first
  std::string_view cost;
  bool optional = false;  ///< absent from a healthy scheduler too
};

constexpr Need kNeeds[] = {
    {"attempt",
     {"scheduler_scheduling_attempt_duration_seconds", "scheduler_e2e_scheduling_duration_seconds"},
     "the attempts' parts are added up instead, and no e2e quantile can be told"},
    {"algorithm",
     {"scheduler_scheduling_algorithm_duration_seconds"},
     "the scheduling loop and the binding cycle cannot be told apart"},
    {"extension_point",
     {"scheduler_framework_extension_point_duration_seconds"},
     "filter, score, prebind and bind cannot be told apart: only loop and binding are"},
    {"binding",
     {"scheduler_binding_duration_seconds"},
     "an extender's bind is found by a wider subtraction"},
    {"plugin_execution",
     {"scheduler_plugin_execution_duration_seconds"},
     "slow extension points are named, their plugins are not"},
    {"pod_scheduling",
     {"scheduler_pod_scheduling_sli_duration_seconds", "scheduler_pod_scheduling_duration_seconds"},
     "time in the queue is not seen, and the attempts' quantile has no second ladder of buckets"},
    {"rest_request",
     {"rest_client_request_duration_seconds"},
     "a slow API server cannot be told from work inside the scheduler"},
    {"rate_limiter",
     {"rest_client_rate_limiter_duration_seconds"},
     "the client's own limit is judged by the dispersion of the binds"},
    {"process",
     {"process_cpu_seconds_total"},
     "computing and waiting cannot be told apart, restarts only by falling counters"},
    {"pending_pods", {"scheduler_pending_pods"}, "the queue's length is not seen"},
    {"preemption_attempts",
     {"scheduler_preemption_attempts_total"},
     "preemption is seen only by its extension point"},
    {"goroutines",
     {"scheduler_goroutines", "scheduler_scheduler_goroutines"},
     "running binding cycles are not seen"},
    {"permit_wait",
     {"scheduler_permit_wait_duration_seconds"},
     "it appears once a Permit plugin makes a pod wait; else nothing is lost",
     true},
    {"leader",
     {"leader_election_master_status"},
     "the leader is found by which replica schedules",
     true},
};

std::string Predecessor(std::string_view metric) {
  for (const MetricHistory& history : MetricHistories()) {
    if (history.successor == metric && history.layout != Layout::kNone) {
      return std::string(history.name);
    }
  }
  return "";
}

struct Shown {
  bool by_some = false;  ///< some release of the range shows the metric
  bool by_all = true;
};

Shown ShownBy(std::string_view metric, const ReleaseRange& release) {
  const MetricHistory* history = HistoryOf(metric);
  if (history == nullptr) return {.by_some = true, .by_all = true};
  Shown shown;
  for (int minor = release.oldest; minor <= std::min(release.newest, 99); ++minor) {
    const bool visible = PresenceIn(*history, minor) == Presence::kVisible;
    shown.by_some |= visible;
    shown.by_all &= visible;
  }
  return shown;
}

bool Shows(std::string_view metric, const ReleaseRange& release) {
  return ShownBy(metric, release).by_some;
}

/// The name that the release uses: its other one only where the newest is not there yet.
std::string_view NameIn(const Need& need, const ReleaseRange& release) {
  if (!need.metrics[1].empty() && !Shows(need.metrics[0], release)) return need.metrics[1];
  return need.metrics[0];
}

/// The other name of a metric that was renamed, with the releases that use it.
std::string OtherName(const Need& need, std::string_view name) {
  if (need.metrics[1].empty()) return "";
  const int first = HistoryOf(need.metrics[0])->first;
  return name == need.metrics[0] ? fmt::format("called {} up to 1.{}", need.metrics[1], first - 1)
                                 : fmt::format("called {} from 1.{} on", need.metrics[0], first);
}

/// Whether the question's answer holds this part of a histogram: `_bucket`, `_sum` or `_count`.
bool HasPart(const Facts& facts, std::string_view question, std::string_view part) {
  const std::vector<Series>& series = facts.Of(question);
  return std::any_of(series.begin(), series.end(), [part](const Series& one) {
    return one.labels.Get(kMetricName).ends_with(part) || !one.histograms.empty();
  });
}

/// What is lost with the parts of a histogram that are missing; empty when nothing is.
std::string LostParts(const Facts& facts, const MissingMetric& missing) {
  const bool buckets = HasPart(facts, missing.question, "_bucket");
  const bool sum = HasPart(facts, missing.question, "_sum");
  const bool count = HasPart(facts, missing.question, "_count");
  if (buckets && sum) return "";
  if (buckets) {
    return fmt::format(
        "{}_sum is missing: quantiles and counts can be told, but not where the time went",
        missing.metric);
  }
  if (sum && count) {
    return fmt::format(
        "{}_bucket is missing: sums and counts tell where the time went, but no quantile and no "
        "share of the slowest",
        missing.metric);
  }
  return fmt::format(
      "only {} is here: neither where the time went nor a quantile can be told from it",
      missing.metric + (sum ? "_sum" : "_count"));
}

/// The split of the time rests on these.
bool WantsAllParts(std::string_view question) {
  return question == "attempt" || question == "algorithm" || question == "extension_point";
}

MissingMetric Describe(const Need& need, const Facts& facts, const ReleaseRange& release) {
  MissingMetric missing;
  missing.question = need.question;
  missing.metric = NameIn(need, release);
  missing.cornerstone = WantsAllParts(need.question);
  if (facts.Has(need.question)) {
    missing.text = LostParts(facts, missing);
    return missing;
  }
  std::vector<std::string> notes;
  const std::string why = WhyAbsent(missing.metric, release);
  if (!why.empty()) notes.push_back(why);
  const std::string other = OtherName(need, missing.metric);
  if (why.empty() && !other.empty()) notes.push_back(other);
  missing.quiet = need.optional || why.starts_with("removed");
  const bool certain = ShownBy(missing.metric, release).by_all;
  missing.expected = need.optional || !why.empty() || (release.known() && !certain);
  if (!need.optional && why.empty() && release.known() && !certain) {
    notes.push_back(
        fmt::format("some of {} have it: not there, not scraped, or dropped", ToString(release)));
  }
  if (!missing.expected && release.known()) {
    notes.push_back(fmt::format("{} has it: not scraped, or dropped", ToString(release)));
  }
  missing.text =
      fmt::format("{} is missing{}: {}", missing.metric,
                  notes.empty() ? "" : fmt::format(" ({})", fmt::join(notes, "; ")), need.cost);
  return missing;
}

}  // namespace

std::vector<MissingMetric> MissingMetrics(const Facts& facts, const ReleaseRange& release) {
  std::vector<MissingMetric> all;
  if (facts.targets.empty()) return all;
  for (const Need& need : kNeeds) {
    const bool there = facts.Has(need.question);
    if (there && !WantsAllParts(need.question)) continue;
    MissingMetric missing = Describe(need, facts, release);
    if (!missing.text.empty()) all.push_back(std::move(missing));
  }
  return all;
}

std::string WhyAbsent(std::string_view metric, const ReleaseRange& release) {
  const MetricHistory* history = HistoryOf(metric);
  if (history == nullptr || !release.known() || Shows(metric, release)) return "";
  if (history->first > release.newest) {
    const std::string before = Predecessor(history->name);
    return fmt::format("exposed from 1.{} on{}", history->first,
                       before.empty() ? "" : ", before that " + before);
  }
  const std::string after =
      history->successor.empty() ? "" : fmt::format(", its successor is {}", history->successor);
  if (history->removed > 0 && release.oldest >= history->removed) {
    return fmt::format("removed in 1.{}{}", history->removed, after);
  }
  return fmt::format("hidden from 1.{} on{}", history->hidden, after);
}

}  // namespace schedlens
