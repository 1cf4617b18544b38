#pragma once

// The plots of a diagnosis as values, and the numbers behind them. html/svg.cc draws them.

#include <optional>
#include <vector>

#include "base/series.h"
#include "contract/diagnosis.h"
#include "report/messages/messages.h"
#include "report/section.h"

namespace schedlens {

/// About `count` round ticks from `low` to `high`, labelled as seconds.
std::vector<Tick> SecondsTicks(const Messages& t, double low, double high, int count);
/// About `count` round times of day; the axis is in unix seconds.
std::vector<Tick> TimeTicks(double low, double high, int count, const Zone& zone = {});
/// About `count` round whole numbers.
std::vector<Tick> CountTicks(double low, double high, int count);

/// Attempts by column and e2e bucket, for a heatmap: neighbouring columns are added up to at most
/// `most`; of the buckets those between the first and the last that any attempt fell into.
struct HeatCells {
  std::size_t first = 0, rows = 0;  ///< no rows without an attempt
  std::vector<std::vector<double>> cells;
};
HeatCells HeatCellsOf(const Timeline& timeline, int most);

// The plots of a diagnosis; each is absent where there is nothing to draw.

/// The alert's value with its proven band and threshold.
std::optional<Plot> AlertPlot(const Messages& t, const Diagnosis& diagnosis);
/// Attempts by e2e bucket over time, with the alert's quantile when it is one of e2e.
std::optional<Plot> E2eHeatmap(const Messages& t, const Diagnosis& diagnosis);
/// Pods waiting in the scheduler's queues.
std::optional<Plot> QueuePlot(const Messages& t, const Diagnosis& diagnosis);
/// Attempts in each column, and binding cycles in flight.
std::optional<Plot> ThroughputPlot(const Messages& t, const Diagnosis& diagnosis);
/// The two cumulative curves of an inversion, with the witness.
std::optional<Plot> InversionPlot(const Messages& t, const Diagnosis& diagnosis);
/// Measured against replayed.
std::optional<Plot> CrossCheckPlot(const Messages& t, const Diagnosis& diagnosis);
/// The scrapes that the timeline's columns end at, and the changes that have a time of their own
/// and may lie within the timeline, ascending. A change that is proven to have come after the
/// window's first scrape with slow attempts is late.
PlotMarks MarksOf(const Messages& t, const Diagnosis& diagnosis);

// The numbers behind them; over time every n-th column, so that rows stay few.

ReportTable AlertTable(const Messages& t, const Diagnosis& diagnosis);
ReportTable QueueTimesTable(const Messages& t, const Diagnosis& diagnosis);
/// Attempts by bucket, over all columns.
ReportTable BucketTable(const Messages& t, const Diagnosis& diagnosis);
ReportTable InversionTable(const Messages& t, const Diagnosis& diagnosis);
ReportTable CrossCheckTable(const Messages& t, const Diagnosis& diagnosis);

}  // namespace schedlens
