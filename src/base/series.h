#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedlens {

/// Milliseconds since the Unix epoch: the resolution of Prometheus's own sample timestamps.
using TimeMs = std::int64_t;

/// A half-open time range; which edge is open depends on the reader (2.x and 3.x differ).
struct TimeRange {
  TimeMs start = 0, end = 0;
  double seconds() const { return static_cast<double>(end - start) / 1000.0; }
  bool operator==(const TimeRange&) const = default;
};

inline constexpr std::string_view kMetricName = "__name__";

/// A label set: names are unique and sorted, no value is empty (an empty value means absent, as in
/// Prometheus). The metric name is the label `__name__`. All text is in one block that copies
/// share, since recordings hold tens of thousands of label sets and every answer names some of
/// them.
class Labels {
 public:
  using Pair = std::pair<std::string, std::string>;
  using View = std::pair<std::string_view, std::string_view>;
  class Iterator;

  Labels() = default;
  /// Sorts; drops empty values; of equal names the last one given stays.
  explicit Labels(std::vector<View> pairs);
  explicit Labels(const std::vector<Pair>& pairs)
      : Labels(std::vector<View>(pairs.begin(), pairs.end())) {}
  Labels(std::initializer_list<View> pairs) : Labels(std::vector<View>(pairs)) {}
  /// Of pairs that are in order already, of unique names, without empty values.
  static Labels OfSorted(std::span<const View> pairs);

  /// The value, or "" if the label is absent. Views stay valid as long as the label set.
  std::string_view Get(std::string_view name) const;
  bool Has(std::string_view name) const { return !Get(name).empty(); }
  /// Returns a copy with the label set; an empty value removes it.
  Labels With(std::string_view name, std::string_view value) const;
  Labels Without(std::string_view name) const;
  Labels Without(const std::vector<std::string>& names) const;
  /// Keeps only the named labels.
  Labels Only(const std::vector<std::string>& names) const;

  bool empty() const { return packed_ == nullptr; }
  std::size_t size() const;
  /// The pairs in order, as views.
  Iterator begin() const;
  Iterator end() const;

  /// Prometheus's own order: the sorted (name, value) pairs compared bytewise.
  std::strong_ordering operator<=>(const Labels& other) const;
  bool operator==(const Labels& other) const {
    return packed_ == other.packed_ || bytes() == other.bytes();
  }
  std::size_t Hash() const { return std::hash<std::string_view>()(bytes()); }

  /// `name{a="b",c="d"}`, values escaped as in the text format; `{}` when empty.
  std::string ToString() const;

 private:
  std::string_view bytes() const { return packed_ == nullptr ? std::string_view() : *packed_; }
  Labels OnlyIf(const std::function<bool(std::string_view name)>& wanted) const;

  /// Name and value of each pair, each after its length: one byte, or 255 and four bytes. Null when
  /// there is none.
  std::shared_ptr<const std::string> packed_;
};

/// Goes through the pairs of a label set, which must outlive it.
class Labels::Iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = View;
  using difference_type = std::ptrdiff_t;
  using pointer = const View*;
  using reference = const View&;

  reference operator*() const { return pair_; }
  pointer operator->() const { return &pair_; }
  Iterator& operator++() {
    at_ = next_;
    Read();
    return *this;
  }
  bool operator==(const Iterator& other) const { return at_ == other.at_; }

 private:
  friend class Labels;
  Iterator(const char* at, const char* end) : at_(at), end_(end) { Read(); }
  void Read();

  const char* at_;  // where the pair begins; end_ after the last one
  const char* end_;
  const char* next_ = nullptr;
  View pair_;
};

inline Labels::Iterator Labels::begin() const {
  const std::string_view all = bytes();
  return {all.data(), all.data() + all.size()};
}
inline Labels::Iterator Labels::end() const {
  const std::string_view all = bytes();
  return {all.data() + all.size(), all.data() + all.size()};
}

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
  double lower = 0, upper = 0, count = 0;
  /// 0: (lower, upper]; 1: [lower, upper); 2: open on both sides; 3: closed on both sides.
  int boundaries = 0;
  bool operator==(const NativeBucket&) const = default;
};

/// Whether it can be the edge of a positive exponential bucket of the finest schema: a power of
/// 2^(2^-8), or the largest double, where the last bucket ends.
bool IsPowerEdge(double edge);

/// A native histogram at one time, as the HTTP API sends it: empty buckets are omitted.
struct NativeHistogram {
  double count = 0, sum = 0;
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

/// Brings samples of either kind into the order of time; of several at one time the first stays.
template <typename T>
void OrderByTime(std::vector<T>* samples) {
  const auto not_after = [](const T& a, const T& b) { return a.t >= b.t; };
  if (std::ranges::adjacent_find(*samples, not_after) == samples->end()) return;
  std::ranges::stable_sort(*samples, {}, &T::t);
  const auto same = [](const T& a, const T& b) { return a.t == b.t; };
  samples->erase(std::unique(samples->begin(), samples->end(), same), samples->end());
}

/// Adds the times of `samples`, in any order, to `times`, which ascend without repeats and still do
/// afterwards. Cheap where they are all there already: series of one target are scraped together.
void MergeTimes(const std::vector<Sample>& samples, std::vector<TimeMs>* times);

/// The family of a histogram's series: the name without `_bucket`, `_sum` or `_count`. Any other
/// name, and one that is nothing but such a suffix, is returned as it is.
std::string FamilyOf(std::string_view metric);

/// Whether Prometheus would take a metric of this name for a counter: its suffix is `_total`,
/// `_sum`, `_count` or `_bucket`.
bool IsCounterName(std::string_view metric);

/// The zone that times are printed in: UTC as it stands.
struct Zone {
  std::string name = {};  ///< as it was asked for; empty: UTC
  /// East of UTC, of a zone that is an offset; absent of one with a name, which is the process's.
  std::optional<int> offset_minutes = 0;
};

}  // namespace schedlens
