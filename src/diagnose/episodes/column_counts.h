#pragma once

// What was counted, column by column: plain arrays on one time axis, that a partition of time and
// its judgement work on.

#include "diagnose/breakdown/time_breakdown.h"

namespace schedlens {

/// Counts of some kinds in each column, finite and not negative.
class CountTable {
 public:
  CountTable() = default;
  CountTable(std::size_t columns, std::size_t kinds) : kinds_(kinds), counts_(columns * kinds) {}
  std::size_t kinds() const { return kinds_; }
  std::size_t columns() const { return kinds_ == 0 ? 0 : counts_.size() / kinds_; }
  std::span<const double> Row(std::size_t column) const {
    return {counts_.data() + column * kinds_, kinds_};
  }
  /// What is no count of anything (NaN, negative, 2^53 and more) adds nothing.
  void Add(std::size_t column, std::size_t kind, double count);
  void Set(std::size_t column, std::size_t kind, double count);
  /// Of the columns [first, last), by kind.
  std::vector<double> Sum(std::size_t first, std::size_t last) const;
  double Total() const;

 private:
  std::size_t kinds_ = 0;
  std::vector<double> counts_;
};

struct ColumnCounts {
  std::vector<TimeMs> edges;  ///< ascending; one more than columns
  double period = 0;          ///< usual seconds between scrapes
  /// Seconds, ascending, +Inf last where the data has it; empty without a histogram.
  std::vector<double> pod_bounds, attempt_bounds;
  CountTable pods;        ///< bound pods by what they waited in all
  CountTable attempts;    ///< scheduled attempts by what they took
  CountTable results;     ///< attempts: scheduled, unschedulable, any other
  CountTable waiting;     ///< pods in the active, backoff and unschedulable queue at its end
  bool has_pods = false;  ///< some pod is in `pods`
  std::vector<bool> nobody_here;  ///< no instance answers in it, or none leads
  std::vector<TimeMs> starts;     ///< ascending; when processes of any target started

  std::size_t columns() const { return edges.empty() ? 0 : edges.size() - 1; }
  double Seconds(std::size_t first, std::size_t last) const {
    return static_cast<double>(edges[last] - edges[first]) / 1000;
  }
  /// Seconds that an episode lasts at least, but for the jitter of scrapes: a minute, three
  /// scrapes.
  double LeastSeconds() const { return std::max(60.0, 3 * period) - 1; }
  /// The pods' waits, or the attempts' where no pod's was counted.
  const CountTable& Waits() const { return has_pods ? pods : attempts; }
  const std::vector<double>& WaitBounds() const { return has_pods ? pod_bounds : attempt_bounds; }
};

/// The counts of all schedulers in `range`, a column from each scrape of the one that was scraped
/// most to its next (before and after its scrapes of others), about 6000 at most. Where scrapes are
/// missing columns go on at the usual interval; what was counted over such a gap is in its last
/// one. Attempts of which only sums are known count at the mean of their scrape interval. No
/// columns with fewer than two scrapes in the range.
ColumnCounts CountColumns(const Facts& facts, const Histograms& histograms, const TimeRange& range);

/// The columns [first, last) alone.
ColumnCounts SliceColumns(const ColumnCounts& all, std::size_t first, std::size_t last);

/// The first edge at or after `at`, up to half a second before it; the last edge where none is.
std::size_t EdgeAt(const ColumnCounts& counts, TimeMs at);

// Where it changed: time cut into segments that each look like one state.

/// The partition of the greatest Dirichlet-multinomial likelihood (prior 1/2 a bucket that occurs)
/// of waits, results and pods bound beside those that wait, less a price of ln(columns) + 1 a
/// segment; each family's likelihood is divided by its dispersion. Columns in which nobody answers
/// or leads share a segment with no others. By dynamic programming, quadratic in columns: more than
/// 240 are cut coarsely first, then finer around each edge. The first column of each segment, and
/// the number of columns; {0} without columns.
std::vector<std::size_t> PartitionColumns(const ColumnCounts& counts);

/// The median Pearson chi-square a degree of freedom of neighbouring columns with at least 20
/// counts each, over 0.9 (about the median of chance alone); at least 1, and 1 with fewer than four
/// such pairs.
double DispersionOf(const CountTable& table);

}  // namespace schedlens
