#include "analysis/collect/missing.h"

#include <fmt/format.h>

#include <algorithm>

#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::Metric;
using kube::MetricRow;

/// What a question is needed for.
struct Need {
  std::string_view question;
  Metric metric;  ///< the family that answers it, by its newest name
  std::string_view cost;
  bool optional = false;             ///< absent from a healthy scheduler too
  std::optional<Metric> older = {};  ///< older name of the family, asked for too
};

constexpr Need kNeeds[] = {
    {.question = "attempt",
     .metric = Metric::kAttempt,
     .cost = "the attempts' parts are added up instead, and no e2e quantile can be told",
     .older = Metric::kE2e},
    {.question = "algorithm",
     .metric = Metric::kAlgorithm,
     .cost = "the scheduling loop and the binding cycle cannot be told apart"},
    {.question = "extension_point",
     .metric = Metric::kExtensionPoint,
     .cost = "filter, score, prebind and bind cannot be told apart: only loop and binding are"},
    {.question = "binding",
     .metric = Metric::kBinding,
     .cost = "an extender's bind is found by a wider subtraction"},
    {.question = "plugin_execution",
     .metric = Metric::kPlugin,
     .cost = "slow extension points are named, their plugins are not"},
    {.question = "pod_scheduling",
     .metric = Metric::kPodSli,
     .cost = "time in the queue is not seen, and the attempts' quantile has no second ladder of "
             "buckets",
     .older = Metric::kPodDuration},
    {.question = "rest_request",
     .metric = Metric::kRestRequest,
     .cost = "a slow API server cannot be told from work inside the scheduler"},
    {.question = "rate_limiter",
     .metric = Metric::kRestLimiter,
     .cost = "the client's own limit is judged by the dispersion of the binds"},
    {.question = "process",
     .metric = Metric::kProcessCpu,
     .cost = "computing and waiting cannot be told apart, restarts only by falling counters"},
    {.question = "pending_pods",
     .metric = Metric::kPendingPods,
     .cost = "the queue's length is not seen"},
    {.question = "preemption_attempts",
     .metric = Metric::kPreemptionAttempts,
     .cost = "preemption is seen only by its extension point"},
    {.question = "goroutines",
     .metric = Metric::kGoroutines,
     .cost = "running binding cycles are not seen",
     .older = Metric::kGoroutinesOld},
    {.question = "permit_wait",
     .metric = Metric::kPermitWait,
     .cost = "it appears once a Permit plugin makes a pod wait; else nothing is lost",
     .optional = true},
    {.question = "leader",
     .metric = Metric::kLeader,
     .cost = "the leader is found by which replica schedules",
     .optional = true},
};

struct Shown {
  bool by_some = false;  ///< some release of the range shows the metric
  bool by_all = true;
};

Shown ShownBy(const MetricRow& row, const ReleaseRange& release) {
  Shown shown;
  for (int minor = release.oldest; minor <= release.newest; ++minor) {
    const bool visible = PresenceIn(row, minor) == kube::Presence::kVisible;
    shown.by_some |= visible;
    shown.by_all &= visible;
  }
  return shown;
}

/// The family by the name that the release uses: the older one only where the newest is not there
/// yet.
const MetricRow& FamilyIn(const Need& need, const ReleaseRange& release) {
  const MetricRow& newest = RowOf(need.metric);
  return need.older && !ShownBy(newest, release).by_some ? RowOf(*need.older) : newest;
}

/// The other name of a metric that was renamed, with the releases that use it.
std::string OtherName(const Need& need, const MetricRow& family) {
  if (!need.older) return "";
  const MetricRow& newest = RowOf(need.metric);
  return family.id == newest.id
             ? fmt::format("called {} up to 1.{}", NameOf(*need.older), newest.first - 1)
             : fmt::format("called {} from 1.{} on", newest.name, newest.first);
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
  const MetricRow& family = FamilyIn(need, release);
  missing.metric = family.name;
  missing.cornerstone = WantsAllParts(need.question);
  if (facts.Has(need.question)) {
    missing.text = LostParts(facts, missing);
    return missing;
  }
  std::vector<std::string> notes;
  const std::string why = WhyAbsent(missing.metric, release);
  if (!why.empty()) notes.push_back(why);
  const std::string other = OtherName(need, family);
  if (why.empty() && !other.empty()) notes.push_back(other);
  missing.quiet = need.optional || why.starts_with("removed");
  const bool certain = ShownBy(family, release).by_all;
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
  const MetricRow* row = kube::FindMetric(metric);
  if (row == nullptr || !release.known() || ShownBy(*row, release).by_some) return "";
  if (row->first > release.newest) {
    const MetricRow* before = PredecessorOf(*row);
    return fmt::format("exposed from 1.{} on{}{}", row->first,
                       before == nullptr ? "" : ", before that ",
                       before == nullptr ? "" : before->name);
  }
  const std::string after =
      row->successor ? fmt::format(", its successor is {}", NameOf(*row->successor)) : "";
  if (release.oldest > row->last) return fmt::format("removed in 1.{}{}", row->last + 1, after);
  return fmt::format("hidden from 1.{} on{}", row->hidden, after);
}

}  // namespace schedlens
