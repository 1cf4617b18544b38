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
      {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60}};
  return all[static_cast<std::size_t>(layout)];
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
  return row.first == kOldestRelease && LastShown(row) == kNoEnd;
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
