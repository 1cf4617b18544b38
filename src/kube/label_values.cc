// Which labels metrics have, which values those take, and names that are nearly right.

#include <algorithm>
#include <iterator>

#include "base/nearest.h"
#include "base/series.h"
#include "kube/metrics.h"

namespace schedlens::kube {
namespace {

bool Holds(const auto& labels, std::string_view label) {
  return std::find(std::begin(labels), std::end(labels), label) != std::end(labels);
}

/// Metrics that every client of the API server has.
constexpr std::string_view kClientPrefix = "rest_client_";

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
  for (const MetricEra& era : row.eras) {
    if (minor && &era != &EraIn(row, *minor)) continue;
    for (const std::string_view label : era.labels) {
      if (!Holds(labels, label)) labels.emplace_back(label);
    }
  }
  return labels;
}

std::vector<std::string> ValuesIn(const MetricRow& row, std::string_view label,
                                  std::optional<int> minor) {
  std::vector<std::string> values;
  for (const LabelValue& one : row.values) {
    if (one.label == label && (!minor || *minor >= one.since)) values.emplace_back(one.value);
  }
  return values;
}

bool IsOnlyAMetricsLabel(const MetricRow& row, std::string_view label) {
  constexpr std::string_view kDistinct[] = {"result", "extension_point", "plugin",    "status",
                                            "queue",  "attempts",        "call_type", "operation",
                                            "hint",   "hinted",          "reason",    "profile",
                                            "work"};
  // Targets may well have a label `host`.
  constexpr std::string_view kOfClients[] = {"verb", "url", "code", "method"};
  return Holds(kDistinct, label) ||
         (row.name.starts_with(kClientPrefix) && Holds(kOfClients, label));
}

std::string LabelInPlaceOf(const MetricRow& row, std::string_view label, int minor) {
  const auto& now = EraIn(row, minor).labels;
  if (Holds(now, label)) return "";
  for (const MetricEra& era : row.eras) {
    if (!Holds(era.labels, label)) continue;
    for (const std::string_view other : now) {
      if (!Holds(era.labels, other)) return std::string(other);
    }
  }
  return "";
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
