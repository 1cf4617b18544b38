#ifndef SCHEDLENS_ANALYSIS_COMPARE_RATES_H_
#define SCHEDLENS_ANALYSIS_COMPARE_RATES_H_

// What the server's own expressions show for the two sides of a comparison: what an alert sees.

#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/compare.h"
#include "contract/message.h"

namespace schedlens {

struct Rates {
  /// The highest series of each, at the window's end; absent without one, and for a lifetime.
  std::optional<double> part, whole;
  bool repaired = false;  ///< the server made falling counts monotonic and said so
  std::vector<Message> notes;
  std::vector<std::string> queries;
};

/// Asks both expressions, aggregations around the quantile included and comparisons left out; for a
/// metric the one it stands for. Throws what the source throws.
Rates AskRates(Source& source, const CompareRequest& request);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_COMPARE_RATES_H_
