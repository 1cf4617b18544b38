#ifndef SCHEDLENS_REPORT_PLOT_DATA_H_
#define SCHEDLENS_REPORT_PLOT_DATA_H_

// From a diagnosis to the plots that show it. Each is absent when there is nothing to draw.

#include <optional>

#include "contract/diagnosis.h"
#include "report/messages/messages.h"
#include "report/plot.h"
#include "report/tables.h"

namespace schedlens {

/// The alert's value with its proven band and threshold.
std::optional<Plot> AlertPlot(const Messages& t, const Diagnosis& diagnosis);
/// Attempts by e2e bucket over time, with the alert's quantile when it is one of e2e.
std::optional<HeatmapPlot> E2eHeatmap(const Messages& t, const Diagnosis& diagnosis);
/// Pods waiting in the scheduler's queues.
std::optional<Plot> QueuePlot(const Messages& t, const Diagnosis& diagnosis);
/// Attempts in each column, and binding cycles in flight.
std::optional<Plot> ThroughputPlot(const Messages& t, const Diagnosis& diagnosis);
/// The two cumulative curves of an inversion, with the witness.
std::optional<Plot> InversionPlot(const Messages& t, const Diagnosis& diagnosis);
/// Measured against replayed.
std::optional<Plot> CrossCheckPlot(const Messages& t, const Diagnosis& diagnosis);

/// The numbers behind the plots over time; every n-th column so that rows stay few.
ReportTable AlertTable(const Messages& t, const Diagnosis& diagnosis);
ReportTable QueueTimesTable(const Messages& t, const Diagnosis& diagnosis);
/// Attempts by bucket, over all columns.
ReportTable BucketTable(const Messages& t, const Diagnosis& diagnosis);
ReportTable InversionTable(const Messages& t, const Diagnosis& diagnosis);
ReportTable CrossCheckTable(const Messages& t, const Diagnosis& diagnosis);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_PLOT_DATA_H_
