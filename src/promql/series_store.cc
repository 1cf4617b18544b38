// Samples in memory, with an index of metric names.

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "base/work_budget.h"
#include "promql/evaluate.h"
#include "promql/matcher.h"

namespace schedlens::promql {

/// The samples of one series on their way into the store.
struct SeriesStore::Parts {
  std::vector<TimeMs> times, stale;
  std::vector<double> values;
  std::vector<std::uint32_t> drops;
};

namespace {

/// A copy that stays where it is as long as what it is kept in.
template <class T>
std::span<const T> Keep(std::deque<std::vector<T>>& all, const std::vector<T>& values) {
  if (values.empty()) return {};
  return all.emplace_back(values);
}

bool AllAccept(std::vector<CompiledMatcher>& matchers, const auto& tested) {
  return std::all_of(matchers.begin(), matchers.end(),
                     [&](CompiledMatcher& matcher) { return matcher.Accepts(tested); });
}

/// Takes stale markers and second samples of one time out of sorted samples.
void Split(const std::vector<Sample>& samples, auto* parts) {
  parts->times.clear();
  parts->stale.clear();
  parts->values.clear();
  parts->drops.clear();
  bool first = true;
  TimeMs before = 0;
  for (const Sample& sample : samples) {
    if (!first && sample.t == before) continue;
    first = false;
    before = sample.t;
    if (IsStaleMarker(sample.v)) {
      parts->stale.push_back(sample.t);
      continue;
    }
    if (!parts->values.empty() && sample.v < parts->values.back()) {
      parts->drops.push_back(static_cast<std::uint32_t>(parts->values.size()));
    }
    parts->times.push_back(sample.t);
    parts->values.push_back(sample.v);
  }
}

}  // namespace

void SeriesStore::Add(Series&& series, Parts* room) {
  Parts& parts = *room;
  std::vector<Sample>& samples = series.samples;
  const auto earlier = [](const Sample& a, const Sample& b) { return a.t < b.t; };
  if (!std::is_sorted(samples.begin(), samples.end(), earlier)) {
    std::stable_sort(samples.begin(), samples.end(), earlier);
  }
  Split(samples, &parts);
  samples = {};  // both forms of all series would take twice the memory
  // What one process shows is mostly of the same times.
  const bool same_times =
      !series_.empty() && std::equal(parts.times.begin(), parts.times.end(),
                                     series_.back().times.begin(), series_.back().times.end());
  const std::span<const TimeMs> times =
      same_times ? series_.back().times : Keep(times_, parts.times);
  static const SeriesExtras kNone;
  const SeriesExtras* extras = &kNone;
  if (!parts.drops.empty() || !parts.stale.empty() || !series.histograms.empty()) {
    extras = &extras_.emplace_back(SeriesExtras{
        Keep(drops_, parts.drops), Keep(times_, parts.stale), std::move(series.histograms)});
  }
  series_.push_back({std::move(series.labels), times, Keep(values_, parts.values), extras});
}

SeriesStore::SeriesStore(std::vector<Series> series)
    : SeriesStore(std::deque<Series>(std::move_iterator(series.begin()),
                                     std::move_iterator(series.end()))) {}

SeriesStore::SeriesStore(std::deque<Series> series) {
  const auto before = [](const Series& a, const Series& b) { return a.labels < b.labels; };
  // Recordings mostly are in this order.
  if (!std::is_sorted(series.begin(), series.end(), before)) {
    std::stable_sort(series.begin(), series.end(), before);
  }
  Parts parts;
  while (!series.empty()) {
    Series merged = std::move(series.front());
    // What is in the store is let go of at once.
    series.pop_front();
    for (; !series.empty() && series.front().labels == merged.labels; series.pop_front()) {
      const Series& other = series.front();
      merged.samples.insert(merged.samples.end(), other.samples.begin(), other.samples.end());
      merged.histograms.insert(merged.histograms.end(), other.histograms.begin(),
                               other.histograms.end());
    }
    std::stable_sort(merged.histograms.begin(), merged.histograms.end(),
                     [](const NativeSample& a, const NativeSample& b) { return a.t < b.t; });
    Add(std::move(merged), &parts);
  }
  Ids* ids = nullptr;
  std::string_view last;
  for (std::uint32_t id = 0; id < series_.size(); ++id) {
    const std::string_view name = series_[id].labels.Get(kMetricName);
    if (ids == nullptr || name != last) ids = &by_name_[std::string(name)];
    last = name;
    ids->push_back(id);
  }
}

const SeriesStore::Ids* SeriesStore::Having(const std::string& name, const Ids& ids,
                                            const Matcher& matcher) const {
  constexpr std::size_t kMany = 100, kOften = 4;
  static const Ids kNone;
  if (matcher.op != MatchOp::kEqual || matcher.value.empty() || ids.size() < kMany) return nullptr;
  const std::lock_guard<std::mutex> lock(mutex_);
  ByValue& index = by_label_[{name, matcher.name}];
  if (++index.asked < kOften) return nullptr;
  if (index.asked == kOften) {
    for (const std::uint32_t id : ids) {
      index.ids[series_[id].labels.Get(matcher.name)].push_back(id);
    }
  }
  const auto found = index.ids.find(matcher.value);
  return found == index.ids.end() ? &kNone : &found->second;
}

std::vector<const StoredSeries*> SeriesStore::Select(const std::vector<Matcher>& matchers) const {
  std::vector<CompiledMatcher> of_name;
  std::vector<CompiledMatcher> others;
  std::vector<std::string> names;  // the only ones that can be accepted, if there are any
  for (const Matcher& matcher : matchers) {
    CompiledMatcher compiled(matcher);
    if (compiled.OfName() && matcher.op == MatchOp::kEqual) names = {matcher.value};
    if (compiled.OfName() && compiled.Accepted() != nullptr) names = *compiled.Accepted();
    (compiled.OfName() ? of_name : others).push_back(std::move(compiled));
  }
  Ids ids;
  const auto select = [&](const auto& entry) {
    CheckBudget();
    if (!AllAccept(of_name, std::string_view(entry.first))) return;
    const Ids* fewest = &entry.second;
    for (const Matcher& matcher : matchers) {
      if (matcher.name == kMetricName) continue;
      const Ids* having = Having(entry.first, entry.second, matcher);
      if (having != nullptr && having->size() < fewest->size()) fewest = having;
    }
    for (const std::uint32_t id : *fewest) {
      if (AllAccept(others, series_[id].labels)) ids.push_back(id);
    }
  };
  for (const std::string& name : names) {
    const auto found = by_name_.find(name);
    if (found != by_name_.end()) select(*found);
  }
  if (names.empty()) {
    for (const auto& entry : by_name_) select(entry);
  }
  // Label order, and mostly that of the names.
  if (!std::is_sorted(ids.begin(), ids.end())) std::sort(ids.begin(), ids.end());
  std::vector<const StoredSeries*> selected;
  selected.reserve(ids.size());
  for (const std::uint32_t id : ids) selected.push_back(&series_[id]);
  return selected;
}

std::optional<TimeRange> SeriesStore::Extent() const {
  std::optional<TimeRange> extent;
  const auto widen = [&](TimeMs first, TimeMs last) {
    if (!extent) {
      extent = TimeRange{first, last};
    } else {
      extent->start = std::min(extent->start, first);
      extent->end = std::max(extent->end, last);
    }
  };
  for (const StoredSeries& series : series_) {
    if (!series.times.empty()) widen(series.times.front(), series.times.back());
    const std::vector<NativeSample>& histograms = series.extras->histograms;
    if (!histograms.empty()) widen(histograms.front().t, histograms.back().t);
  }
  return extent;
}

}  // namespace schedlens::promql
