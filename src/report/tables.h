#ifndef SCHEDLENS_REPORT_TABLES_H_
#define SCHEDLENS_REPORT_TABLES_H_

// The tables of the Markdown and HTML reports as values. Cells are Visible text, not yet escaped
// for a format; each carries the numbers it shows, so that a page can be held against the JSON.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/diagnosis.h"
#include "report/messages/messages.h"

namespace schedlens {

struct TableCell {
  std::string text;
  std::vector<double> numbers;  ///< as the JSON has them
  int depth = 0;                ///< how far a stage is indented
};

/// Characters of a name that a table shows.
inline constexpr std::size_t kNameLimit = 120;

/// A text from outside as a cell: Visible, and shortened to `limit` characters.
TableCell NameCell(std::string_view text, std::size_t limit = kNameLimit);

struct TableColumn {
  std::string heading;
  bool right = false;  ///< numbers
};

struct ReportTable {
  std::vector<TableColumn> columns;
  std::vector<std::vector<TableCell>> rows;
};

TableCell SecondsCell(const Messages& t, std::optional<double> seconds);
TableCell CountCell(const std::optional<double>& count);
TableCell SecondsRangeCell(const Messages& t, const Interval& interval);
/// Value and proven bounds of a share.
TableCell ShareCell(const Messages& t, const std::optional<Measured>& share);

/// A row for each of several schedulers, worst first.
ReportTable UnitsTable(const Messages& t, const Diagnosis& diagnosis);
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

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_TABLES_H_
