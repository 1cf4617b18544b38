#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/series.h"
#include "promql/ast.h"

namespace schedlens {

// Native histograms with custom buckets are classic histograms in another form: buckets, sum and
// count are all there, and exact. Here they become `x_bucket`, `x_sum` and `x_count` again.

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

// The names of classic histograms' series in selectors, and the metrics that they are of.

/// The metric of `x_bucket`, `x_sum` and `x_count`; empty for other names.
std::string FamilyOfClassic(std::string_view name);

/// A regular expression of metric names that accepts the metric and the classic series of every
/// histogram that the selector may mean: `x(_bucket|_sum|_count)?` for `x_count`. It may accept
/// others too. Empty where the selector names its metrics and none of them can be a series of a
/// classic histogram.
std::string NamesOfHistograms(const promql::Selector& selector);

/// Whether the selector means a series of this metric in classic form, whatever its labels.
bool MeansClassic(const promql::Selector& selector, std::string_view metric);

/// The selector for the native form of these metrics (at least one): their names instead of the
/// selector's, and no `le`. Matchers of other labels stay; range and modifiers do too.
promql::Selector NativeForm(const promql::Selector& selector,
                            const std::vector<std::string>& metrics);

}  // namespace schedlens
