#ifndef SCHEDLENS_SOURCE_CUSTOM_BUCKETS_READINGS_H_
#define SCHEDLENS_SOURCE_CUSTOM_BUCKETS_READINGS_H_

// Which raw samples an expression reads.

#include <vector>

#include "contract/source.h"
#include "promql/ast.h"

namespace schedlens {

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

#endif  // SCHEDLENS_SOURCE_CUSTOM_BUCKETS_READINGS_H_
