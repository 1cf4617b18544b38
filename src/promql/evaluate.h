#pragma once

// Samples in memory, laid out for evaluation with an index of metric names, and answers from them.

#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>

#include "promql/ast.h"

namespace schedlens::promql {

/// What few series have; one series is small, as recordings hold tens of thousands.
struct SeriesExtras {
  std::span<const std::uint32_t> drops;  ///< i with values[i] < values[i - 1]
  std::span<const TimeMs> stale;         ///< times of stale markers
  std::vector<NativeSample> histograms;
};

/// One series: times and values apart (range functions walk them), stale markers taken out. Valid
/// as long as the store it is of.
struct StoredSeries {
  Labels labels;
  std::span<const TimeMs> times;  ///< may be another series' too
  std::span<const double> values;
  const SeriesExtras* extras = nullptr;  ///< never null
};

/// An immutable set of series in label order, the order in which a server's blocks give them.
class SeriesStore {
 public:
  /// Series of equal labels are merged by time (of equal times the first stays); samples need not
  /// be sorted.
  explicit SeriesStore(std::deque<Series> series);
  explicit SeriesStore(std::vector<Series> series);

  /// Series that all matchers accept, in label order.
  std::vector<const StoredSeries*> Select(const std::vector<Matcher>& matchers) const;

  const std::deque<StoredSeries>& series() const { return series_; }
  /// First and last sample time, nothing without samples.
  std::optional<TimeRange> Extent() const;

 private:
  using Ids = std::vector<std::uint32_t>;

  struct Parts;

  void Add(Series&& series, Parts* room);
  /// Of these series of one name those that have the value, where it is worth to know them: a
  /// label of many series is indexed when it has been asked for several times.
  const Ids* Having(const std::string& name, const Ids& ids, const Matcher& matcher) const;

  std::deque<std::vector<TimeMs>> times_;
  std::deque<std::vector<double>> values_;
  std::deque<std::vector<std::uint32_t>> drops_;
  std::deque<SeriesExtras> extras_;
  std::deque<StoredSeries> series_;
  std::map<std::string, Ids> by_name_;  ///< by metric name, "" where there is none; ids ascending

  struct ByValue {
    std::size_t asked = 0;
    std::unordered_map<std::string_view, Ids> ids;
  };
  mutable std::mutex mutex_;  ///< guards what follows
  mutable std::map<std::pair<std::string, std::string>, ByValue> by_label_;  ///< of name and label
};

/// How far back an instant selector looks for a sample.
inline constexpr std::int64_t kLookbackMs = 5 * 60 * 1000;

struct EvaluateOptions {
  Semantics semantics;
};

/// Answers the query over the store as the server of `options.semantics` would: values to the bit,
/// series in its order (instant vectors as they come, matrices by label), annotations in its words.
/// Throws Error(kUsage) for a text outside the dialect or a function that version does not know,
/// Error(kFailed) for what the server itself refuses (many-to-many matches, equal label sets).
Answer Evaluate(const SeriesStore& store, const Query& query, const EvaluateOptions& options);

}  // namespace schedlens::promql
