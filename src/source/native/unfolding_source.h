#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/source.h"
#include "promql/ast.h"
#include "source/native/unfold.h"

namespace schedlens {

/// A server that may keep classic histograms as native ones with custom buckets alone
/// (`convert_classic_histograms_to_nhcb`) and then answers questions about `x_bucket`, `x_sum` and
/// `x_count` with nothing. Where a histogram comes back empty, one more question tells whether it
/// is there in native form; if so, raw questions are answered with its classic series, and all
/// other expressions are evaluated here over the raw samples. A metric that is kept in both forms
/// is read in its classic form. Questions that name no series of a classic histogram are passed on
/// as they are. Throws what the server throws.
std::unique_ptr<Source> NewUnfoldingSource(std::unique_ptr<Source> server);

// Which classic histograms a server keeps as native ones only.

class FoldedMetrics {
 public:
  /// Asks the server, within the range, for those of these names (as NamesOfHistograms gives them)
  /// that were not asked for before: one question, none when all were. A server that refuses it
  /// has none of them.
  void Find(Source& server, const std::set<std::string>& names, const TimeRange& range);

  /// The found metrics whose classic series the selector means, in order of their names.
  std::vector<std::string> MeantBy(const promql::Selector& selector) const;

  /// Whether any was found.
  bool any() const { return !found_.empty(); }
  KnownBounds& bounds() { return bounds_; }

 private:
  void Learn(const Answer& answer);

  std::set<std::string> asked_;
  std::set<std::string> found_;
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

/// The question for the raw samples of a reading.
Query RawQuestion(const RawReading& reading);

}  // namespace schedlens
