#ifndef SCHEDLENS_SOURCE_CAPTURE_PART_H_
#define SCHEDLENS_SOURCE_CAPTURE_PART_H_

// The text that a capture keeps while it is not complete, so that a later run goes on from there:
//
//   schedlens capture part 1
//   {"asked":"...","range":[START,END],"recorded":T,"selector":"..."}
//   {"bytes":N,"end":T,"notes":["..."],"query":"...","sum":"0123456789abcdef"}
//   N bytes of OpenMetrics text: the samples of that answer
//
// and so on, a line and a text for each answer. Times are milliseconds since the Unix epoch.
// `notes` are the answer's warnings, `sum` is a checksum of the rest of the record. Nothing in it
// is secret but the names that the samples carry.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contract/source.h"

namespace schedlens {

struct CapturePartHead {
  std::string asked;     ///< whose answers these are: source and options, as one text
  TimeMs recorded = 0;   ///< when the first run began
  TimeRange range;       ///< fixed by the first run, whatever the clock says later
  std::string selector;  ///< given, or found by the first run
};

struct CapturePart {
  CapturePartHead head;
  std::vector<std::pair<Query, Answer>> answers;  ///< instant queries with raw samples
  std::size_t sound = 0;  ///< bytes before the first damage: the whole text when there is none
};

std::string WriteCapturePartHead(const CapturePartHead& head);

/// One record.
std::string WriteCapturePartAnswer(const Query& query, const Answer& answer);

/// Whether two answers hold the same series with the same samples, in whatever order the series
/// stand.
bool SameSamples(const Answer& a, const Answer& b);

/// Whether the text begins as a part does, however little of it is there (nothing, too).
bool MayBeCapturePart(std::string_view text);

/// Reads up to the first record that is cut off, damaged or no record at all. Throws Error(kFailed)
/// when not even the head is there.
CapturePart ReadCapturePart(std::string_view text);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_CAPTURE_PART_H_
