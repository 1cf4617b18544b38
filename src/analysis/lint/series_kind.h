#ifndef SCHEDLENS_ANALYSIS_LINT_SERIES_KIND_H_
#define SCHEDLENS_ANALYSIS_LINT_SERIES_KIND_H_

#include <string_view>

namespace schedlens {

enum class SeriesKind { kUnknown, kCounter, kGauge };

/// What a series of this name counts, for metrics of kube-scheduler and its neighbours: the
/// buckets, sum and count of a histogram are counters. A histogram under its own name (a native
/// one) and names of others are unknown.
SeriesKind KindOfSeries(std::string_view name);

/// The same, for kube-scheduler alone.
SeriesKind KindOfOwnSeries(std::string_view name);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_LINT_SERIES_KIND_H_
