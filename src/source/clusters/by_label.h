#pragma once

#include <map>

#include "base/source.h"

namespace schedlens {

// What one part of a larger source was answered, as a source of its own.

/// The times at which expressions were asked: start, start + step, ..., end.
struct AskedTimes {
  TimeMs start = 0;
  std::int64_t step_ms = 1;
  TimeMs end = 0;
};

/// Answers from samples in memory; but an expression that the larger source has answered at the
/// asked times (word for word, instant at one of these times, or ranged) with that answer: ranged
/// ones keep the asked times, whatever their own step.
std::unique_ptr<Source> NewLabelSlice(std::vector<Series> series, SourceInfo info,
                                      std::map<std::string, std::vector<Series>> expressions,
                                      AskedTimes asked);

// A store that keeps the samples of both replicas of an HA pair of Prometheus has every process
// twice, told apart by a label that nobody but the pair knows. Sums over processes would count
// every attempt twice.

struct OneReplica {
  std::string label, value;   ///< the matcher that leaves every process once
  std::size_t processes = 0;  ///< how many are there more than once
};

/// By the start times of the schedulers' processes, asked in one question: the label, of those that
/// tell no processes apart, without which series fall together that have all other labels and the
/// start in common. Nothing where there is no such label, where no one of its values has every
/// process, or where the start times are not there. `selector`: matchers without braces. Throws
/// what the source throws.
std::optional<OneReplica> FindOneReplica(Source& source, const std::string& selector,
                                         const TimeRange& range);

// One source of many schedulers, split by a label: what a diagnosis asks is asked once for all
// values together, added up on the server, and cut apart here.

struct LabelPlan {
  std::string label;
  std::string selector;  ///< matchers without braces; may be empty
  TimeRange range;
  std::optional<TimeRange> window;  ///< columns of time meet its edges
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

// Questions and alert expressions reworded so that a server adds up over processes and keeps one
// label apart.

/// What a question for raw samples becomes: `m{...}[w]` is `sum by (labels, __name__) (m{...})`;
/// `max` for a gauge, since standby processes hold queues and caches too. A question
/// that counts already keeps `label` as well. Throws Error(kUsage) when the text does not parse.
std::string Aggregated(std::string_view question, std::string_view label,
                       const std::set<std::string>& labels);

/// The expression with the label in the result of each of its aggregations. Throws as above.
std::string KeepingLabel(std::string_view expression, const std::string& label);

/// Names of the labels that the expression's matchers and `by` clauses mention.
std::set<std::string> LabelsOf(std::string_view expression);

// Counters that a server summed over processes. When one of several processes restarts, the sum
// falls although most of it goes on: taken for a reset, all of it would be counted again.

/// `times` are the column edges of all series, ascending, and `processes` how many processes each
/// edge's sums cover (same length). Where that number changed since the edge before, or a counter
/// of several processes fell, no counter keeps its increase: later samples move down (or up) so
/// that it is zero. Returns the columns that met, in order. A single process is left as it is: its
/// resets are what they seem.
std::vector<TimeRange> DropBrokenColumns(const std::vector<TimeMs>& times,
                                         const std::vector<double>& processes,
                                         std::vector<Series>& counters);

}  // namespace schedlens
