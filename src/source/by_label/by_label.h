#ifndef SCHEDLENS_SOURCE_BY_LABEL_BY_LABEL_H_
#define SCHEDLENS_SOURCE_BY_LABEL_BY_LABEL_H_

// One source of many schedulers, split by a label: what a diagnosis asks is asked once for all
// values together, added up on the server, and cut apart here.

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "contract/source.h"

namespace schedlens {

struct LabelPlan {
  std::string label;
  std::string selector;  ///< matchers without braces; may be empty
  TimeRange range;
  std::optional<TimeRange> window;  ///< columns of time meet its edges
  std::int64_t step_ms = 0;         ///< wanted column width; 0: by the number of values
  std::set<std::string> kept;       ///< labels kept in addition to those of measurements
  /// Expressions that the server itself evaluates at every column; each must keep the label.
  std::vector<std::string> expressions;
};

/// The schedulers of one value, as a source of their own. Its samples are sums over processes at
/// the edges of columns. A column in which a process came, went or restarted among others has no
/// increase: what it holds cannot be told from sums; a warning of the source counts such columns.
struct LabelSlice {
  std::string value;  ///< empty: series without the label
  std::unique_ptr<Source> source;
  std::vector<TimeRange> lost;  ///< columns without an increase, in order
};

/// Slices in the order of their values. The number of questions does not depend on how many there
/// are. Throws Error(kUsage) when schedulers are there but none has the label; none at all without
/// schedulers; what the source throws.
std::vector<LabelSlice> SplitByLabel(Source& source, const QuerySet& queries,
                                     const LabelPlan& plan);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_BY_LABEL_BY_LABEL_H_
