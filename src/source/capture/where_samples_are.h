#ifndef SCHEDLENS_SOURCE_CAPTURE_WHERE_SAMPLES_ARE_H_
#define SCHEDLENS_SOURCE_CAPTURE_WHERE_SAMPLES_ARE_H_

// Which parts of a long range hold samples at all, found with a few coarse questions.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "contract/source.h"

namespace schedlens {

/// A long range in pieces of equal length, the last one may be shorter: samples with
/// start < t <= end.
struct LongRange {
  TimeRange whole;
  std::int64_t piece_ms = 0;  ///< above 0
  std::int64_t Pieces() const;
};

/// Numbers of pieces: first <= i < end.
struct PieceRun {
  std::int64_t first = 0;
  std::int64_t end = 0;
};

struct WhereSamplesAre {
  std::vector<PieceRun> runs;      ///< in order of time, none empty, none touching another
  std::set<std::string> warnings;  ///< the source's, of the coarse questions
  std::string trouble;             ///< why a coarse question had no answer; empty: all had
  std::int64_t Pieces() const;
};

/// Runs that cover every piece with a sample of one of the selectors (matchers without braces). A
/// range of at most a day's worth of pieces (24) is one run, and nothing is asked. A longer one is
/// asked for in 48 steps, and where few of them hold samples these are asked about again; at most
/// 16 questions. A question that fails for its size or time counts as "everywhere"; other errors of
/// the source are thrown. `asked` is told of each question; it may be empty.
WhereSamplesAre FindSamples(Source& source, const std::vector<std::string>& selectors,
                            const LongRange& range, const std::function<void(std::size_t)>& asked);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_CAPTURE_WHERE_SAMPLES_ARE_H_
