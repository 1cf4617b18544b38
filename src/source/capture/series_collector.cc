#include "source/capture/series_collector.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace schedlens {
namespace {

template <typename T>
void Order(std::vector<T>* samples) {
  const auto not_after = [](const T& a, const T& b) { return a.t >= b.t; };
  if (std::adjacent_find(samples->begin(), samples->end(), not_after) == samples->end()) return;
  std::stable_sort(samples->begin(), samples->end(),
                   [](const T& a, const T& b) { return a.t < b.t; });
  const auto same = [](const T& a, const T& b) { return a.t == b.t; };
  samples->erase(std::unique(samples->begin(), samples->end(), same), samples->end());
}

template <typename T>
void Append(std::vector<T>&& from, std::vector<T>* to) {
  if (to->empty()) {
    *to = std::move(from);
  } else {
    to->insert(to->end(), std::make_move_iterator(from.begin()),
               std::make_move_iterator(from.end()));
  }
}

}  // namespace

Series& SeriesCollector::Of(const Labels& labels) {
  const std::size_t hash = labels.Hash();
  std::uint32_t found =
      by_labels_.Find(hash, [&](std::uint32_t i) { return series_[i].labels == labels; });
  if (found == HashIndex::kNone) {
    found = static_cast<std::uint32_t>(series_.size());
    by_labels_.Add(hash, found);
    series_.push_back({labels, {}, {}});
  }
  return series_[found];
}

void SeriesCollector::Add(Series series) {
  Series& held = Of(series.labels);
  Append(std::move(series.samples), &held.samples);
  Append(std::move(series.histograms), &held.histograms);
}

std::vector<Series> SeriesCollector::Take() {
  for (Series& series : series_) {
    Order(&series.samples);
    Order(&series.histograms);
  }
  std::erase_if(series_, [](const Series& series) {
    return series.samples.empty() && series.histograms.empty();
  });
  by_labels_ = {};
  return std::exchange(series_, {});
}

}  // namespace schedlens
