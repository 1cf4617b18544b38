#pragma once

// Prometheus text and OpenMetrics, read and written.

#include <deque>
#include <map>
#include <set>

#include "base/message.h"

namespace schedlens {

class ByteSource;

/// In milliseconds, 1e11 seconds: of the year 5138, and as milliseconds of 1973. No clock shows it,
/// so a larger number of seconds is none.
inline constexpr std::int64_t kLatestTime = 99'999'999'999'999;

/// Samples of metrics that nobody asked for: read, checked and counted, but not kept.
struct PassedOver {
  std::size_t samples = 0;
  std::set<std::string, std::less<>> metrics;
  /// Their first and last time, without those dropped for being late.
  std::optional<TimeRange> extent;
};

struct Exposition {
  std::vector<Series> series;  ///< in order of first appearance, samples by time
  /// Family -> "counter", "histogram", ... in OpenMetrics's terms whatever was read: the counter
  /// `x_total` is of the family `x`, "untyped" is "unknown".
  std::map<std::string, std::string> types;
  /// Lines that start with `#` but are not metadata, without the `# `; see kCommentFamily.
  std::vector<std::string> comments;
  /// What was repaired or looks odd, one line each.
  std::vector<Message> warnings;
  PassedOver passed_over;
};

/// A long text's, with the series apart: a recording of many clusters has a million of them, and a
/// vector that grows, or becomes something else, holds them twice. From a deque they can be taken
/// one after the other.
struct LongExposition {
  std::deque<Series> series;
  Exposition other;  ///< all but the series
};

/// With the series where they belong.
Exposition Whole(LongExposition read);

/// Whether the samples of a metric are wanted; empty: of all.
using MetricFilter = std::function<bool(std::string_view metric)>;

/// OpenMetrics has no comments (Prometheus refuses them), so they are written as the help text of
/// this family, one a line, and read back from there.
inline constexpr std::string_view kCommentFamily = "schedlens_comments";

/// So are native histograms, which have no text form either: `SERIES MILLISECONDS HISTOGRAM`, the
/// histogram as NativeText writes it.
inline constexpr std::string_view kNativeFamily = "schedlens_native_histograms";

/// Reads a whole text. `name` is the file's name in messages.
///
/// Timestamps are seconds in OpenMetrics and milliseconds in Prometheus text. The text is taken for
/// OpenMetrics if it ends in `# EOF`, or else has a `# UNIT` line, an exemplar, or a timestamp with
/// a point or an exponent (and then a warning says that `# EOF` is missing). It is in seconds if
/// all timestamps are possible seconds (see kLatestTime), or, in OpenMetrics, some are; otherwise
/// in milliseconds, with a warning in OpenMetrics. Digits finer than milliseconds are cut, as
/// Prometheus does. Samples without timestamp get `default_time`.
///
/// Repaired, each with one warning: timestamps that go backwards in a series (sorted); another
/// value at the same time of a series (the first one stays). The same value again is dropped
/// silently. Exemplars, help texts and units are not kept.
///
/// Samples of metrics that are not `wanted` are read as all others are, so that an error in them
/// has its line, and their times tell the unit and count as late; but they are not kept, and their
/// order is not looked at. The metrics kept are as if there were no others. Native histograms are
/// kept whatever their name.
///
/// Throws Error(kFailed) with file, line, column and what was expected there; also for an empty
/// text, for samples after `# EOF`, for a last sample without line end (it may be cut off in the
/// middle of a number), and for a sample without timestamp where there is no `default_time`.
Exposition ParseExposition(std::string_view text, const std::string& name,
                           std::optional<TimeMs> default_time, const MetricFilter& wanted = {});

/// Reads a file: plain or gzip (by content), `-` for standard input, streamed in blocks. Throws
/// Error(kFailed) for what ParseExposition refuses, for a missing file, a directory, truncated or
/// damaged gzip, binary junk, a line longer than 64 MiB.
Exposition ReadExposition(const std::string& path, std::optional<TimeMs> default_time,
                          const MetricFilter& wanted = {});

/// Reads all lines of a source, `name` in messages; see ReadExposition. The filter
/// counts from the first block on that begins behind `whole_bytes`, and is as if it always had.
LongExposition ReadLongExposition(ByteSource& source, const std::string& name,
                                  std::optional<TimeMs> default_time,
                                  const MetricFilter& wanted = {}, std::size_t whole_bytes = 0);

/// OpenMetrics text with timestamps, families sorted by name, their series in the order given,
/// ending in `# EOF`: what `promtool tsdb create-blocks-from openmetrics` takes, and
/// ParseExposition reads back to the bit. Stale markers have no text form and are left out.
std::string WriteOpenMetrics(const Exposition& exposition);

// Native histograms as text: `{count:3, sum:1.5, [-0.001,0.001]:1, (0.5,1]:2}`, the form in which
// promtool dumps them. Brackets say which bounds belong to a bucket, numbers have all their digits.

/// Reads back to the bit.
std::string NativeText(const NativeHistogram& histogram);

/// Nothing for what is not of this form.
std::optional<NativeHistogram> ParseNativeText(std::string_view text);

}  // namespace schedlens
