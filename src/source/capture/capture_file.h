#ifndef SCHEDLENS_SOURCE_CAPTURE_CAPTURE_FILE_H_
#define SCHEDLENS_SOURCE_CAPTURE_CAPTURE_FILE_H_

// A capture of any format, told by its content: OpenMetrics and Prometheus text, a dump of
// promtool, answers of the query API, an export of VictoriaMetrics.

#include <string>
#include <string_view>

#include "model/exposition.h"

namespace schedlens {

/// Reads a file: plain or gzip (by content), `-` for standard input. Samples without time, which
/// only the exposition formats have, get `default_time`. Throws Error(kFailed), one line with the
/// file and the place in it, for what is of no format, damaged or cut off; see capture_reader.h and
/// exposition.h.
///
/// Of the exposition formats, metrics that are not `wanted` are passed over where they stand behind
/// the first `whole_bytes`; the passed-over ones among these are dropped as soon as there is more.
LongExposition ReadCapture(const std::string& path, TimeMs default_time,
                           const MetricFilter& wanted = {}, std::size_t whole_bytes = 0);

/// The same for bytes in memory, not packed; `name` is the file's name in messages.
Exposition ParseCapture(std::string_view bytes, const std::string& name, TimeMs default_time);

/// Whether JSON that begins so is a capture: an answer of the query API, or an export.
bool IsJsonCapture(std::string_view head);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_CAPTURE_CAPTURE_FILE_H_
