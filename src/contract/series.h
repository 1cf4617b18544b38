#ifndef SCHEDLENS_CONTRACT_SERIES_H_
#define SCHEDLENS_CONTRACT_SERIES_H_

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedlens {

/// Milliseconds since the Unix epoch: the resolution of Prometheus's own sample timestamps.
using TimeMs = std::int64_t;

/// A half-open stretch of time; which edge is open is the reader's question (2.x and 3.x differ).
struct TimeRange {
  TimeMs start = 0;
  TimeMs end = 0;
  double seconds() const { return static_cast<double>(end - start) / 1000.0; }
  bool operator==(const TimeRange&) const = default;
};

inline constexpr std::string_view kMetricName = "__name__";

/// A label set: names are unique and sorted, no value is empty (an empty value means absent, as in
/// Prometheus). The metric name is the label `__name__`.
class Labels {
 public:
  using Pair = std::pair<std::string, std::string>;

  Labels() = default;
  /// Sorts; drops empty values; of equal names the last one given stays.
  explicit Labels(std::vector<Pair> pairs);
  Labels(std::initializer_list<Pair> pairs) : Labels(std::vector<Pair>(pairs)) {}

  /// The value, or "" if the label is absent.
  std::string_view Get(std::string_view name) const;
  bool Has(std::string_view name) const { return !Get(name).empty(); }
  /// Returns a copy with the label set; an empty value removes it.
  Labels With(std::string_view name, std::string_view value) const;
  Labels Without(std::string_view name) const;
  Labels Without(const std::vector<std::string>& names) const;
  /// Keeps only the named labels.
  Labels Only(const std::vector<std::string>& names) const;

  bool empty() const { return pairs_.empty(); }
  std::size_t size() const { return pairs_.size(); }
  auto begin() const { return pairs_.begin(); }
  auto end() const { return pairs_.end(); }

  /// Prometheus's own order: the sorted (name, value) pairs compared bytewise.
  auto operator<=>(const Labels&) const = default;
  bool operator==(const Labels&) const = default;

  /// `name{a="b",c="d"}`, values escaped as in the text format; `{}` when empty.
  std::string ToString() const;

 private:
  std::vector<Pair> pairs_;
};

struct Sample {
  TimeMs t = 0;
  double v = 0;
  bool operator==(const Sample&) const = default;
};

/// The bit pattern of Prometheus's stale marker: a NaN that means "the series ended here".
bool IsStaleMarker(double v);
double StaleMarker();

/// One bucket of a native histogram as the HTTP API sends it.
struct NativeBucket {
  double lower = 0;
  double upper = 0;
  double count = 0;
  /// 0: (lower, upper]; 1: [lower, upper); 2: open on both sides; 3: closed on both sides.
  int boundaries = 0;
  bool operator==(const NativeBucket&) const = default;
};

/// A native histogram at one time, as the HTTP API sends it: empty buckets are omitted.
struct NativeHistogram {
  double count = 0;
  double sum = 0;
  std::vector<NativeBucket> buckets;
  bool operator==(const NativeHistogram&) const = default;
};

struct NativeSample {
  TimeMs t = 0;
  NativeHistogram h;
  bool operator==(const NativeSample&) const = default;
};

/// A label set and its samples in ascending time order, at most one a timestamp.
struct Series {
  Labels labels;
  std::vector<Sample> samples;
  std::vector<NativeSample> histograms;  // empty for every float series
};

}  // namespace schedlens

#endif  // SCHEDLENS_CONTRACT_SERIES_H_
