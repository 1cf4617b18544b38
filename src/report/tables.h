#pragma once

// The tables of the reports. Each cell carries the numbers it shows.

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/diagnosis.h"
#include "contract/report.h"
#include "report/messages/messages.h"
#include "report/section.h"

namespace schedlens {

/// Characters of a name that a table shows.
inline constexpr std::size_t kNameLimit = 120;

/// A table's columns: texts, numbers, and texts behind them. A heading is a message's id, or as it
/// is without a dot. On a terminal those behind the fourth go first where it is narrow.
ReportTable Columns(const Messages& t, std::initializer_list<std::string> left,
                    std::initializer_list<std::string> right = {},
                    std::initializer_list<std::string> more = {});

/// A text from outside as a cell: Visible, and shortened to `limit` characters.
TableCell NameCell(std::string_view text, std::size_t limit = kNameLimit);
TableCell SecondsCell(const Messages& t, std::optional<double> seconds);
TableCell CountCell(std::optional<double> count);
TableCell PercentCell(const Messages& t, std::optional<double> fraction);
TableCell SecondsRangeCell(const Messages& t, const Interval& interval);
/// Value and proven bounds of a share.
TableCell ShareCell(const Messages& t, const std::optional<Measured>& share);
/// The verdict's word in its colour.
TableCell VerdictCell(const Messages& t, Verdict verdict);
/// Of an incident that is below its alert's threshold another one.
TableCell VerdictCell(const Messages& t, const Diagnosis& diagnosis);

/// A row for each of several schedulers, worst first, at most `most`.
ReportTable UnitsTable(const Messages& t, const Diagnosis& diagnosis, std::size_t most = 10'000);
ReportTable StagesTable(const Messages& t, const Diagnosis& diagnosis);
/// What each stage can be of the slowest attempts; without a row where nothing is known of them.
ReportTable TailTable(const Messages& t, const Diagnosis& diagnosis);
ReportTable ResultsTable(const Messages& t, const Diagnosis& diagnosis);
ReportTable QueueTable(const Messages& t, const Diagnosis& diagnosis);
ReportTable QuantilesTable(const Messages& t, const Diagnosis& diagnosis);
/// Why each quantile is what it is.
ReportTable ReasonsTable(const Messages& t, const Diagnosis& diagnosis);
/// Which rows of each extension point.
struct PluginRows {
  int from = 0;  ///< how many of the first to leave out
  int most = 0;  ///< how many after them, 0 for all
};
ReportTable PluginsTable(const Messages& t, const Diagnosis& diagnosis, PluginRows which = {});
/// Measured against replayed quantiles; empty without a cross-check.
ReportTable PredictedTable(const Messages& t, const Diagnosis& diagnosis);

/// Workloads that waited too long, or wait still, hit hardest first; at most `most` of them. Empty
/// without an incident.
ReportTable ImpactTable(const Messages& t, const Diagnosis& diagnosis, std::size_t most = 10);
/// Pods and attempts over the threshold and what the pods waited more, by the schedulers' own
/// histograms, and how long the alert stood above it; empty where none was over it.
std::vector<std::string> ImpactTotals(const Messages& t, const Diagnosis& diagnosis);
/// The same in one paragraph.
std::string ImpactTotal(const Messages& t, const Diagnosis& diagnosis);
/// The totals, and what the table cannot know. Empty without an incident.
std::vector<std::string> ImpactSentences(const Messages& t, const Diagnosis& diagnosis,
                                         std::size_t most = 10);

/// Load is compared over whole windows.
bool HasTimeOfItsOwn(const ClusterChange& change);
/// What changed, and of what.
std::string ChangeText(const Messages& t, const ClusterChange& change);
ReportTable ChangesTable(const Messages& t, const Diagnosis& diagnosis);
/// A row of that table as one line.
std::string ChangeLine(const Messages& t, const std::vector<TableCell>& row);

// Two diagnoses side by side.

/// A column for each side: source, window, verdict, what is shown and proven, attempts.
ReportTable SidesTable(const Messages& t, const Against& against);
/// Milliseconds a scheduled pod by stage, and how they changed.
ReportTable AgainstStagesTable(const Messages& t, const Against& against);
/// What is new, kept and gone, with its confidence and share of the time on both sides.
ReportTable AgainstFindingsTable(const Messages& t, const Against& against);

// Many diagnoses, one for each value of a label.

/// The heading over what the alerts show: the alert's, or the default question's.
std::string ShownHeading(const Messages& t, const SplitDiagnosis& split);
/// A line for each part.
ReportTable SplitTable(const Messages& t, const SplitDiagnosis& split);

}  // namespace schedlens
