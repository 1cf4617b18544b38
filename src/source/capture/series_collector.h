#ifndef SCHEDLENS_SOURCE_CAPTURE_SERIES_COLLECTOR_H_
#define SCHEDLENS_SOURCE_CAPTURE_SERIES_COLLECTOR_H_

// Samples of a file by series, whatever order the file has them in.

#include <vector>

#include "contract/series.h"
#include "model/hash_index.h"

namespace schedlens {

class SeriesCollector {
 public:
  /// The series with these labels, a new one where there is none. The reference lasts until the
  /// next call.
  Series& Of(const Labels& labels);
  /// Adds all samples of a series.
  void Add(Series series);

  /// In order of first appearance, samples by time; of several at one time the first stays. Series
  /// without samples are left out. The collector is empty afterwards.
  std::vector<Series> Take();

 private:
  std::vector<Series> series_;
  HashIndex by_labels_;
};

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_CAPTURE_SERIES_COLLECTOR_H_
