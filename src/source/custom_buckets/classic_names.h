#ifndef SCHEDLENS_SOURCE_CUSTOM_BUCKETS_CLASSIC_NAMES_H_
#define SCHEDLENS_SOURCE_CUSTOM_BUCKETS_CLASSIC_NAMES_H_

// The names of classic histograms' series in selectors, and the metrics that they are of.

#include <string>
#include <string_view>
#include <vector>

#include "promql/ast.h"

namespace schedlens {

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

#endif  // SCHEDLENS_SOURCE_CUSTOM_BUCKETS_CLASSIC_NAMES_H_
