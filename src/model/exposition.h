#ifndef SCHEDLENS_MODEL_EXPOSITION_H_
#define SCHEDLENS_MODEL_EXPOSITION_H_

// Prometheus text and OpenMetrics, read and written.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schedlens/series.h"

namespace schedlens {

struct Exposition {
  std::vector<Series> series;                ///< in order of first appearance, samples by time
  std::map<std::string, std::string> types;  ///< family -> "counter", "histogram", ...
  std::vector<std::string> comments;         ///< lines that start with `# ` but are no metadata
  std::vector<std::string> warnings;         ///< repairs: duplicates dropped, time going backwards
};

/// Reads a whole text. Timestamps are seconds in OpenMetrics (recognised by its `# EOF` line) and
/// milliseconds in Prometheus text; samples without one get `default_time`. Throws Error(kFailed)
/// with `name`, line, column and what was expected there.
Exposition ParseExposition(std::string_view text, const std::string& name,
                           std::optional<TimeMs> default_time);

/// Reads a file: plain or gzip (by content), `-` for standard input, streamed in blocks. Throws
/// Error(kFailed) for a missing, empty or truncated file, a directory, or binary junk.
Exposition ReadExposition(const std::string& path, std::optional<TimeMs> default_time);

/// OpenMetrics text with timestamps, families sorted by name, ending in `# EOF`: what
/// `promtool tsdb create-blocks-from openmetrics` takes, and ParseExposition reads back to the bit.
std::string WriteOpenMetrics(const Exposition& exposition);

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_EXPOSITION_H_
