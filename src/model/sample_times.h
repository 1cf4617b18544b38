#ifndef SCHEDLENS_MODEL_SAMPLE_TIMES_H_
#define SCHEDLENS_MODEL_SAMPLE_TIMES_H_

#include <vector>

#include "contract/series.h"

namespace schedlens {

/// Adds the times of `samples`, in any order, to `times`, which ascend without repeats and still do
/// afterwards. Cheap where they are all there already: series of one target are scraped together.
void MergeTimes(const std::vector<Sample>& samples, std::vector<TimeMs>* times);

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_SAMPLE_TIMES_H_
