#ifndef SCHEDLENS_SOURCE_CUSTOM_BUCKETS_UNFOLDING_SOURCE_H_
#define SCHEDLENS_SOURCE_CUSTOM_BUCKETS_UNFOLDING_SOURCE_H_

#include <memory>

#include "contract/source.h"

namespace schedlens {

/// A server that may keep classic histograms as native ones with custom buckets alone
/// (`convert_classic_histograms_to_nhcb`) and then answers questions about `x_bucket`, `x_sum` and
/// `x_count` with nothing. Where a histogram comes back empty, one more question tells whether it
/// is there in native form; if so, raw questions are answered with its classic series, and all
/// other expressions are evaluated here over the raw samples. A metric that is kept in both forms
/// is read in its classic form. Questions that name no series of a classic histogram are passed on
/// as they are. Throws what the server throws.
std::unique_ptr<Source> NewUnfoldingSource(std::unique_ptr<Source> server);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_CUSTOM_BUCKETS_UNFOLDING_SOURCE_H_
