#ifndef SCHEDLENS_STATS_HISTOGRAM_SERIES_H_
#define SCHEDLENS_STATS_HISTOGRAM_SERIES_H_

// Classic histograms as they were scraped, per series.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contract/message.h"
#include "contract/series.h"

namespace schedlens {

/// One histogram child (one label set without `le`): cumulative counts at each scrape that has all
/// of its buckets. A scrape where a bucket is missing is left out. Where a release changed the
/// bounds, it is of those that are there before and after.
struct HistogramSeries {
  Labels labels;                   // without __name__ and le
  std::string family;              // the metric's name without _bucket; may be empty
  std::size_t target = 0;          // which of the caller's scraped processes it is of
  std::vector<double> bounds;      // ascending; +Inf last unless the data lacks it
  std::vector<TimeMs> times;       // ascending
  std::vector<double> cumulative;  // times.size() rows of bounds.size()
  std::vector<double> sums;        // NaN where `_sum` has no sample at that time
  std::vector<double> counts;      // `_count`, NaN likewise

  std::span<const double> Row(std::size_t i) const {
    return {cumulative.data() + i * bounds.size(), bounds.size()};
  }
};

struct GroupedHistograms {
  std::vector<HistogramSeries> children;  ///< sorted by labels
  std::vector<Message> warnings;          ///< one for each oddity: a bad `le`, a torn scrape
};

/// Groups the samples of FAMILY_bucket, _sum and _count by label set. `le` is read as a number and
/// equal bounds are added. Series of other names are ignored.
GroupedHistograms GroupHistograms(std::span<const Series> series, std::string_view family);

/// Whether cumulative counts can be those of one histogram: not negative, below 2^53, never
/// falling from one bound to the next.
bool WholeRow(std::span<const double> cumulative);

}  // namespace schedlens

#endif  // SCHEDLENS_STATS_HISTOGRAM_SERIES_H_
