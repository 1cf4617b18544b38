// Which labels metrics have, which values those take, and names that are nearly right.

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "contract/series.h"
#include "kube/metrics.h"
#include "kube/words.h"
#include "model/nearest.h"

namespace schedlens::kube {
namespace {

using enum Metric;

/// A value from release `since` on.
struct SinceValue {
  std::string_view value;
  int since = kOldestRelease;
};

/// The values of a label where these metrics have it.
struct ValueList {
  std::string_view label;
  std::vector<Metric> metrics;
  std::vector<SinceValue> values;
};

template <typename Enum>
std::vector<SinceValue> AllOf() {
  std::vector<SinceValue> values;
  for (const std::string_view spelling : kSpellings<Enum>) values.push_back({spelling});
  return values;
}

std::vector<SinceValue> With(std::vector<SinceValue> values, const std::vector<SinceValue>& more) {
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

std::vector<SinceValue> Points(bool of_plugins) {
  std::vector<SinceValue> points;
  for (const ExtensionPoint point : All<ExtensionPoint>()) {
    using enum ExtensionPoint;
    const bool extensions = point == kPreFilterAddPod || point == kPreFilterRemovePod ||
                            point == kScoreNormalize || point == kPlacementScoreNormalize;
    if (point == kQueueSort || (extensions && !of_plugins)) continue;
    const int since = point == kPostFilter          ? 19
                      : point == kPreEnqueue        ? 26
                      : point == kPreBindPreFlight  ? 34
                      : point == kSign              ? 35
                      : point >= kPlacementGenerate ? 36
                                                    : kOldestRelease;
    points.push_back({ToString(point), since});
  }
  return points;
}

std::vector<SinceValue> Attempts() {
  std::vector<SinceValue> values = {{"1"}, {"2"},  {"3"},  {"4"},  {"5"},  {"6"},  {"7"},  {"8"},
                                    {"9"}, {"10"}, {"11"}, {"12"}, {"13"}, {"14"}, {"15+"}};
  return values;
}

const std::vector<ValueList>& ValueLists() {
  static const std::vector<ValueList> all = {
      {"result", {kE2e, kAttempt, kScheduleAttempts}, AllOf<AttemptResult>()},
      {"result", {kPermitWait}, AllOf<StatusCode>()},
      {"result",
       {kPreemptionGoroutines, kPreemptionGoroutineRuns, kAsyncCall, kAsyncCallRuns},
       {{"success"}, {"error"}}},
      {"result",
       {kPodGroupAttempt, kPodGroupAttempts},
       With(AllOf<AttemptResult>(), {{"waiting_on_preemption"}})},
      {"result", {kBatchAttempts}, {{"no_hint"}, {"hint_used"}, {"hint_not_used"}}},
      {"status", {kExtensionPoint, kPlugin}, With(AllOf<StatusCode>(), {{"Pending", 29}})},
      {"status", {kDraWait, kDraAllocations}, {{"success"}, {"failure"}, {"timeout"}, {"error"}}},
      {"extension_point", {kExtensionPoint}, Points(false)},
      {"extension_point", {kPlugin}, Points(true)},
      {"extension_point",
       {kPluginEvaluations},
       {{ToString(ExtensionPoint::kPreFilter)},
        {ToString(ExtensionPoint::kFilter)},
        {ToString(ExtensionPoint::kPreScore), 28},
        {ToString(ExtensionPoint::kScore), 28}}},
      {"queue",
       {kPendingPods, kIncomingPods},
       {{ToString(QueueName::kActive)},
        {ToString(QueueName::kBackoff)},
        {ToString(QueueName::kUnschedulable)},
        {ToString(QueueName::kGated), 26}}},
      {"call_type", {kAsyncCall, kAsyncCallRuns, kAsyncPending}, AllOf<CallType>()},
      {"hint", {kQueueingHint}, {{"Queue"}, {"QueueSkip"}, {"Error"}}},
      {"hinted", {kNodeHint}, {{"hint"}, {"no_hint"}}},
      {"type", {kCacheSizeOld, kCacheSize}, {{"nodes"}, {"pods"}, {"assumed_pods"}}},
      {"attempts", {kPodDuration, kPodSli}, Attempts()},
      {"reason",
       {kBatchCacheFlushed},
       {{"pod_failed"},
        {"pod_skipped"},
        {"node_missing"},
        {"node_not_full"},
        {"empty_list"},
        {"expired"},
        {"pod_incompatible"},
        {"pod_not_batchable"}}},
  };
  return all;
}

/// Metrics that every client of the API server has.
constexpr std::string_view kClientPrefix = "rest_client_";

/// Names of before 1.18, without _bucket, _sum and _count.
constexpr std::pair<std::string_view, Metric> kOldNames[] = {
    {"scheduler_e2e_scheduling_latency_microseconds", kAttempt},
    {"scheduler_e2e_scheduling_latency_seconds", kAttempt},
    {"scheduler_scheduling_algorithm_latency_microseconds", kAlgorithm},
    {"scheduler_scheduling_algorithm_latency_seconds", kAlgorithm},
    {"scheduler_binding_latency_microseconds", kBinding},
    {"scheduler_binding_latency_seconds", kBinding},
    {"scheduler_scheduling_latency_seconds", kSchedulingSummary},
    {"scheduler_scheduling_algorithm_predicate_evaluation", kPredicateEvaluation},
    {"scheduler_scheduling_algorithm_priority_evaluation", kPriorityEvaluation},
    {"scheduler_scheduling_algorithm_preemption_evaluation", kPreemptionEvaluation},
    {"rest_client_request_latency_seconds", kRestRequest},
};

/// The series that a metric has.
std::vector<std::string> SeriesOf(const MetricRow& row) {
  if (row.kind == MetricKind::kHistogram) {
    return {BucketOf(row.id), SumOf(row.id), CountOf(row.id)};
  }
  return {std::string(row.name)};
}

}  // namespace

std::vector<std::string> LabelsIn(const MetricRow& row, std::optional<int> minor) {
  std::vector<std::string> labels;
  const auto add = [&](const MetricEra& era) {
    for (const std::string_view label : era.labels) {
      if (std::find(labels.begin(), labels.end(), label) == labels.end()) {
        labels.emplace_back(label);
      }
    }
  };
  if (minor) {
    add(EraIn(row, *minor));
  } else {
    for (const MetricEra& era : row.eras) add(era);
  }
  return labels;
}

std::vector<std::string> ValuesIn(const MetricRow& row, std::string_view label,
                                  std::optional<int> minor) {
  std::vector<std::string> values;
  for (const ValueList& list : ValueLists()) {
    if (list.label != label ||
        std::find(list.metrics.begin(), list.metrics.end(), row.id) == list.metrics.end()) {
      continue;
    }
    for (const SinceValue& value : list.values) {
      if (!minor || *minor >= value.since) values.emplace_back(value.value);
    }
  }
  return values;
}

bool IsOnlyAMetricsLabel(const MetricRow& row, std::string_view label) {
  constexpr std::array<std::string_view, 13> kDistinct = {
      "result",   "extension_point", "plugin",    "status", "queue",
      "attempts", "call_type",       "operation", "hint",   "hinted",
      "reason",   "profile",         "work"};
  // Targets may well have a label `host`.
  constexpr std::array<std::string_view, 4> kOfClients = {"verb", "url", "code", "method"};
  const auto holds = [&](const auto& labels) {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  };
  return holds(kDistinct) || (row.name.starts_with(kClientPrefix) && holds(kOfClients));
}

std::string LabelInPlaceOf(const MetricRow& row, std::string_view label, int minor) {
  const auto& now = EraIn(row, minor).labels;
  const auto holds = [](const auto& labels, std::string_view one) {
    return std::find(labels.begin(), labels.end(), one) != labels.end();
  };
  if (holds(now, label)) return "";
  for (const MetricEra& era : row.eras) {
    if (!holds(era.labels, label)) continue;
    for (const std::string_view other : now) {
      if (!holds(era.labels, other)) return std::string(other);
    }
  }
  return "";
}

std::optional<Metric> SuccessorOfOld(std::string_view name) {
  const std::string family = FamilyOf(name);
  for (const auto& [old, successor] : kOldNames) {
    if (name == old || family == old) return successor;
  }
  return std::nullopt;
}

bool MayBeSchedulersJob(std::string_view job) {
  return job == "scheduler" || job.find("kube") != std::string_view::npos;
}

std::string NearestName(std::string_view name) {
  constexpr std::size_t kSlip = 2;
  constexpr char kTotal[] = "_total";
  if (!name.starts_with(kOwnPrefix)) return "";
  const std::string family = FamilyOf(name);
  const std::string_view suffix = name.substr(family.size());
  std::string nearest;
  std::size_t best = kSlip + 1;
  for (const MetricRow& row : MetricTable()) {
    for (const std::string& series : SeriesOf(row)) {
      // `x_seconds_count` and `x_seconds_sum` are near each other, and both are meant.
      if (row.kind == MetricKind::kHistogram && series.substr(row.name.size()) != suffix) continue;
      const std::size_t distance = EditDistance(name, series);
      if (distance < best) {
        best = distance;
        nearest = series;
      }
    }
    // The buckets of a counter, a counter without its ending, a gauge with one.
    const bool bare = row.kind != MetricKind::kHistogram && LastShown(row) == kNoEnd;
    if ((bare && row.name == family && !suffix.empty()) || row.name == std::string(name) + kTotal ||
        (bare && name == std::string(row.name) + kTotal)) {
      return std::string(row.name);
    }
  }
  return nearest;
}

}  // namespace schedlens::kube
