#include "model/sample_times.h"

#include <algorithm>
#include <iterator>

namespace schedlens {

void MergeTimes(const std::vector<Sample>& samples, std::vector<TimeMs>* times) {
  std::vector<TimeMs> own;
  own.reserve(samples.size());
  for (const Sample& sample : samples) own.push_back(sample.t);
  if (!std::is_sorted(own.begin(), own.end())) std::sort(own.begin(), own.end());
  own.erase(std::unique(own.begin(), own.end()), own.end());
  if (std::includes(times->begin(), times->end(), own.begin(), own.end())) return;
  std::vector<TimeMs> merged;
  merged.reserve(times->size() + own.size());
  std::set_union(times->begin(), times->end(), own.begin(), own.end(), std::back_inserter(merged));
  times->swap(merged);
}

}  // namespace schedlens
