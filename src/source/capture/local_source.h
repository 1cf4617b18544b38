#ifndef SCHEDLENS_SOURCE_CAPTURE_LOCAL_SOURCE_H_
#define SCHEDLENS_SOURCE_CAPTURE_LOCAL_SOURCE_H_

#include <memory>
#include <vector>

#include "contract/source.h"

namespace schedlens {

/// Samples in memory, asked with our own PromQL dialect: a capture, a scrape pair, the simulator.
/// `info` says where they come from; its extent is filled in here.
std::unique_ptr<Source> NewLocalSource(std::vector<Series> series, SourceInfo info);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_CAPTURE_LOCAL_SOURCE_H_
