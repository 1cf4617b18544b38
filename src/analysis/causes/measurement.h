#ifndef SCHEDLENS_ANALYSIS_CAUSES_MEASUREMENT_H_
#define SCHEDLENS_ANALYSIS_CAUSES_MEASUREMENT_H_

// What is measured on one window, before it is compared with another.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/breakdown/time_breakdown.h"
#include "analysis/collect/facts.h"
#include "stats/scrape_increases.h"

namespace schedlens {

/// A 99th percentile proven to be over this many seconds is slow, whatever it was before.
inline constexpr double kPlainlySlow = 0.5;
/// Fewer attempts have no tail to speak of.
inline constexpr double kLeastAttempts = 10;

/// CPU seconds of the scheduler's processes.
struct CpuUse {
  double seconds = 0;
  double cores = 0;  ///< seconds per second of the window
};

/// How slow the attempts of one result are: the bucket of their 99th percentile. Where attempts
/// have no buckets also "algorithm", "binding", "Bind" and "PreBind".
struct ResultTail {
  std::string result;
  double count = 0;
  double mean = 0;
  double p99_low = 0, p99_high = 0;  ///< high may be infinite
  PooledBuckets buckets = {};
};

/// One window with everything measured on it.
struct Measurement {
  WindowIncreases cells;
  TimeBreakdown breakdown;
  std::optional<CpuUse> cpu;
  std::vector<ResultTail> tails;  ///< results with at least one attempt
  double preemption_attempts = 0;
  std::optional<double> pending_active;  ///< mean of the active queue, where it was scraped
  /// Execution seconds of dispatched binds; nothing where binds are not dispatched.
  std::optional<double> dispatched_bind_seconds;
  std::optional<ResultTail> Tail(std::string_view result) const;
};
/// True when the 99th percentile of some result with at least `least` attempts is proven to be half
/// a second or more, whatever a baseline says. False without attempts.
bool PlainlySlow(const Measurement& m, double least = kLeastAttempts);
Measurement Measure(const Facts& facts, const Histograms& histograms, const TimeRange& window);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_CAUSES_MEASUREMENT_H_
