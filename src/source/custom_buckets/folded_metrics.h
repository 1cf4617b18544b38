#ifndef SCHEDLENS_SOURCE_CUSTOM_BUCKETS_FOLDED_METRICS_H_
#define SCHEDLENS_SOURCE_CUSTOM_BUCKETS_FOLDED_METRICS_H_

// Which classic histograms a server keeps as native ones only.

#include <set>
#include <string>
#include <vector>

#include "contract/source.h"
#include "promql/ast.h"
#include "source/custom_buckets/unfold.h"

namespace schedlens {

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

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_CUSTOM_BUCKETS_FOLDED_METRICS_H_
