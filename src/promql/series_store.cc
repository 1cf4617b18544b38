#include "promql/series_store.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "promql/regex.h"

namespace schedlens::promql {
namespace {

/// One matcher with its compiled regular expression.
class CompiledMatcher {
 public:
  explicit CompiledMatcher(const Matcher& matcher) : matcher_(matcher) {
    if (matcher.op == MatchOp::kRegex || matcher.op == MatchOp::kNotRegex) {
      regex_.emplace(matcher.value);
    }
  }

  bool Accepts(const Labels& labels) const {
    const std::string_view value = labels.Get(matcher_.name);
    switch (matcher_.op) {
      case MatchOp::kEqual:
        return value == matcher_.value;
      case MatchOp::kNotEqual:
        return value != matcher_.value;
      case MatchOp::kRegex:
        return regex_->Matches(value);
      case MatchOp::kNotRegex:
        return !regex_->Matches(value);
    }
    return false;
  }

 private:
  const Matcher& matcher_;
  std::optional<MatcherRegex> regex_;
};

StoredSeries Store(Series&& series) {
  StoredSeries stored;
  stored.labels = std::move(series.labels);
  std::vector<Sample>& samples = series.samples;
  const auto earlier = [](const Sample& a, const Sample& b) { return a.t < b.t; };
  if (!std::is_sorted(samples.begin(), samples.end(), earlier)) {
    std::stable_sort(samples.begin(), samples.end(), earlier);
  }
  stored.times.reserve(samples.size());
  stored.values.reserve(samples.size());
  bool first = true;
  TimeMs before = 0;
  for (const Sample& sample : samples) {
    if (!first && sample.t == before) continue;
    first = false;
    before = sample.t;
    if (IsStaleMarker(sample.v)) {
      stored.stale.push_back(sample.t);
      continue;
    }
    if (!stored.values.empty() && sample.v < stored.values.back()) {
      stored.drops.push_back(static_cast<std::uint32_t>(stored.values.size()));
    }
    stored.times.push_back(sample.t);
    stored.values.push_back(sample.v);
  }
  stored.histograms = std::move(series.histograms);
  return stored;
}

}  // namespace

SeriesStore::SeriesStore(std::vector<Series> series) {
  std::vector<std::size_t> order(series.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return series[a].labels < series[b].labels;
  });
  series_.reserve(series.size());
  for (std::size_t i = 0; i < order.size();) {
    Series& merged = series[order[i]];
    std::size_t j = i + 1;
    for (; j < order.size() && series[order[j]].labels == merged.labels; ++j) {
      const Series& other = series[order[j]];
      merged.samples.insert(merged.samples.end(), other.samples.begin(), other.samples.end());
      merged.histograms.insert(merged.histograms.end(), other.histograms.begin(),
                               other.histograms.end());
    }
    std::stable_sort(merged.histograms.begin(), merged.histograms.end(),
                     [](const NativeSample& a, const NativeSample& b) { return a.t < b.t; });
    series_.push_back(Store(std::move(merged)));
    i = j;
  }
  BuildIndex();
}

void SeriesStore::BuildIndex() {
  for (std::uint32_t id = 0; id < series_.size(); ++id) {
    for (const auto& [name, value] : series_[id].labels) index_[name][value].push_back(id);
  }
}

const SeriesStore::Ids* SeriesStore::Candidates(const std::vector<Matcher>& matchers) const {
  static const Ids kNone;
  const Ids* best = nullptr;
  for (const Matcher& matcher : matchers) {
    if (matcher.op != MatchOp::kEqual || matcher.value.empty()) continue;
    const auto name = index_.find(matcher.name);
    if (name == index_.end()) return &kNone;
    const auto value = name->second.find(matcher.value);
    if (value == name->second.end()) return &kNone;
    if (best == nullptr || value->second.size() < best->size()) best = &value->second;
  }
  return best;
}

std::vector<const StoredSeries*> SeriesStore::Select(const std::vector<Matcher>& matchers) const {
  std::vector<CompiledMatcher> compiled;
  compiled.reserve(matchers.size());
  for (const Matcher& matcher : matchers) compiled.emplace_back(matcher);
  const auto accepted = [&](const StoredSeries& series) {
    return std::all_of(compiled.begin(), compiled.end(), [&](const CompiledMatcher& matcher) {
      return matcher.Accepts(series.labels);
    });
  };
  std::vector<const StoredSeries*> selected;
  if (const Ids* ids = Candidates(matchers)) {
    for (const std::uint32_t id : *ids) {
      if (accepted(series_[id])) selected.push_back(&series_[id]);
    }
  } else {
    for (const StoredSeries& series : series_) {
      if (accepted(series)) selected.push_back(&series);
    }
  }
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
    if (!series.histograms.empty()) widen(series.histograms.front().t, series.histograms.back().t);
  }
  return extent;
}

}  // namespace schedlens::promql
