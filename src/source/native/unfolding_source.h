#pragma once

#include <map>
#include <set>

#include "promql/ast.h"

namespace schedlens {

/// A server or a capture that may keep histograms as native ones alone and then answers questions
/// about `x_bucket`, `x_sum` and `x_count` with nothing: classic ones with custom buckets
/// (`convert_classic_histograms_to_nhcb`), or exponential ones that the process exposes. Where a
/// histogram comes back empty, one more question tells whether it is there in native form; if so,
/// raw questions are answered with its classic series, and all other expressions are evaluated here
/// over the raw samples. A metric that is kept in both forms is read in its classic form. Questions
/// that name no series of a classic histogram are passed on as they are. Throws what the server
/// throws.
std::unique_ptr<Source> NewUnfoldingSource(std::unique_ptr<Source> server);

// Native histograms are classic histograms in another form: sum, count, and the counts up to the
// edges of their buckets are all there, and exact. Here they become `x_bucket`, `x_sum` and
// `x_count`.

/// The finite bucket bounds seen of each metric that is to be unfolded, by metric name.
using KnownBounds = std::map<std::string, std::set<double>, std::less<>>;

/// Adds the metrics among these series whose histograms are seen to have custom buckets, and their
/// bounds. The API does not tell custom from exponential buckets: a bucket shows it that begins at
/// zero, ends at infinity, or has an edge that no exponential bucket has. Of the metrics that are
/// known already all bounds are added, whatever their buckets are.
void LearnBounds(const std::vector<Series>& series, KnownBounds* known);

/// The series with every histogram of a known metric as classic series in its place: cumulative
/// counts by `le` for every known bound that is no guess for the histogram, `_sum` and `_count`.
/// Samples that are there in classic form too are taken from it, so that nothing counts twice.
/// All other series stay as they are. In label order where anything was unfolded.
std::vector<Series> UnfoldHistograms(std::vector<Series> series, const KnownBounds& known);

/// The bounds that are a guess for none of these series' histograms: with them the unfolded buckets
/// of several series, of whatever resolution, can be added up by `le`.
KnownBounds CommonBounds(const std::vector<Series>& series, KnownBounds known);

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

// Which histograms a server keeps as native ones only, of some process or at some time.

class FoldedMetrics {
 public:
  /// Asks the server, within the range, for those of these names (as NamesOfHistograms gives them)
  /// that were not asked for before: one question, none when all were. A server that refuses it
  /// has none of them.
  void Find(Source& server, const std::set<std::string>& names, const TimeRange& range);

  /// The found metrics whose classic series the selector means, in order of their names.
  std::vector<std::string> MeantBy(const promql::Selector& selector) const;

  /// The found metrics that have no classic buckets of any process any more.
  const std::set<std::string>& native_only() const { return native_only_; }
  /// Whether the histograms of the series have exponential buckets. Their edges are exact bounds
  /// too, but the classic series are another form, and do not take the histograms' place.
  bool IsExponential(const Series& series) const;

  bool any() const { return !found_.empty(); }
  KnownBounds& bounds() { return bounds_; }

 private:
  void Learn(const Answer& answer);

  std::set<std::string> asked_;
  std::set<std::string> found_, native_only_;
  std::set<std::string, std::less<>> exponential_;
  KnownBounds bounds_;
};

// Which raw samples an expression reads.

/// A selector without its range, offset and `@`, and the times between which it is read.
struct RawReading {
  promql::Selector selector;
  TimeRange range;
};

/// What each selector of the expression reads when the query asks for it: windows, subqueries,
/// offsets and the lookback of instant selectors (`lookback_ms`) are in the ranges.
std::vector<RawReading> ReadingsOf(const promql::Expr& expr, const Query& query,
                                   std::int64_t lookback_ms);

Query RawQuestion(const RawReading& reading);

}  // namespace schedlens
