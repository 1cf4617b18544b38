#include "kube/metrics.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/family.h"

namespace schedlens::kube {
namespace {

/// As client_golang makes them: by repeated multiplication. The rounding shows in `le`
/// (1.5000000000000002e-05).
std::vector<double> Exponential(double first, double factor, int count) {
  std::vector<double> bounds;
  for (int i = 0; i < count; ++i, first *= factor) bounds.push_back(first);
  return bounds;
}

std::string Named(Metric metric, std::string_view suffix) {
  return std::string(NameOf(metric)).append(suffix);
}

}  // namespace

const std::vector<double>& BoundsOf(BucketLayout layout) {
  static const std::vector<std::vector<double>> all = {
      {},
      Exponential(0.001, 2, 15),
      Exponential(0.0001, 2, 12),
      Exponential(0.00001, 1.5, 20),
      Exponential(0.01, 2, 20),
      Exponential(1, 2, 5),
      {5, 10, 15, 20, 25, 30, 35, 40, 45, 50},
      Exponential(1, 2, 7),
      Exponential(0.00001, 2, 12),
      Exponential(0.1, 2, 14),
      Exponential(0.001, 2, 10),
      {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60},
      {0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8,
       0.9,  1,   1.25, 1.5, 1.75, 2,   2.5,  3,   3.5,  4,   4.5, 5,   6,
       7,    8,   9,    10,  15,   20,  25,   30,  40,   50,  60},
      {0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60},
      {0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1,  1.25, 1.5, 2,
       3,     4,     5,    6,   8,   10,  15,  20,  30, 45,   60},
      {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 15, 30, 60},
      {0.005, 0.025, 0.1, 0.5, 2.5},
      {0.005, 0.025, 0.1, 0.5, 1, 2.5},
      {0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25},
      {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10},
      {0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30},
      {0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30},
      {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1},
      Exponential(0.0001, 2, 16),
      Exponential(0.0001, 2, 20),
      Exponential(0.00000001, 10, 10),
      {0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600},
      Exponential(1000, 10, 7),
      Exponential(0.001, 2, 14),
      Exponential(0.01, 2, 17),
      Exponential(0.1, 2, 13),
      {6.399999999999999e-08, 6.399999999999999e-07, 7.167999999999999e-06, 8.191999999999999e-05,
       0.0009175039999999999, 0.010485759999999998, 0.11744051199999998},
      Exponential(1000, 2, 15)};
  return all[static_cast<std::size_t>(layout)];
}

bool OnByDefault(Gate gate, int minor) {
  switch (gate) {
    case Gate::kNone:
      return true;
    case Gate::kPriorityAndFairness:
      return minor >= 20;
    case Gate::kQueueingHints:
      return minor >= 32;
    case Gate::kAsyncPreemption:
      return minor >= 33;
    case Gate::kDraBindingConditions:
    case Gate::kDraExtendedResource:
      return minor >= 36;
    case Gate::kAsyncApiCalls:  // on in 1.34.0, 1.34.1 and 1.35.0 only
    case Gate::kGenericWorkload:
      break;
  }
  return false;
}

const MetricRow& RowOf(Metric metric) { return MetricTable()[static_cast<std::size_t>(metric)]; }

const MetricRow* FindMetric(std::string_view name) {
  const std::string family = FamilyOf(name);
  for (const MetricRow& row : MetricTable()) {
    if (row.name == name || row.name == family) return &row;
  }
  return nullptr;
}

std::string_view NameOf(Metric metric) { return RowOf(metric).name; }
std::string BucketOf(Metric metric) { return Named(metric, "_bucket"); }
std::string SumOf(Metric metric) { return Named(metric, "_sum"); }
std::string CountOf(Metric metric) { return Named(metric, "_count"); }

Presence PresenceIn(const MetricRow& row, int minor) {
  if (minor < row.first && row.first > kOldestRelease) return Presence::kNotYet;
  if (minor > row.last) return Presence::kRemoved;
  if (minor >= row.hidden && row.hidden < kNoEnd) return Presence::kHidden;
  return Presence::kVisible;
}

int LastShown(const MetricRow& row) {
  return row.hidden < kNoEnd ? std::min(row.last, row.hidden - 1) : row.last;
}

bool AlwaysShown(const MetricRow& row) {
  return row.first <= kOldestRelease && LastShown(row) == kNoEnd;
}

const MetricEra& EraIn(const MetricRow& row, int minor) {
  const MetricEra* era = &row.eras.front();
  for (const MetricEra& later : row.eras) {
    if (later.since <= minor) era = &later;
  }
  return *era;
}

const MetricRow* PredecessorOf(const MetricRow& row) {
  for (const MetricRow& other : MetricTable()) {
    if (other.successor == row.id) return &other;
  }
  return nullptr;
}

std::vector<double> BoundsIn(const MetricRow& row, std::optional<int> minor) {
  if (minor) return BoundsOf(EraIn(row, *minor).buckets);
  constexpr int kDoubtFrom = 19;
  const BucketLayout newest = row.eras.back().buckets;
  for (std::size_t i = 0; i + 1 < row.eras.size(); ++i) {
    if (row.eras[i + 1].since > kDoubtFrom && row.eras[i].buckets != newest) return {};
  }
  return BoundsOf(newest);
}

std::string ReleasesText(const MetricRow& row) {
  const bool since = row.first > kOldestRelease;
  const int shown = LastShown(row);
  std::string text;
  if (shown == kNoEnd) {
    text = since ? fmt::format("from 1.{}", row.first) : "all";
  } else if (since) {
    text = fmt::format("1.{} to 1.{}", row.first, shown);
  } else {
    text = fmt::format("up to 1.{}", shown);
  }
  if (row.last > shown) {
    text += row.last == shown + 1 ? fmt::format("; hidden in 1.{}", row.last)
                                  : fmt::format("; hidden in 1.{} to 1.{}", shown + 1, row.last);
    text += fmt::format(", gone in 1.{}", row.last + 1);
  }
  if (row.gate != Gate::kNone) text += fmt::format(", gate {}", ToString(row.gate));
  return text;
}

}  // namespace schedlens::kube
