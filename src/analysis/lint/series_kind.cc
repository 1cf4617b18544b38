#include "analysis/lint/series_kind.h"

#include "kube/metrics.h"

namespace schedlens {
namespace {

SeriesKind KindIn(const kube::MetricRow* row, std::string_view name) {
  if (row == nullptr) return SeriesKind::kUnknown;
  const bool part = row->name != name;
  switch (row->kind) {
    case kube::MetricKind::kCounter:
      return part ? SeriesKind::kUnknown : SeriesKind::kCounter;
    case kube::MetricKind::kGauge:
      return part ? SeriesKind::kUnknown : SeriesKind::kGauge;
    case kube::MetricKind::kHistogram:
      return part ? SeriesKind::kCounter : SeriesKind::kUnknown;
    case kube::MetricKind::kSummary:
      return part ? SeriesKind::kCounter : SeriesKind::kGauge;
  }
  return SeriesKind::kUnknown;
}

}  // namespace

SeriesKind KindOfOwnSeries(std::string_view name) { return KindIn(kube::FindMetric(name), name); }

SeriesKind KindOfSeries(std::string_view name) {
  if (kube::FindMetric(name) != nullptr) return KindOfOwnSeries(name);
  return KindIn(kube::FindNeighbour(name), name);
}

}  // namespace schedlens
