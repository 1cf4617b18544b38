#include "source/by_label/summed_counters.h"

#include <algorithm>
#include <cstddef>

namespace schedlens {
namespace {

std::size_t ColumnOf(const std::vector<TimeMs>& times, TimeMs t) {
  return static_cast<std::size_t>(std::lower_bound(times.begin(), times.end(), t) - times.begin());
}

/// Column i ends at times[i]; the first edge ends none.
std::vector<bool> BrokenColumns(const std::vector<TimeMs>& times,
                                const std::vector<double>& processes,
                                const std::vector<Series>& counters) {
  std::vector<bool> broken(times.size(), false);
  for (std::size_t i = 1; i < times.size(); ++i) broken[i] = processes[i] != processes[i - 1];
  for (const Series& series : counters) {
    for (std::size_t k = 1; k < series.samples.size(); ++k) {
      if (series.samples[k].v >= series.samples[k - 1].v) continue;
      const std::size_t column = ColumnOf(times, series.samples[k].t);
      if (processes[column] > 1) broken[column] = true;
    }
  }
  return broken;
}

/// Takes the increases of broken columns out of one counter.
void Flatten(const std::vector<TimeMs>& times, const std::vector<bool>& broken, Series& series) {
  double lost = 0;
  double before = 0;  // a counter born in a column started at zero
  for (std::size_t k = 0; k < series.samples.size(); ++k) {
    Sample& sample = series.samples[k];
    const std::size_t column = ColumnOf(times, sample.t);
    const std::size_t since = k == 0 ? column : ColumnOf(times, series.samples[k - 1].t) + 1;
    const bool touched = std::any_of(broken.begin() + static_cast<std::ptrdiff_t>(since),
                                     broken.begin() + static_cast<std::ptrdiff_t>(column) + 1,
                                     [](bool b) { return b; });
    if (touched) lost += sample.v - before;
    before = sample.v;
    sample.v -= lost;
  }
}

}  // namespace

std::vector<TimeRange> DropBrokenColumns(const std::vector<TimeMs>& times,
                                         const std::vector<double>& processes,
                                         std::vector<Series>& counters) {
  const std::vector<bool> broken = BrokenColumns(times, processes, counters);
  std::vector<TimeRange> columns;
  for (std::size_t i = 1; i < broken.size(); ++i) {
    if (broken[i]) columns.push_back({times[i - 1], times[i]});
  }
  if (columns.empty()) return columns;
  for (Series& series : counters) Flatten(times, broken, series);
  return columns;
}

}  // namespace schedlens
