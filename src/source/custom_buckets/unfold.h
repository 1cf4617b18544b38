#ifndef SCHEDLENS_SOURCE_CUSTOM_BUCKETS_UNFOLD_H_
#define SCHEDLENS_SOURCE_CUSTOM_BUCKETS_UNFOLD_H_

// Native histograms with custom buckets are classic histograms in another form: buckets, sum and
// count are all there, and exact. Here they become `x_bucket`, `x_sum` and `x_count` again.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "contract/series.h"

namespace schedlens {

/// The finite bucket bounds seen of each metric that has custom buckets, by metric name.
using KnownBounds = std::map<std::string, std::set<double>, std::less<>>;

/// Adds the metrics among these series whose histograms are seen to have custom buckets, and their
/// bounds. The API does not tell custom from exponential buckets: a bucket shows it that begins at
/// zero, ends at infinity, or has an edge that no exponential bucket has.
void LearnBounds(const std::vector<Series>& series, KnownBounds* known);

/// The series with every histogram of a known metric as classic series in its place: cumulative
/// counts by `le` for every known bound that is no guess for the histogram, `_sum` and `_count`.
/// Samples that are there in classic form too are taken from it, so that nothing counts twice.
/// All other series stay as they are. In label order where anything was unfolded.
std::vector<Series> UnfoldHistograms(std::vector<Series> series, const KnownBounds& known);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_CUSTOM_BUCKETS_UNFOLD_H_
